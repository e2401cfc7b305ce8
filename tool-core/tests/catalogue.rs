//! The stored catalogue: what a sync does to tools and rows, and which rows can be made, taken back and are still in force.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use serde_json::json;
use tool_core::catalogue::{Catalogue, Listed, StoredRow, SyncOptions, SyncReport, dormant_json, listed};
use tool_core::prelude::*;
use tool_core::{ErrorKind, Registry, RowSource};

/// A tool of the group `file` with the tag `disk`.
fn tool(name: &str, aliases: &[&str]) -> Listed {
    Listed {
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        group: Some("file".to_owned()),
        tags: vec!["disk".to_owned()],
        fingerprint: format!("of {name}"),
    }
}

/// A tool that only a harness offers.
fn offered(name: &str) -> Listed {
    Listed { tags: vec!["new".to_owned(), "harness:claude".to_owned()], ..tool(name, &[]) }
}

fn row(agent: &str, pattern: &str) -> StoredRow {
    (agent.to_owned(), pattern.to_owned(), RowSource::Manual)
}

fn of_skill(agent: &str, tool: &str, skill: &str) -> StoredRow {
    (agent.to_owned(), tool.to_owned(), RowSource::Skill(skill.to_owned()))
}

fn synced(tools: &[Listed]) -> Catalogue {
    let mut catalogue = Catalogue::default();
    catalogue.sync(tools, SyncOptions::default()).unwrap();
    catalogue
}

fn names(catalogue: &Catalogue, live: bool) -> Vec<&str> {
    catalogue.tools.iter().filter(|(_, tool)| tool.1 == live).map(|(name, _)| name.as_str()).collect()
}

const PRUNE: SyncOptions = SyncOptions { prune: true, dry_run: false, allow_empty: false };
const DRY: SyncOptions = SyncOptions { prune: false, dry_run: true, allow_empty: false };
const EMPTY: SyncOptions = SyncOptions { prune: false, dry_run: false, allow_empty: true };

#[test]
fn a_sync_tells_what_is_new_changed_gone_and_back_and_nothing_of_what_is_the_same() {
    let mut catalogue = Catalogue::default();
    let (read, write) = (tool("read", &[]), tool("write", &[]));
    let both = [read.clone(), write.clone()];
    let report = catalogue.sync(&both, SyncOptions::default()).unwrap();
    assert_eq!(report, SyncReport { added: vec!["read".into(), "write".into()], ..SyncReport::default() });
    assert_eq!(catalogue.sync(&both, SyncOptions::default()).unwrap(), SyncReport::default());

    let other = Listed { fingerprint: "another".into(), ..read.clone() };
    let report = catalogue.sync(std::slice::from_ref(&other), SyncOptions::default()).unwrap();
    let expected =
        SyncReport { changed: vec!["read".into()], retired: vec!["write".into()], ..SyncReport::default() };
    assert_eq!(report, expected);
    assert_eq!(catalogue.tools["read"].0, other);
    assert_eq!((names(&catalogue, true), names(&catalogue, false)), (vec!["read"], vec!["write"]));
    // Gone since long is not told as gone again.
    assert_eq!(
        catalogue.sync(std::slice::from_ref(&other), SyncOptions::default()).unwrap(),
        SyncReport::default()
    );

    let report = catalogue.sync(&[other, write], SyncOptions::default()).unwrap();
    assert_eq!(report, SyncReport { returned: vec!["write".into()], ..SyncReport::default() });
    assert_eq!(names(&catalogue, false), Vec::<&str>::new());
}

#[test]
fn a_tool_under_another_name_takes_its_rows_along_also_those_that_exclude_it() {
    let mut catalogue = synced(&[tool("read", &[]), tool("list", &[])]);
    for pattern in ["read", "!read", "re*", "list", "!list"] {
        assert!(catalogue.enable("bot", pattern).unwrap(), "{pattern}");
    }
    let report =
        catalogue.sync(&[tool("read_file", &["read"]), tool("list", &[])], SyncOptions::default()).unwrap();
    let renamed = vec![("read".to_owned(), "read_file".to_owned())];
    assert_eq!(report, SyncReport { renamed, ..SyncReport::default() });
    let rows = ["!list", "!read_file", "list", "re*", "read_file"].map(|pattern| row("bot", pattern));
    assert_eq!(catalogue.rows, rows.into());
    assert_eq!(names(&catalogue, true), ["list", "read_file"]);
}

#[test]
fn an_alias_that_another_tool_has_as_its_name_is_no_former_name() {
    let mut catalogue = synced(&[tool("read", &[])]);
    catalogue.enable("bot", "read").unwrap();
    let both = [tool("read", &[]), tool("read_file", &["read"])];
    let report = catalogue.sync(&both, SyncOptions::default()).unwrap();
    assert_eq!(report, SyncReport { added: vec!["read_file".into()], ..SyncReport::default() });
    assert_eq!(catalogue.rows, [row("bot", "read")].into());
}

