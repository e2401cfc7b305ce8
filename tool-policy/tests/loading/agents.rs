//! The keys of an agent and of the defaults.

use super::*;

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
