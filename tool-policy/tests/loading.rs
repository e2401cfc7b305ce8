//! What a policy file is read as, and every mistake in one, with its place and what would be right. (calls.md §4)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at what it cannot build"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, Behavior, DynTool, ErrorKind, Limits, Policy as _, PolicyRequest, Rate, Registry,
    ToolApproval,
};
use tool_policy::{Paths, Policy, Syntax};

/// Reads.
#[tool(group = "file", aliases = ["cat"], register = false)]
fn read_file(
    /// What.
    #[arg(hint = "file")]
    path: &str,
    /// From where.
    offset: Option<i64>,
    /// How much of it.
    share: Option<f64>,
    /// As what.
    form: Option<Form>,
    /// With what.
    flags: Option<Vec<String>>,
    /// Calmly.
    calm: bool,
) -> String {
    format!("{path} {offset:?} {share:?} {} {flags:?} {calm}", form.is_some())
}

/// How a file is read.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

/// Fetches.
#[tool(group = "web", register = false)]
fn fetch(
    /// From where.
    #[arg(hint = "url")]
    url: &str,
) -> String {
    url.to_owned()
}

/// Sends.
#[tool(group = "mail", side_effect, idempotent = false, register = false)]
fn send(
    /// To whom.
    #[arg(hint = "email")]
    to: &str,
) -> String {
    to.to_owned()
}

/// Runs a command.
#[tool(group = "shell", side_effect, idempotent = false, register = false)]
fn run(
    /// Which.
    #[arg(hint = "command")]
    command: Vec<String>,
) -> String {
    command.join(" ")
}

/// Runs a line.
#[tool(group = "shell", side_effect, idempotent = false, register = false)]
fn line(
    /// Which.
    #[arg(hint = "shell")]
    line: &str,
) -> String {
    line.to_owned()
}

/// A tool with a schema that no type has.
fn odd() -> DynTool {
    let schema = json!({"type": "object", "properties": {
        "either": {"type": ["integer", "string"]},
        "fixed": {"const": "x"},
        "mixed": {"anyOf": [{"type": "string"}, {"enum": [1, true]}]},
        "table": {"type": "object"},
        "free": {},
    }});
    let tool = DynTool::builder("odd").description("Is odd.").behavior(Behavior::READ).input_schema(schema);
    tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap()
}

fn registry() -> Registry {
    let tools = Registry::builder().add::<ReadFileTool>().add::<FetchTool>().add::<SendTool>();
    tools.add::<RunTool>().add::<LineTool>().add_dyn(odd()).build().unwrap()
}

fn load(text: &str, syntax: Syntax) -> Result<Policy, Vec<String>> {
    let loaded = Policy::load("p", text, syntax, &registry(), Paths::new("/work"));
    loaded.map_err(|error| {
        let told = |mistake: &tool_policy::Mistake| {
            format!("{} {mistake}", &mistake.code.as_str()["policy_".len()..])
        };
        error.mistakes.iter().map(told).collect()
    })
}

fn toml(text: &str) -> Result<Policy, Vec<String>> {
    load(text, Syntax::Toml)
}

fn yaml(text: &str) -> Result<Policy, Vec<String>> {
    load(text, Syntax::Yaml)
}

/// The mistakes of keys of the agent `bot`, which stand from line 3 on.
fn of_agent(keys: &str) -> Vec<String> {
    toml(&format!("version = 1\n[agents.bot]\n{keys}\n")).err().unwrap_or_default()
}

/// The mistakes of keys of a tool of the agent `bot`, which stand from line 5 on.
fn of_tool(tool: &str, keys: &str) -> Vec<String> {
    of_agent(&format!("tools = [\"*\"]\n[agents.bot.tool_config.{tool}]\n{keys}"))
}

/// Compares each text's mistakes with what is expected.
fn each(rows: &[(&str, &[&str])], mistakes: impl Fn(&str) -> Vec<String>) {
    for (text, expected) in rows {
        assert_eq!(mistakes(text), *expected, "{text}");
    }
}

fn loaded(keys: &str) -> Policy {
    toml(&format!("version = 1\n{keys}\n")).unwrap()
}

fn allows(policy: &Policy, tool: &str, args: serde_json::Value) -> bool {
    let registry = registry();
    let tool = registry.get(tool).unwrap();
    policy.judge(&PolicyRequest { agent: "bot", tool, args: &args, given: &[] }).is_ok()
}