#[test]
fn rows_of_what_is_gone_sleep_until_it_is_back_or_go_with_it_where_that_is_asked_for() {
    let (read, write) = (tool("read", &[]), tool("write", &[]));
    let mut catalogue = synced(&[read.clone(), write.clone()]);
    for pattern in ["write", "!write", "read", "w*"] {
        catalogue.enable("bot", pattern).unwrap();
    }
    let asleep = vec![row("bot", "!write"), row("bot", "write")];
    let report = catalogue.sync(std::slice::from_ref(&read), SyncOptions::default()).unwrap();
    assert_eq!((&report.retired, &report.dormant), (&vec!["write".to_owned()], &asleep));
    assert_eq!((report.pruned, report.lost_rows), (vec![], vec![]));
    assert_eq!(catalogue.dormant().cloned().collect::<Vec<_>>(), asleep);
    assert_eq!(catalogue.rows.len(), 4);

    let mut back = catalogue.clone();
    back.sync(&[read.clone(), write], SyncOptions::default()).unwrap();
    assert_eq!(back.dormant().count(), 0);

    let report = catalogue.sync(&[read], PRUNE).unwrap();
    assert_eq!((report.pruned, report.lost_rows), (vec!["write".to_owned()], asleep));
    assert_eq!(report.retired, Vec::<String>::new());
    assert_eq!(catalogue.rows, [row("bot", "read"), row("bot", "w*")].into());
    assert_eq!((names(&catalogue, true), names(&catalogue, false)), (vec!["read"], vec![]));
}

#[test]
fn a_dry_run_reports_the_same_and_changes_nothing() {
    let mut catalogue = synced(&[tool("read", &[])]);
    let before = catalogue.clone();
    let next = [tool("write", &[])];
    let dry = catalogue.sync(&next, DRY).unwrap();
    assert_eq!(catalogue, before);
    assert_eq!(dry, catalogue.sync(&next, SyncOptions::default()).unwrap());
    assert_ne!(catalogue, before);
}

#[test]
fn names_that_are_none_and_a_registry_without_tools_change_nothing() {
    let mut catalogue = synced(&[tool("read", &[])]);
    let before = catalogue.clone();
    let bad = catalogue
        .sync(&[tool("a b", &[]), tool("write", &[]), tool("", &[])], SyncOptions::default())
        .unwrap_err();
    assert_eq!((bad.kind(), bad.code_str()), (ErrorKind::InvalidArgs, "bad_tool_name"));
    assert_eq!(bad.message(), "2 names cannot be names of tools.");
    assert_eq!(bad.details()["names"], json!(["a b", ""]));
    let none = catalogue.sync(&[], SyncOptions::default()).unwrap_err();
    assert_eq!((none.kind(), none.code_str()), (ErrorKind::Conflict, "registry_empty"));
    assert_eq!(none.hint_str(), Some("check what is linked, or say --allow-empty"));
    assert_eq!(catalogue, before);

    let report = catalogue.sync(&[], EMPTY).unwrap();
    assert_eq!(report, SyncReport { retired: vec!["read".into()], ..SyncReport::default() });
}

#[test]
fn a_report_has_what_there_was_and_says_which_rows_sleep() {
    assert_eq!(SyncReport::default().to_json(), json!({}));
    let report = SyncReport {
        added: vec!["a".into()],
        renamed: vec![("b".into(), "c".into())],
        lost_rows: vec![of_skill("bot", "d", "notes")],
        dormant: vec![row("bot", "!e"), row("bot", "f")],
        ..SyncReport::default()
    };
    let expected = json!({
        "added": ["a"],
        "renamed": [["b", "c"]],
        "lost_rows": [["bot", "d", "skill:notes"]],
        "warnings": [
            {"code": "exclusion_dormant", "agent": "bot", "tool": "e", "source": "manual"},
            {"code": "row_dormant", "agent": "bot", "tool": "f", "source": "manual"},
        ],
    });
    assert_eq!(report.to_json(), expected);
    assert_eq!(dormant_json(&row("bot", "f")), expected["warnings"][1]);
}

