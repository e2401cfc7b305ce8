//! The same tests once more as `nobody`, whom permission bits bind and who has no privilege to give up.

use std::os::unix::process::CommandExt;
use std::process::Command;

const NOBODY: u32 = 65_534;

/// Runs this test program again as `nobody`, without the test that asks for it; nothing for who is not root.
pub(crate) fn again(arguments: &[&str]) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--test-threads=2", "--skip", "unprivileged_user"]).args(arguments);
    // Without any group of root's: the standard library drops them with the user.
    let output = command
        .uid(NOBODY)
        .gid(NOBODY)
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/tmp")
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
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
