//! For each check a tool that fails exactly this one, and beside it one like it that fails none. (testing.md, acceptance 2)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at what it cannot build"
)]

mod decoders;
mod definitions;
mod running;

use std::collections::BTreeSet;

use tool_core::test::{CHECKS, Checks};
use tool_core::{Registry, Tool, tool};

use decoders::*;
use definitions::*;
use running::*;

/// Enough values that what is wrong shows, and few enough that all tools take a second.
const VALUES: usize = 128;

fn set<T: Tool>() -> Registry {
    Registry::builder().add::<T>().build().unwrap()
}

fn of(def: &'static tool_core::ToolDef<'static>) -> Registry {
    Registry::builder().add_def(def).build().unwrap()
}

/// A check, tools that fail it, and tools that do not.
struct Row {
    id: &'static str,
    bad: Registry,
    good: Registry,
}

fn row(id: &'static str, bad: Registry, good: Registry) -> Row {
    Row { id, bad, good }
}

fn rows() -> Vec<Row> {
    vec![
        row("lint", set::<SendLetterTool>(), set::<SendLetterOnceTool>()),
        row("fingerprint", set::<CountVisitsTool>(), set::<CountStepsTool>()),
        row("schema-valid", set::<MeasureMadeUpTool>(), set::<MeasureToldTool>()),
        row("examples", set::<AddWronglyTool>(), set::<AddRightlyTool>()),
        row("examples", set::<FindBeyondTool>(), set::<FindWithinTool>()),
        row("defaults", set::<AddToElevenTool>(), set::<AddToTenTool>()),
        row("law-accept", set::<AddToEvenTool>(), set::<AddToByteTool>()),
        row("law-normal", set::<KeepGrowingTool>(), set::<KeepTool>()),
        row("law-refuse", set::<PaintLaxlyTool>(), set::<PaintTool>()),
        row("law-agree", of(&TELL_FIRST), set::<TellAllTool>()),
        row("bounds", of(&CUT_LAXLY), of(&CUT)),
        row("dialects", depending(true), depending(false)),
        row("secret", set::<SignInLoudlyTool>(), set::<SignInTool>()),
        row("secret", set::<SignUpLoudlyTool>(), set::<SignUpTool>()),
        row("secret", set::<OpenSafeLoudlyTool>(), set::<OpenSafeTool>()),
        row("secret", set::<SignOutLoudlyTool>(), set::<SignOutTool>()),
        row("effects", set::<CountGuestsTool>(), set::<CountRoomsTool>()),
        row("effects", set::<RingTool>(), set::<RingTrulyTool>()),
        row("cancel", set::<BuildMessilyTool>(), set::<BuildTool>()),
        row("cancel", set::<WatchForgetfullyTool>(), set::<WatchTool>()),
    ]
}

fn checks(registry: &Registry) -> Checks {
    Checks::of(registry).unwrap().values(VALUES)
}

#[test]
fn each_bad_tool_fails_its_check_and_no_other() {
    for Row { id, bad, .. } in rows() {
        let problems = checks(&bad).watch([ground(false)]).run();
        let told = problems.iter().map(|problem| format!("{problem}\n")).collect::<String>();
        // A lint is told by its own name.
        let ids: BTreeSet<&str> =
            problems.iter().map(|problem| problem.check.split(':').next().unwrap()).collect();
        assert_eq!(ids, BTreeSet::from([id]), "{bad:?}:\n{told}");
        let tools: BTreeSet<&str> = problems.iter().map(|problem| problem.tool.as_str()).collect();
        assert_eq!(tools, bad.iter().map(|tool| tool.name()).collect(), "{told}");
    }
}

#[test]
fn a_check_that_is_left_out_tells_nothing() {
    assert_eq!(checks(&of(&CUT_LAXLY)).skip(["bounds"]).run(), []);
    assert_eq!(checks(&set::<SendLetterTool>()).skip(["lint"]).run(), []);
    assert_eq!(checks(&set::<SendLetterTool>()).skip(["lint:effect-without-context"]).run(), []);
}

#[test]
fn its_good_twin_fails_none() {
    for Row { id, good, .. } in rows() {
        let problems = checks(&good).watch([ground(true)]).run();
        assert!(problems.is_empty(), "{id}: {problems:#?}");
    }
}

