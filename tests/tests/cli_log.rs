//! The log on standard error: from warnings on, more with `-v`, less with `-q`. (cli.md §6)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::process::Command;

fn stderr(args: &[&str], log: Option<&str>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patience"));
    command.args(["take", "--handle", "x"]).args(args).env_clear();
    let output = command.envs(log.map(|log| ("PATIENCE_LOG", log))).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "x\n");
    String::from_utf8(output.stderr).unwrap()
}

const LINE: &str = " INFO toolbox::cli: succeeded tool=\"take\"\n";

#[test]
fn a_call_is_logged_for_those_who_ask() {
    for (args, log, shown) in [
        (&[][..], None, false),
        (&["-v"], None, true),
        (&["-vv"], None, true),
        (&["-vvv"], None, true),
        (&["-q"], None, false),
        (&[], Some("info"), true),
        (&[], Some("warn,toolbox=info"), true),
        (&[], Some("info,toolbox=warn"), false),
        (&[], Some("error"), false),
        (&["-q"], Some("trace"), false),
        (&["-v"], Some("off"), true),
    ] {
        let stderr = stderr(args, log);
        assert_eq!(stderr.contains(LINE), shown, "{args:?} {log:?}: {stderr:?}");
        assert_eq!(stderr.is_empty(), !shown, "{args:?} {log:?}: {stderr:?}");
    }
}
