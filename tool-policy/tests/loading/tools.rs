//! The keys of a tool, its rules of parameters and its lists.

use super::*;

#[test]
fn every_key_of_a_tool_is_checked_where_it_stands() {
    let time = "bad_value 5:11: expected a time such as \"20s\", from 1ms to 1h, found a text";
    each(
        &[
            (
                "approve = \"ask\"\nrate = \"5/s\"\nburst = 2\nmax_concurrent = 1\nmax_calls_per_run = 1\ntimeout = \"1h\"\nmax_output_bytes = 1",
                &[],
            ),
            ("approve = \"always\"", &["bad_value 5:11: expected one of ask, never"]),
            ("burst = 2", &["no_effect 5:1: burst does nothing without rate"]),
            ("timeout = \"3600001ms\"", &[time]),
            ("timeout = \"0s\"", &[time]),
            ("timeout = \"1d\"", &[time]),
            ("timeout = \"1.5s\"", &[time]),
            ("timeout = \"s\"", &[time]),
            ("timeout = \"+1s\"", &[time]),
            ("timeout = \"99999999999999999999h\"", &[time]),
            ("timeout = \"9999999999999999999h\"", &[time]),
            (
                "timeout = 5",
                &["bad_value 5:11: expected a time such as \"20s\", from 1ms to 1h, found a whole number"],
            ),
            ("timeout = \"1ms\"", &[]),
            ("timeout = \"60m\"", &[]),
            (
                "max_output_bytes = 0",
                &[
                    "bad_value 5:20: expected a whole number from 1 to 9223372036854775807, found a whole number",
                ],
            ),
            ("time_out = \"1s\"", &["unknown_key 5:1: unknown key \"time_out\"; did you mean \"timeout\"?"]),
            (
                "max_out = 1",
                &["unknown_key 5:1: unknown key \"max_out\"; did you mean \"max_output_bytes\"?"],
            ),
            ("timeout_ms = 1", &["unknown_key 5:1: unknown key \"timeout_ms\"; did you mean \"timeout\"?"]),
            (
                "max_output_byte = 1",
                &["unknown_key 5:1: unknown key \"max_output_byte\"; did you mean \"max_output_bytes\"?"],
            ),
            (
                "allowed_domains = [\"a.example\"]",
                &["no_effect 5:1: read_file has no parameter that allowed_domains could judge"],
            ),
            (
                "denied_recipients = [\"*@a.example\"]",
                &["no_effect 5:1: read_file has no parameter that denied_recipients could judge"],
            ),
            (
                "allowed_commands = [\"ls\"]",
                &["no_effect 5:1: read_file has no parameter that allowed_commands could judge"],
            ),
            ("allowed_paths = \"a\"", &["bad_value 5:17: expected a list of patterns, found a text"]),
            ("allowed_paths = [\"a\", \"a\"]", &["duplicate 5:23: \"a\" stands here twice"]),
        ],
        |keys| of_tool("read_file", keys),
    );
    assert_eq!(
        of_tool("fetch", "allowed_paths = [\"a\"]"),
        ["no_effect 5:1: fetch has no parameter that allowed_paths could judge"]
    );
    assert_eq!(
        of_tool("fetch", "allowed_domains = [\"a.example\"]\ndenied_domains = [\"b.example\"]"),
        [""; 0]
    );
    assert_eq!(of_tool("send", "allowed_recipients = [\"*@a.example\"]"), [""; 0]);
    assert_eq!(of_tool("run", "allowed_commands = [\"ls\"]\ndenied_commands = [\"rm\"]"), [""; 0]);
    assert_eq!(of_tool("line", "allowed_commands = [\"ls\"]"), [""; 0]);
    assert_eq!(
        of_tool("line", "denied_commands = [\"rm\"]"),
        ["no_effect 5:1: denied_commands cannot be enforced on a shell line; use allowed_commands"]
    );
    let long = "x".repeat(100);
    let mistakes = of_tool("fetch", &format!("allowed_domains = [\"http://{long}/\"]"));
    let shown = format!("bad_pattern 5:20: \"http://{}\" is no pattern here: ", "x".repeat(73));
    assert!(mistakes.len() == 1 && mistakes[0].starts_with(&shown), "{mistakes:?}");
}

