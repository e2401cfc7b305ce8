//! A policy file as a whole: its version, its two forms, TOML, its name and its size.

use super::*;

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
