//! The same tests once more as `nobody`, whom permission bits bind and who has no privilege to give up.
//!
//! `RLIMIT_NPROC` counts all processes of a user, whoever started them: where no namespace limits commands, a crowd of one
//! test program keeps those of another from starting. So only one runs as `nobody` at a time, however many were started.

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt;
use std::process::Command;

const NOBODY: u32 = 65_534;

/// Runs this test program again as `nobody`, without the test that asks for it; nothing for who is not root.
pub(crate) fn again(arguments: &[&str]) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let turn = File::create(std::env::temp_dir().join("tool-tests-as-nobody.lock")).unwrap();
    turn.lock().unwrap();
    // Whatever is left among temporary files goes with this, which anybody reaches wherever root keeps its own.
    let temporary = tool_trials::Directory::from(tempfile::tempdir_in("/tmp").unwrap());
    std::fs::set_permissions(temporary.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--test-threads=2", "--skip", "unprivileged_user"]).args(arguments);
    // Without any group of root's: the standard library drops them with the user.
    let output = command
        .uid(NOBODY)
        .gid(NOBODY)
        .env("HOME", "/nonexistent")
        .env("TMPDIR", temporary.path())
        .current_dir("/")
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return tool_trials::skip("nobody cannot run this test");
        }
        Err(error) => panic!("{error}"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| line.contains("cases")).for_each(|line| println!("as nobody: {line}"));
    assert!(!text.contains("ok. 0 passed"), "no test has such a name: {text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
