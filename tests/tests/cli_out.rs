//! `--out`: what stands in the way stays what it is, nothing is left of what fails, and bytes of every kind of block arrive.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use tests::captured;
use tool_cli::Cli;
use tool_core::prelude::*;
use tool_core::{Content, Registry, ResourceBody};

/// Says a word.
#[tool(register = false)]
fn say() -> String {
    "word".to_owned()
}

fn resource(body: ResourceBody, mime_type: &str) -> Content {
    Content::Resource { uri: "memo://1".to_owned(), mime_type: Some(mime_type.to_owned()), body }
}

/// Gives a document with a word about it.
#[tool(register = false)]
fn document() -> Vec<Content> {
    vec![Content::text("as asked"), resource(ResourceBody::Blob("JVBERg==".to_owned()), "application/pdf")]
}

/// Gives one document alone.
#[tool(register = false)]
fn alone() -> Content {
    resource(ResourceBody::Blob("JVBERg==".to_owned()), "application/pdf")
}

/// Gives blocks of every kind.
#[tool(register = false)]
fn album() -> Vec<Content> {
    vec![
        Content::Image { data: "iVBORw==".to_owned(), mime_type: "image/png".to_owned() },
        resource(ResourceBody::Blob("JVBERg==".to_owned()), "application/pdf"),
        resource(ResourceBody::Text("words".to_owned()), "text/plain"),
        Content::Json { value: json!({"a": [1]}) },
    ]
}

/// Gives what is no base64.
#[tool(register = false)]
fn broken() -> Vec<Content> {
    vec![
        Content::Image { data: "iVBORw==".to_owned(), mime_type: "image/png".to_owned() },
        Content::Image { data: "???".to_owned(), mime_type: "image/gif".to_owned() },
    ]
}

fn run(directory: &Path, words: &[&str]) -> (u8, String, String) {
    let registry = Registry::builder()
        .add::<SayTool>()
        .add::<DocumentTool>()
        .add::<AloneTool>()
        .add::<AlbumTool>()
        .add::<BrokenTool>()
        .build()
        .unwrap();
    captured::run(&Cli::new(registry).name("demo"), directory, words)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_link_stays_and_its_target_is_replaced_with_its_mode() {
    let folder = tool_trials::directory();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("target"), "old").unwrap();
    fs::set_permissions(at("target"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("target", at("link")).unwrap();
    assert_eq!(run(folder.path(), &["say", "--out", "link"]).0, 0);
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    assert_eq!(fs::read(at("target")).unwrap(), b"word\n");
    assert_eq!(fs::metadata(at("target")).unwrap().mode() & 0o777, 0o600);
    // A link to nothing leads to where something will be.
    symlink("sub/later", at("dangling")).unwrap();
    assert_eq!(run(folder.path(), &["say", "--out", "dangling"]).0, 0);
    assert_eq!(fs::read(at("sub/later")).unwrap(), b"word\n");
    assert_eq!(names(folder.path()), ["dangling", "link", "sub", "target"]);
    // Two that lead to each other lead nowhere.
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    assert_eq!(run(folder.path(), &["say", "--out", "a"]).0, 1);
    assert!(fs::symlink_metadata(at("a")).unwrap().is_symlink());
}

#[test]
fn what_is_no_regular_file_is_written_into() {
    let folder = tool_trials::directory();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let named = fifo.clone();
    let reader = thread::spawn(move || fs::read(named).unwrap());
    let (code, stdout, stderr) = run(folder.path(), &["say", "--out", "fifo"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", "wrote fifo (5 bytes)\n"));
    assert_eq!(reader.join().unwrap(), b"word\n");
    assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
}

#[test]
fn a_file_that_somebody_has_open_and_that_has_no_name_is_written_into() {
    let folder = tool_trials::directory();
    let path = folder.path().join("named");
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    if !Path::new(&link).exists() {
        tool_trials::skip("there is no /proc");
        return;
    }
    assert_eq!(run(folder.path(), &["say", "--out", &link]).0, 0);
    assert_eq!(io::read_to_string(&file).unwrap(), "word\n");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_failure_leaves_nothing_behind_and_a_long_name_is_none() {
    let folder = tool_trials::directory();
    let long = "n".repeat(250);
    assert_eq!(run(folder.path(), &["say", "--out", &long]).0, 0);
    let (code, _, stderr) = run(folder.path(), &["say", "--out", &"n".repeat(256)]);
    assert_eq!(code, 1, "{stderr}");
    assert_eq!(names(folder.path()), [long.as_str()]);
    // A disk that takes no more, in a process of its own: the limit is that process's.
    let demo = env!("CARGO_BIN_EXE_demo");
    let line = format!("trap '' XFSZ; ulimit -f 0; exec {demo} ping --out o.json 2>&1");
    let output =
        Command::new("sh").args(["-c", &line]).current_dir(folder.path()).env_clear().output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("The call succeeded, but its result could not be written to 'o.json'"), "{told}");
    assert_eq!(names(folder.path()), [long.as_str()]);
}

#[test]
fn the_bytes_of_a_resource_arrive() {
    let folder = tool_trials::directory();
    let placeholder = "as asked\n[application/pdf, 4 bytes; write it with --out FILE]\n";
    assert_eq!(run(folder.path(), &["document"]).1, placeholder);
    let (code, stdout, stderr) = run(folder.path(), &["document", "--out", "z.pdf"]);
    assert_eq!((code, stdout.as_str()), (0, "as asked\n"));
    assert_eq!(stderr, "wrote z.pdf (application/pdf, 4 bytes)\n");
    assert_eq!(fs::read(folder.path().join("z.pdf")).unwrap(), b"%PDF");
    assert_eq!(run(folder.path(), &["alone"]).1, "%PDF");
}

#[test]
fn programs_get_blocks_as_mcp_writes_them() {
    let folder = tool_trials::directory();
    let (code, stdout, _) = run(folder.path(), &["album", "--json"]);
    let pdf = json!({"uri": "memo://1", "mimeType": "application/pdf", "blob": "JVBERg=="});
    let words = json!({"uri": "memo://1", "mimeType": "text/plain", "text": "words"});
    let last =
        [json!({"type": "resource", "resource": words}), json!({"type": "text", "text": "{\"a\":[1]}"})];
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    let image = json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"});
    assert_eq!((code, &shown), (0, &json!([image, {"type": "resource", "resource": pdf}, last[0], last[1]])));
    // Beside files they name these instead.
    let (code, stdout, stderr) = run(folder.path(), &["album", "--json", "--out", "all/"]);
    assert_eq!(code, 0, "{stderr}");
    let image = json!({"type": "image", "mimeType": "image/png", "path": "all/1.png", "bytes": 4});
    let pdf = json!({"uri": "memo://1", "mimeType": "application/pdf", "path": "all/2.pdf", "bytes": 4});
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(shown, json!([image, {"type": "resource", "resource": pdf}, last[0], last[1]]));
    assert_eq!(names(&folder.path().join("all")), ["1.png", "2.pdf"]);
}

#[test]
fn what_is_no_base64_is_told_and_nothing_is_written() {
    let folder = tool_trials::directory();
    let (code, stdout, stderr) = run(folder.path(), &["broken", "--out", "all/"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("part 2 of its result (image/gif) is not valid base64"), "{stderr}");
    assert_eq!(names(folder.path()), [""; 0]);
    let told = "[image/png, 4 bytes; write it with --out FILE]\n[image/gif, not valid base64]\n";
    assert_eq!(run(folder.path(), &["broken"]).1, told);
}
