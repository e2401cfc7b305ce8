//! A client from npm, at its pinned version, and the Node that it needs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::scene::Client;

/// The Node that all of them run on.
const NODE: &str = "node@22.23.3";

/// The clients that were asked for.
pub(crate) fn asked() -> Vec<String> {
    let asked = std::env::var("TOOL_E2E").unwrap_or_default();
    asked.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The folder of the client's programs and that of Node; where it does not run here, it is said why.
pub(crate) fn installed(client: &Client) -> Option<PathBuf> {
    if !asked().iter().any(|name| name == client.name) {
        return skip(client, "TOOL_E2E not set");
    }
    // Two tests may want the same one.
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::env::current_exe().unwrap();
    let target = own.ancestors().find(|at| at.ends_with("target")).unwrap();
    let prefix = target.join("mcp").join("clients").join(client.name);
    std::fs::create_dir_all(&prefix).unwrap();
    // What is there is left alone: another client may be running from it.
    let (mark, wanted) = (prefix.join("installed"), format!("{NODE} {}", client.package));
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return runnable(client, prefix.join("node_modules"));
    }
    let install = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", "--prefix"])
        .arg(&prefix)
        .args([NODE, client.package])
        .output();
    match install {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let told = String::from_utf8_lossy(&output.stderr);
            return skip(client, &format!("npm install failed: {}", told.lines().last().unwrap_or("")));
        }
        Err(error) => return skip(client, &format!("npm install failed: {error}")),
    }
    std::fs::write(mark, wanted).unwrap();
    runnable(client, prefix.join("node_modules"))
}

/// The folder of packages, if the client in it can say its version.
fn runnable(client: &Client, modules: PathBuf) -> Option<PathBuf> {
    let programs = modules.join(".bin");
    let path = path_with(&modules, &programs);
    let version = Command::new(programs.join(client.program)).arg("--version").env("PATH", path).output();
    match version {
        Ok(output) if output.status.success() => {
            println!("{}: {}", client.name, String::from_utf8_lossy(&output.stdout).trim());
            Some(modules)
        }
        other => skip(client, &format!("version of {} not runnable: {other:?}", client.package)),
    }
}

/// The search path of a client: its Node first.
pub(crate) fn path_with(modules: &Path, programs: &Path) -> std::ffi::OsString {
    let node = modules.join("node").join("bin");
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = [node, programs.to_path_buf()].into_iter().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).unwrap()
}

fn skip<T>(client: &Client, reason: &str) -> Option<T> {
    println!("skipped: {}: {reason}", client.name);
    let required = std::env::var("TOOL_E2E_REQUIRE").as_deref() == Ok("1");
    assert!(!required, "required: {}: {reason}", client.name);
    None
}