#[test]
fn a_file_has_a_version_agents_in_one_of_two_forms_and_no_other_keys() {
    each(
        &[
            ("", &["version 1:1: version = 1 is missing"]),
            ("version = 1", &[]),
            ("version = 2", &["version 1:11: the version must be 1"]),
            ("version = \"1\"", &["version 1:11: the version must be 1"]),
            ("version = 1\nagent = 1", &["unknown_key 2:1: unknown key \"agent\"; did you mean \"agents\"?"]),
            ("version = 1\nagents = 1", &["bad_value 2:10: expected a table, found a whole number"]),
            ("version = 1\n[agents]\nbot = []", &["bad_value 3:7: expected a table, found a list"]),
            (
                "version = 1\n[agents.a]\n[[listeners]]\nname = \"b\"",
                &["duplicate 3:3: agents and listeners cannot both be in one file"],
            ),
            (
                "version = 1\nlisteners = {}",
                &["bad_value 2:13: expected a list of agents, each with a name, found a table"],
            ),
            (
                "version = 1\n[[listeners]]\nname = 5",
                &["bad_value 3:8: expected the agent's name, found a whole number"],
            ),
            (
                "version = 1\n[[listeners]]\nname = \"\"",
                &["bad_value 3:8: expected the agent's name, found a text"],
            ),
            ("version = 1\n[[listeners]]\ntools = []", &["bad_value 2:1: the agent's name is missing"]),
            (
                "version = 1\n[[listeners]]\nname = \"a\"\n[[listeners]]\nname = \"a\"",
                &["duplicate 5:8: the agent \"a\" stands here twice"],
            ),
            (
                "version = 1\n[agents.a]\nname = \"b\"",
                &["unknown_key 3:1: unknown key \"name\"; did you mean \"rate\"?"],
            ),
        ],
        |text| toml(text).err().unwrap_or_default(),
    );
    let both = loaded("[[listeners]]\nname = \"a\"\n[[listeners]]\nname = \"b\"\ntools = [\"fetch\"]");
    assert_eq!(both.agents().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((both.rows("a").len(), both.rows("b").len()), (0, 1));
    assert!(both.knows("a") && !both.knows("c"));
}

#[test]
fn the_syntax_of_toml_is_told_by_its_first_mistake() {
    let mistakes = toml("version = 1\nversion = 1").err().unwrap();
    assert_eq!(mistakes.len(), 1);
    assert!(mistakes[0].starts_with("syntax 2:1: duplicate key"), "{mistakes:?}");
    let mistakes = toml("version = 1\n[agents.\u{e9}]").err().unwrap();
    assert!(mistakes[0].starts_with("syntax 2:9: "), "{mistakes:?}");
    each(
        &[
            (
                "rate = 1979-05-27",
                &[
                    "bad_value 3:8: expected a rate such as \"100/min\": N/s, N/min, N/h or N/day, N up to 1000000, found a date",
                ],
            ),
            (
                "burst = 99999999999999999999",
                &[
                    "bad_value 3:9: expected a whole number from 1 to 1000000, found a number that is too large",
                ],
            ),
            ("burst = 0x1_0\nrate = \"9/s\"", &[]),
            ("burst = 1.5", &["bad_value 3:9: expected a whole number from 1 to 1000000, found a number"]),
            ("tools = true", &["bad_value 3:9: expected a list of tools, found a boolean"]),
            ("flags = { a = 1 }", &["bad_value 3:15: expected true or false, found a whole number"]),
        ],
        of_agent,
    );
    // As deep as may be, and one deeper.
    let nested = |depth: usize| format!("version = 1\nagents = {}1{}", "[".repeat(depth), "]".repeat(depth));
    let of = |depth: usize| toml(&nested(depth)).err().unwrap()[0].clone();
    assert_eq!(of(14), "bad_value 2:10: expected a table, found a list");
    assert!(of(15).starts_with("too_large 2:25: nested deeper than 16"), "{}", of(15));
}

#[test]
fn yaml_is_read_by_its_core_schema_and_without_what_would_hide_something() {
    each(
        &[
            ("", &[]),
            ("# nothing", &[]),
            ("~", &[]),
            ("version: 1\nagents:\n  bot:\n", &[]),
            ("version: 2", &["version 1:10: the version must be 1"]),
            ("[a]", &["bad_value 1:1: expected a table, found a list"]),
            ("agents: &a {}", &["yaml_feature 1:9: an anchor"]),
            ("version: &a 1", &["yaml_feature 1:10: an anchor"]),
            ("version: !!int 1", &["yaml_feature 1:10: a tag"]),
            ("agents: !!map {}", &["yaml_feature 1:9: a tag"]),
            (
                "agents:\n  bot: &a {}\n  cat: *a",
                &["yaml_feature 2:8: an anchor", "yaml_feature 3:8: an alias"],
            ),
            ("agents:\n  bot:\n    <<: {}", &["yaml_feature 3:5: a merge key"]),
            ("agents:\n  bot:\n    \"<<\": {}", &["unknown_key 3:5: unknown key \"<<\""]),
            ("version: 1\n---\nversion: 1", &["yaml_feature 2:1: a second document"]),
            ("agents: {}\nagents: {}", &["syntax 2:1: the key \"agents\" stands here twice"]),
            ("? [a]\n: 1", &["syntax 1:3: a key must be a text"]),
        ],
        |text| yaml(text).err().unwrap_or_default(),
    );
    let mistakes = yaml("agents: [").err().unwrap();
    assert!(mistakes.len() == 1 && mistakes[0].starts_with("syntax "), "{mistakes:?}");
    let mistakes = yaml("agents:\n  bot: {a: 1}}").err().unwrap();
    assert!(mistakes[0].starts_with("syntax 2:14: "), "{mistakes:?}");
    let nested = |depth: usize| format!("agents: {}1{}", "[".repeat(depth), "]".repeat(depth));
    let of = |depth: usize| yaml(&nested(depth)).err().unwrap();
    assert_eq!(of(14), ["bad_value 1:9: expected a table, found a list"]);
    assert_eq!(of(15), ["too_large 1:24: nested deeper than 16"]);
    let nested = |depth: usize| format!("? {}1{}\n: 1", "[".repeat(depth), "]".repeat(depth));
    let of = |depth: usize| yaml(&nested(depth)).err().unwrap();
    assert_eq!(of(14), ["syntax 1:3: a key must be a text"]);
    assert_eq!(of(15), ["too_large 1:18: nested deeper than 16"]);
    let nested = |depth: usize| format!("agents: {}1{}", "{a: ".repeat(depth), "}".repeat(depth));
    let of = |depth: usize| yaml(&nested(depth)).err().unwrap_or_default();
    assert!(of(15)[0].starts_with("too_large 1:"), "{:?}", of(15));
    assert!(!of(14)[0].starts_with("too_large"), "{:?}", of(14));
}

#[test]
fn what_stands_plain_in_yaml_is_what_the_core_schema_says() {
    let found = |text: &str| {
        let mistakes = yaml(&format!("agents:\n  bot:\n    tools: {text}")).err().unwrap();
        mistakes[0].rsplit_once("found ").expect(text).1.to_owned()
    };
    for (what, texts) in [
        ("nothing", ["~", "null", "Null", "NULL", ""].as_slice()),
        ("a boolean", &["true", "True", "TRUE", "false", "False", "FALSE"]),
        ("a whole number", &["0", "-7", "+7", "0o17", "0x1f", "9223372036854775807"]),
        ("a number", &["1.5", ".5", "-.5", "1e3", "1.", "+1.5E-3", "9223372036854775808"]),
        (
            "a text",
            &[
                "yes", "no", "on", "nUll", "tRue", "0b1", "0x", "0x-1", "0o8", "+", ".", "1_000", "1,5",
                "e5", "\"1\"", "'true'", ".inf",
            ],
        ),
    ] {
        for text in texts {
            assert_eq!(found(text), what, "{text}");
        }
    }
    let rate = |burst: &str| {
        let text = format!("agents:\n  bot:\n    rate: 9/s\n    burst: {burst}\n");
        yaml(&text).unwrap().agent_limits("bot").rate.unwrap().burst
    };
    assert_eq!((rate("0o17"), rate("0x1f"), rate("+7")), (15, 31, 7));
}

#[test]
fn every_key_of_an_agent_is_checked_where_it_stands() {
    let rate = "expected a rate such as \"100/min\": N/s, N/min, N/h or N/day, N up to 1000000";
    each(
        &[
            (
                "tools = [\"fetch\", \"file*\", \"group:web\", \"!send\", \"agent:writer\", \"cat\"]",
                &["no_effect 3:19: \"file*\" matches no tool"],
            ),
            (
                "tools = [\"fetch\", 5, \"fetch\"]",
                &[
                    "bad_value 3:19: expected a text, found a whole number",
                    "duplicate 3:22: \"fetch\" stands here twice",
                ],
            ),
            ("tools = [\"fetsh\"]", &["unknown_tool 3:10: unknown tool \"fetsh\"; did you mean \"fetch\"?"]),
            ("tools = [\"zzzz\"]", &["unknown_tool 3:10: unknown tool \"zzzz\""]),
            ("tools = [\"group:nothing\"]", &["no_effect 3:10: \"group:nothing\" matches no tool"]),
            ("tols = []", &["unknown_key 3:1: unknown key \"tols\"; did you mean \"tools\"?"]),
            (
                "approve = \"allways\"",
                &[
                    "bad_value 3:11: expected one of never, destructive, side_effect, always; did you mean \"always\"?",
                ],
            ),
            ("approve = 1", &["bad_value 3:11: expected one of never, destructive, side_effect, always"]),
            ("rate = \"5/week\"", &[&format!("bad_value 3:8: {rate}, found a text")]),
            ("burst = 5", &["no_effect 3:1: burst does nothing without rate"]),
            (
                "burst = 0\nrate = \"5/s\"",
                &["bad_value 3:9: expected a whole number from 1 to 1000000, found a whole number"],
            ),
            (
                "burst = 1000001\nrate = \"5/s\"",
                &["bad_value 3:9: expected a whole number from 1 to 1000000, found a whole number"],
            ),
            ("burst = 1000000\nrate = \"5/s\"", &[]),
            (
                "max_concurrent = 4294967296",
                &["bad_value 3:18: expected a whole number from 1 to 4294967295, found a whole number"],
            ),
            ("max_concurrent = 4294967295", &[]),
            (
                "max_calls_per_run = 0",
                &[
                    "bad_value 3:21: expected a whole number from 1 to 9223372036854775807, found a whole number",
                ],
            ),
            ("tool_config = 1", &["bad_value 3:15: expected a table, found a whole number"]),
            (
                "tools = [\"*\"]\ntool_config = { fetch = {}, fetsh = {} }",
                &["unknown_tool 4:29: unknown tool \"fetsh\"; did you mean \"fetch\"?"],
            ),
            (
                "tools = [\"*\"]\ntool_config = { read_file = {}, cat = {} }",
                &["duplicate 4:33: read_file is configured here twice"],
            ),
            (
                "tools = [\"send\"]\ntool_config = { fetch = {} }",
                &["no_effect 4:17: fetch is not among the tools of this agent"],
            ),
            (
                "tools = [\"*\", \"!fetch\"]\ntool_config = { fetch = {} }",
                &["no_effect 4:17: fetch is not among the tools of this agent"],
            ),
        ],
        of_agent,
    );
    let mistakes = of_agent("tools = [\"[\"]");
    assert!(mistakes.len() == 1 && mistakes[0].starts_with("bad_pattern 3:10: "), "{mistakes:?}");
    assert!(!mistakes[0].ends_with('.'), "{mistakes:?}");
}

#[test]
fn an_agent_has_what_the_defaults_say_where_it_says_nothing() {
    let defaults = "[defaults]\ntools = [\"fetch\"]\nflags = { beta = true }\napprove = \"never\"\nrate = \"60/min\"\nburst = 5\n\
                    max_concurrent = 3\nmax_calls_per_run = 9\ntool_config = { fetch = { timeout = \"2s\" } }\n";
    let policy = loaded(&format!(
        "{defaults}[agents.plain]\n[agents.own]\ntools = [\"send\", \"fetch\"]\nflags = {{ alpha = false }}\napprove = \"always\"\n\
         rate = \"7/s\"\nmax_concurrent = 1\nmax_calls_per_run = 2\ntool_config = {{ send = {{ timeout = \"3s\" }} }}\n\
         [agents.burst]\nburst = 6"
    ));
    let registry = registry();
    let patterns = |agent: &str| -> Vec<String> {
        policy.rows(agent).iter().map(|row| row.pattern().exact_name().unwrap().to_owned()).collect()
    };
    let minute = |count, burst| Rate { count, period: Duration::from_secs(60), burst };
    let (fetch, send) = (registry.get("fetch").unwrap(), registry.get("send").unwrap());
    assert_eq!(
        (patterns("plain"), patterns("own")),
        (vec!["fetch".to_owned()], vec!["send".to_owned(), "fetch".to_owned()])
    );
    assert_eq!(policy.flags("plain"), [("beta".to_owned(), true)]);
    assert_eq!(policy.flags("own"), [("alpha".to_owned(), false)]);
    assert_eq!(policy.approval("plain", fetch), Some(ToolApproval::Never));
    assert_eq!(policy.approval("own", fetch), Some(ToolApproval::Level(ApprovalLevel::Always)));
    let limits = |agent: &str| policy.agent_limits(agent);
    let expected = Limits {
        rate: Some(minute(60, 5)),
        max_concurrent: Some(3),
        max_calls_per_run: Some(9),
        ..Limits::default()
    };
    assert_eq!(limits("plain"), expected);
    assert_eq!(limits("burst").rate, Some(minute(60, 6)));
    // A rate of one's own has its own burst, not that of another rate.
    assert_eq!(limits("own").rate, Rate::parse("7/s", None));
    assert_eq!((limits("own").max_concurrent, limits("own").max_calls_per_run), (Some(1), Some(2)));
    let timeout = |agent: &str, tool| policy.tool_limits(agent, tool).timeout;
    assert_eq!((timeout("plain", fetch), timeout("own", fetch)), (Some(Duration::from_secs(2)), None));
    assert_eq!(timeout("own", send), Some(Duration::from_secs(3)));

    let silent = loaded("[agents.bot]\ntools = [\"fetch\"]");
    assert_eq!(silent.approval("bot", fetch), Some(ToolApproval::Level(ApprovalLevel::Destructive)));
    assert_eq!((silent.agent_limits("bot"), silent.flags("bot")), (Limits::default(), vec![]));
}

#[test]
fn what_the_defaults_have_wrong_is_told_once_and_so_is_what_no_agent_could_use() {
    let of = |text: &str| toml(text).err().unwrap_or_default();
    let two = "[agents.a]\n[agents.b]";
    assert_eq!(
        of(&format!("version = 1\n{two}\n[defaults]\nburst = 5")),
        ["no_effect 5:1: burst does nothing without rate"]
    );
    assert_eq!(
        of("version = 1\n[defaults.tool_config.fetch]\ntimeout = \"1s\"\n[agents.a]\ntools = [\"send\"]"),
        ["no_effect 2:23: fetch is not among the tools of any agent"]
    );
    assert_eq!(
        of(
            "version = 1\n[defaults.tool_config.fetch]\n[agents.a]\ntools = [\"send\"]\n[agents.b]\ntools = [\"fetch\"]"
        ),
        [""; 0]
    );
}

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
            ("args = { mixed = { one_of = [1, \"a\"] } }", &[]),
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

#[test]
fn a_file_is_read_by_the_end_of_its_name_and_up_to_its_size() {
    let folder = tool_trials::directory();
    let read = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Policy::read(&path, &registry(), Paths::new("/work")).map(drop)
    };
    let good = [("p.toml", "version = 1"), ("p.yaml", "version: 1"), ("p.yml", "version: 1")];
    assert!(good.iter().all(|(name, text)| read(name, text).is_ok()));
    let other = read("p.json", "{}").unwrap_err();
    assert_eq!((other.kind(), other.code_str()), (ErrorKind::NotConfigured, "policy_unreadable"));
    assert_eq!(other.hint_str(), Some("name it .toml, .yaml or .yml"));
    let gone = Policy::read(Path::new("/nowhere/p.toml"), &registry(), Paths::new("/work")).unwrap_err();
    assert_eq!(gone.code_str(), "policy_unreadable");
    let wrong = read("wrong.toml", "version = 1\ntool = 1\nagent = 1").unwrap_err();
    assert_eq!(wrong.code_str(), "policy_unknown_key");
    let name = folder.path().join("wrong.toml").display().to_string();
    assert_eq!(
        wrong.message(),
        format!(
            "{name}:2:1: unknown key \"tool\"\n{name}:3:1: unknown key \"agent\"; did you mean \"agents\"?"
        )
    );
    assert_eq!(
        wrong.details()["mistakes"][1],
        json!({"line": 3, "column": 1, "code": "policy_unknown_key", "text": "unknown key \"agent\"", "suggestion": "agents"})
    );
    let comment = |bytes: usize| format!("version = 1\n#{}", "x".repeat(bytes - 13));
    let most = 1 << 20;
    assert!(toml(&comment(most)).is_ok());
    assert_eq!(
        toml(&comment(most + 1)).err().unwrap(),
        [format!("too_large 1:1: the file has more than {most} bytes")]
    );
}