#[test]
fn rules_of_parameters_are_held_against_the_schema() {
    each(
        &[
            ("args = { offset = { min = 1, max = 5 } }", &[]),
            ("args = { ofset = {} }", &["unknown_key 5:10: unknown key \"ofset\"; did you mean \"offset\"?"]),
            (
                "args = { offset = { mim = 1 } }",
                &["unknown_key 5:21: unknown key \"mim\"; did you mean \"min\"?"],
            ),
            ("args = { path = { min = 1 } }", &["bad_value 5:25: min needs a parameter that is a number"]),
            ("args = { path = { max = 1 } }", &["bad_value 5:25: max needs a parameter that is a number"]),
            ("args = { share = { min = 0.5, max = 1 } }", &[]),
            ("args = { offset = { min = \"1\" } }", &["bad_value 5:27: expected a number, found a text"]),
            ("args = { offset = { min = 5, max = 4 } }", &["bad_value 5:36: max is below min"]),
            ("args = { offset = { max = 4, min = 5 } }", &["bad_value 5:36: min is above max"]),
            ("args = { offset = { max = 5, min = 5 } }", &[]),
            ("args = { path = { max_bytes = 0 } }", &[]),
            (
                "args = { path = { max_bytes = -1 } }",
                &["bad_value 5:31: expected a number of bytes, found a whole number"],
            ),
            (
                "args = { path = { forbid = 1 } }",
                &["bad_value 5:28: expected true or false, found a whole number"],
            ),
            (
                "args = { offset = { one_of = 1 } }",
                &["bad_value 5:30: expected a list of values, found a whole number"],
            ),
            ("args = { path = { require = true } }", &[]),
            (
                "args = { path = { require = 1 } }",
                &["bad_value 5:29: expected true or false, found a whole number"],
            ),
            ("args = { offset = { one_of = [-1, 2] } }", &[]),
            ("args = { share = { one_of = [1, 1.0] } }", &["duplicate 5:33: this value stands here twice"]),
            (
                "args = { offset = { one_of = [\"1\"] } }",
                &["bad_value 5:31: the parameter never has this value"],
            ),
            (
                "args = { offset = { one_of = [1.5] } }",
                &["bad_value 5:31: the parameter never has this value"],
            ),
            ("args = { share = { one_of = [1, 1.5] } }", &[]),
            ("args = { form = { one_of = [\"text\"] } }", &[]),
            (
                "args = { form = { one_of = [\"texts\"] } }",
                &["bad_value 5:29: the parameter never has this value"],
            ),
            ("args = { flags = { one_of = [[\"a\"]] } }", &[]),
            (
                "args = { flags = { one_of = [\"a\"] } }",
                &["bad_value 5:30: the parameter never has this value"],
            ),
            ("args = { calm = { one_of = [true] } }", &[]),
            ("args = { calm = { one_of = [0] } }", &["bad_value 5:29: the parameter never has this value"]),
        ],
        |keys| of_tool("read_file", keys),
    );
    each(
        &[
            ("args = { either = { one_of = [1, \"a\"], max = 2 } }", &[]),
            (
                "args = { either = { one_of = [1.5] } }",
                &["bad_value 5:31: the parameter never has this value"],
            ),
            ("args = { fixed = { one_of = [\"x\"] } }", &[]),
            (
                "args = { fixed = { one_of = [\"y\"] } }",
                &["bad_value 5:30: the parameter never has this value"],
            ),
            ("args = { mixed = { one_of = [1, \"a\"], min = 1 } }", &[]),
            ("args = { mixed = { one_of = [2] } }", &["bad_value 5:30: the parameter never has this value"]),
            (
                "args = { mixed = { one_of = [false] } }",
                &["bad_value 5:30: the parameter never has this value"],
            ),
            ("args = { words = { one_of = [\"b\"] } }", &[]),
            ("args = { words = { min = 1 } }", &["bad_value 5:26: min needs a parameter that is a number"]),
            ("args = { listed = { max = 1 } }", &["bad_value 5:27: max needs a parameter that is a number"]),
            ("args = { table = { one_of = [{ a = 1 }] } }", &[]),
            ("args = { table = { one_of = [1] } }", &["bad_value 5:30: the parameter never has this value"]),
            ("args = { free = { one_of = [1, \"a\", true], min = 1 } }", &[]),
        ],
        |keys| of_tool("odd", keys),
    );
    let bot = |keys: &str| {
        loaded(&format!("[agents.bot]\ntools = [\"*\"]\n[agents.bot.tool_config.read_file]\n{keys}"))
    };
    let forbids =
        bot("args = { offset = { forbid = true }, share = { forbid = false }, path = { max_bytes = 3 } }");
    assert!(allows(&forbids, "read_file", json!({"path": "a", "share": 0.5})));
    assert!(!allows(&forbids, "read_file", json!({"path": "abcd"})));
    let one = bot("args = { form = { one_of = [\"text\"] } }");
    assert!(allows(&one, "read_file", json!({"path": "a", "form": "text"})));
    assert!(!allows(&one, "read_file", json!({"path": "a", "form": "bytes"})));
}