#[test]
fn a_row_is_made_once_under_the_name_of_the_tool_and_only_for_tools_that_are_there() {
    let mut catalogue = synced(&[tool("read_file", &["read"]), tool("old", &[])]);
    catalogue.sync(&[tool("read_file", &["read"])], SyncOptions::default()).unwrap();
    assert!(catalogue.enable("bot", "read").unwrap());
    assert!(!catalogue.enable("bot", "read_file").unwrap());
    assert!(catalogue.enable("bot", "!read").unwrap());
    assert!(catalogue.enable("bot", "group:nothing").unwrap());
    let rows = [row("bot", "!read_file"), row("bot", "group:nothing"), row("bot", "read_file")];
    assert_eq!(catalogue.rows, rows.into());

    // Retired is not there.
    for (pattern, hint) in [("old", None), ("read_fil", Some("did you mean: read_file?"))] {
        let error = catalogue.enable("bot", pattern).unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotFound, "unknown_tool"), "{pattern}");
        assert_eq!(error.hint_str(), hint, "{pattern}");
        assert_eq!(error.details()["tools"], json!([pattern]));
    }
    assert_eq!(catalogue.enable("bot", "[").unwrap_err().code_str(), "bad_pattern");
    assert_eq!(catalogue.rows.len(), 3);
}

#[test]
fn what_only_a_harness_offers_is_granted_to_nobody() {
    let mut catalogue = synced(&[tool("read", &[]), offered("edit"), offered("think")]);
    let error = catalogue.enable("bot", "edit").unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::InvalidArgs, "harness_not_grantable"));
    let tools = ["read", "edit", "think"].map(str::to_owned);
    let error = catalogue.skill_on("bot", "notes", &tools, true).unwrap_err();
    assert_eq!(error.message(), "Only a harness offers edit, think.");
    assert_eq!(error.details()["tools"], json!(["edit", "think"]));
    assert_eq!(catalogue.rows.len(), 0);

    catalogue.enable("bot", "*").unwrap();
    assert_eq!(catalogue.granted("bot"), ["read"]);
}

#[test]
fn what_is_disabled_is_gone_and_what_still_enables_it_is_told() {
    let mut catalogue = synced(&[tool("read_file", &["read"]), tool("write", &[])]);
    for pattern in ["read", "group:file", "tag:disk", "w*", "!read"] {
        catalogue.enable("bot", pattern).unwrap();
    }
    catalogue.enable("other", "read").unwrap();
    let still = vec![row("bot", "group:file"), row("bot", "tag:disk")];
    let mut by_alias = catalogue.clone();
    assert_eq!(by_alias.disable("bot", "read").unwrap(), (true, still.clone()));
    assert!(!by_alias.rows.contains(&row("bot", "read_file")));
    assert!(by_alias.rows.contains(&row("other", "read_file")));
    assert!(by_alias.rows.contains(&row("bot", "!read_file")));
    assert_eq!(by_alias.disable("bot", "read").unwrap(), (false, still.clone()));

    assert_eq!(catalogue.disable("bot", "read_file").unwrap(), (true, still));
    assert!(catalogue.disable("bot", "!read").unwrap().0);
    let (changed, still) = catalogue.disable("bot", "group:none").unwrap();
    assert_eq!((changed, still), (false, vec![]));
    let (changed, still) = catalogue.disable("bot", "group:file").unwrap();
    assert_eq!((changed, still), (true, vec![row("bot", "tag:disk"), row("bot", "w*")]));
}

#[test]
fn only_what_no_tool_has_or_had_as_its_name_cannot_be_disabled() {
    let mut catalogue = synced(&[tool("read", &[]), tool("old", &[])]);
    catalogue.enable("bot", "old").unwrap();
    catalogue.sync(&[tool("read", &["old_read"])], SyncOptions::default()).unwrap();
    assert_eq!(catalogue.disable("bot", "old").unwrap(), (true, vec![]));
    assert_eq!(catalogue.disable("bot", "old").unwrap(), (false, vec![]));
    let error = catalogue.disable("bot", "raed").unwrap_err();
    assert_eq!(error.code_str(), "unknown_tool");
    assert_eq!(error.hint_str(), Some("did you mean: read?"));
    assert_eq!(catalogue.disable("", "read").unwrap_err().code_str(), "bad_agent");
    assert_eq!(catalogue.disable("bot", "[").unwrap_err().code_str(), "bad_pattern");
}

#[test]
fn a_row_under_the_name_of_a_retired_tool_is_not_taken_for_one_of_the_tool_that_has_it_as_an_alias() {
    let mut catalogue = synced(&[tool("old", &[]), tool("new", &[])]);
    catalogue.enable("bot", "new").unwrap();
    // `new` is there under its name, so `old` is retired and stays `old`, although it is an alias from now on.
    catalogue.tools.get_mut("old").unwrap().1 = false;
    catalogue.tools.get_mut("new").unwrap().0.aliases.push("old".to_owned());
    assert!(!catalogue.disable("bot", "old").unwrap().0);
    assert_eq!(catalogue.rows, [row("bot", "new")].into());
}