#[test]
fn a_read_that_has_another_tool_act_is_told_too() {
    let tools = Registry::builder().add::<AskToRingTool>().add::<AskToCountTool>();
    let tools = tools.add::<RingTrulyTool>().add::<CountRoomsTool>();
    let problems = checks(&tools.build().unwrap()).run();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let [told] = &told[..] else { panic!("{told:?}") };
    assert!(
        told.starts_with("effects ask_to_ring: it tries what it does not declare: ask_to_ring only reads, "),
        "{told}"
    );
}

#[test]
fn every_check_has_a_bad_tool() {
    let shown: BTreeSet<&str> = rows().iter().map(|row| row.id).collect();
    let all: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(all.len(), CHECKS.len(), "a check stands twice");
    assert_eq!(shown, all);
}

#[test]
fn one_failure_lists_every_tool_with_check_place_and_arguments_and_hides_secrets() {
    let tools = Registry::builder().add_def(&CUT_LAXLY).add::<PaintLaxlyTool>().add::<SignInLoudlyTool>();
    let registry = tools.build().unwrap();
    let failed =
        std::thread::spawn(move || tool_core::assert_tools!(registry, values = VALUES)).join().unwrap_err();
    let told = failed.downcast_ref::<String>().unwrap();
    for line in [
        "\n  bounds cut_paper /length: `range` is expected, but it is taken\n    {\"length\":",
        "\n  law-refuse paint_laxly /colour: ",
        "\n  secret sign_in_loudly /password: the secret `password` is in the error of a call\n    {\"password\":\"***\"}\n",
    ] {
        assert!(told.contains(line), "{line:?} is not in\n{told}");
    }
    assert!(!told.contains("canary"), "{told}");
}

#[test]
fn warnings_count_where_that_is_asked_for_and_losses_too() {
    let registry = set::<AddToTenTool>();
    let ids = |checks: Checks| checks.run().into_iter().map(|problem| problem.check).collect::<BTreeSet<_>>();
    assert_eq!(ids(checks(&registry)), BTreeSet::new());
    // `number` and `other` are bytes without a text of more than a word.
    let registry = set::<FindWithinTool>();
    assert_eq!(ids(checks(&registry)), BTreeSet::new());
    assert_eq!(
        ids(checks(&registry).lossless()),
        BTreeSet::from(["dialects".to_owned()]),
        "a pattern is told in words"
    );
    let vague = set::<AddToByteTool>();
    assert_eq!(ids(checks(&vague)), BTreeSet::new());
    assert_eq!(ids(checks(&vague).strict()), BTreeSet::from(["lint:param-vague".to_owned()]));
    assert_eq!(ids(checks(&vague).strict().skip(["lint:param-vague"])), BTreeSet::new());
    let skipped = checks(&registry).skip(["bonds", "lint:no-such-lint", "lint:dialect-relaxed"]).run();
    let told: Vec<String> =
        skipped.iter().map(|problem| format!("{}: {}", problem.check, problem.text)).collect();
    let of = |id: &str| format!("skip: no check is called `{id}`, so it cannot be left out");
    assert_eq!(told, [of("bonds"), of("lint:no-such-lint")]);
}

#[test]
fn every_example_that_is_wrong_is_told() {
    let problems = Checks::of(set::<AddWronglyTool>()).unwrap().values(VALUES).run();
    let told: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "the example \"A small sum\": 4 is expected, and the result is 3",
            "the example \"A large sum\": 121 is expected, and the result is 120"
        ]
    );
}

/// Sends a parcel somewhere.
#[tool(register = false)]
#[example("Two", { "route": ["Bonn", "Ulm"], "zip": "53111" })]
fn send_parcel(
    /// Places, from the first to the last.
    #[arg(len = 2..)]
    route: Vec<String>,
    /// Five figures.
    #[arg(pattern = "^[0-9]+$", len = 5..=5)]
    zip: &str,
) -> String {
    format!("{zip} by {}", route.join(", "))
}

#[test]
fn a_tool_with_several_bounds_of_one_value_is_not_accused() {
    let problems = Checks::of(set::<SendParcelTool>()).unwrap().values(VALUES).run();
    assert_eq!(problems, []);
}