#[test]
fn lists_of_a_tool_allow_and_deny_each_in_its_place() {
    let bot = |tool: &str, keys: &str| {
        loaded(&format!("[agents.bot]\ntools = [\"*\"]\n[agents.bot.tool_config.{tool}]\n{keys}"))
    };
    let web = bot("fetch", "allowed_domains = [\"*.example\"]\ndenied_domains = [\"bad.example\"]");
    assert!(allows(&web, "fetch", json!({"url": "https://good.example/"})));
    assert!(!allows(&web, "fetch", json!({"url": "https://bad.example/"})));
    assert!(!allows(&web, "fetch", json!({"url": "https://elsewhere.test/"})));
    let mail =
        bot("send", "allowed_recipients = [\"*@a.example\"]\ndenied_recipients = [\"boss@a.example\"]");
    assert!(allows(&mail, "send", json!({"to": "me@a.example"})));
    assert!(!allows(&mail, "send", json!({"to": "boss@a.example"})));
    let shell =
        bot("run", "allowed_commands = [\"ls\", \"git status\"]\ndenied_commands = [\"git status --x\"]");
    assert!(allows(&shell, "run", json!({"command": ["git", "status"]})));
    assert!(!allows(&shell, "run", json!({"command": ["rm", "a"]})));
    let files = bot("read_file", "allowed_paths = [\"src/**\"]\ndenied_paths = [\"src/secret\"]");
    assert!(allows(&files, "read_file", json!({"path": "src/a"})));
    assert!(!allows(&files, "read_file", json!({"path": "src/secret"})));
    assert!(!allows(&files, "read_file", json!({"path": "doc/a"})));
    assert!(
        bot("fetch", "approve = \"ask\"").approval("bot", registry().get("fetch").unwrap())
            == Some(ToolApproval::Ask)
    );
}

#[test]
fn programs_that_run_anything_are_warned_about_where_their_list_begins() {
    let policy = loaded(
        "[agents.bot]\ntools = [\"*\"]\n[agents.bot.tool_config.line]\nallowed_commands = [\"bash *\", \"ls\"]\n\
         [agents.bot.tool_config.run]\nallowed_commands = [\"git *\", \"python3 *\"]",
    );
    let told: Vec<String> =
        policy.lint().iter().map(|warning| format!("{} {warning}", warning.code)).collect();
    let expected = |place: &str, program: &str, tool: &str| {
        format!(
            "policy_wide_command {place}: bot may run {program} with any arguments through {tool}, so anything"
        )
    };
    assert_eq!(told, [expected("5:1", "bash", "line"), expected("7:1", "python3", "run")]);
    assert_eq!(loaded("[agents.bot]\ntools = [\"*\"]").lint(), []);
}