#[test]
fn a_skill_has_the_rows_of_its_tools_and_those_only() {
    let mut catalogue = synced(&[tool("read_file", &["read"]), tool("write", &[]), tool("list", &[])]);
    catalogue.enable("bot", "list").unwrap();
    let on = |catalogue: &mut Catalogue, agent: &str, skill: &str, tools: &[&str]| {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        catalogue.skill_on(agent, skill, &tools, false)
    };
    let rows = on(&mut catalogue, "bot", "notes", &["read", "list"]).unwrap();
    assert_eq!(rows, [of_skill("bot", "read_file", "notes"), of_skill("bot", "list", "notes")]);
    on(&mut catalogue, "bot", "drafts", &["write"]).unwrap();
    on(&mut catalogue, "other", "notes", &["write"]).unwrap();
    // On again, with other tools: these instead.
    on(&mut catalogue, "bot", "notes", &["write"]).unwrap();
    let expected = [
        row("bot", "list"),
        of_skill("bot", "write", "drafts"),
        of_skill("bot", "write", "notes"),
        of_skill("other", "write", "notes"),
    ];
    assert_eq!(catalogue.rows, expected.into());

    assert_eq!(catalogue.skill_off("bot", "notes").unwrap(), [of_skill("bot", "write", "notes")]);
    assert_eq!(catalogue.rows.len(), 3);
    let error = catalogue.skill_off("bot", "notes").unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotFound, "unknown_skill"));
    assert_eq!(error.message(), "The skill `notes` is not on for bot.");
    assert_eq!(catalogue.skill_off("bot", "other").unwrap_err().code_str(), "unknown_skill");
    assert_eq!(on(&mut catalogue, "a\nb", "notes", &["write"]).unwrap_err().code_str(), "bad_agent");
}

#[test]
fn tools_that_a_skill_names_must_be_there_unless_they_may_be_missing() {
    let mut catalogue = synced(&[tool("read_file", &["read"]), tool("old", &[])]);
    catalogue.sync(&[tool("read_file", &["read"])], SyncOptions::default()).unwrap();
    let tools = ["read", "raed_file", "old"].map(str::to_owned);
    let error = catalogue.skill_on("bot", "notes", &tools, false).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotFound, "unknown_tool"));
    assert_eq!(error.message(), "There is no tool `raed_file`, `old`.");
    assert_eq!(error.details()["tools"], json!(["raed_file", "old"]));
    assert_eq!(catalogue.rows.len(), 0);

    let rows = catalogue.skill_on("bot", "notes", &tools, true).unwrap();
    let expected = ["read_file", "raed_file", "old"].map(|tool| of_skill("bot", tool, "notes"));
    assert_eq!(rows, expected);
    assert_eq!(catalogue.dormant().count(), 2);
    assert_eq!(catalogue.granted("bot"), ["read_file"]);
}

#[test]
fn what_is_granted_is_live_and_not_excluded() {
    let mut catalogue = synced(&[tool("read", &[]), tool("write", &[]), tool("list", &[])]);
    assert_eq!(catalogue.granted("bot"), Vec::<&str>::new());
    catalogue.enable("bot", "group:file").unwrap();
    catalogue.enable("bot", "!write").unwrap();
    catalogue.enable("other", "write").unwrap();
    catalogue.enable("other", "!read").unwrap();
    assert_eq!(catalogue.granted("bot"), ["list", "read"]);
    assert_eq!(catalogue.granted("other"), ["write"]);
    catalogue.sync(&[tool("read", &[])], SyncOptions::default()).unwrap();
    assert_eq!(catalogue.granted("bot"), ["read"]);
}

#[test]
fn the_name_of_an_agent_has_200_bytes_at_most_and_can_be_shown() {
    let mut catalogue = synced(&[tool("read", &[])]);
    let (most, more) = ("n".repeat(200), "n".repeat(201));
    for (agent, why) in [
        ("", "it is empty"),
        (more.as_str(), "it is longer than 200 bytes"),
        ("a\u{1b}[2J", "it has control characters"),
    ] {
        let error = catalogue.enable(agent, "read").unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::InvalidArgs, "bad_agent"));
        assert_eq!(error.message(), format!("This cannot be the name of an agent: {why}."));
    }
    assert!(catalogue.enable(&most, "read").unwrap());
    assert!(catalogue.enable("Änne 7", "read").unwrap());
}

/// Reads a note.
#[tool(name = "note_read", aliases = ["read_note"], group = "note", tags = ["text", "small"], register = false)]
fn read_note() -> u64 {
    1
}

#[test]
fn tools_are_listed_as_they_are_defined() {
    let registry = Registry::builder().add::<ReadNoteTool>().build().unwrap();
    let expected = Listed {
        name: "note_read".into(),
        aliases: vec!["read_note".into()],
        group: Some("note".into()),
        tags: vec!["small".into(), "text".into()],
        fingerprint: "f of note_read".into(),
    };
    assert_eq!(listed(&registry, |tool| format!("f of {}", tool.name())), [expected]);
}
