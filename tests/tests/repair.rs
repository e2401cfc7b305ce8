//! Of the calls that models break, how many run as they were meant: at once, and after one repair that follows only the
//! text of the error. (`tests/repair` tells what the corpus is.)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use repair::figures::{MARKS, by_kind, told};
use repair::{Figures, Ours, corpus};

const README: &str = include_str!("../../README.md");

fn ours() -> Figures {
    Figures::of(&mut Ours::new().unwrap(), &corpus())
}

#[test]
fn most_broken_calls_run_as_meant_at_once_and_nearly_all_after_one_repair() {
    let (figures, cases) = (ours(), corpus());
    print!("{}{}", told(&figures), by_kind(std::slice::from_ref(&figures), &cases));
    let total = figures.total();
    println!("{total:?}");
    assert!(total.calls >= 300, "{total:?}");
    assert!(total.at_once * 100 >= total.calls * 60, "{total:?}");
    assert!(total.repaired() * 100 >= total.calls * 95, "{total:?}");
}

#[test]
fn what_is_lenient_never_changes_what_was_meant() {
    let figures = ours();
    let changed: Vec<&str> = figures
        .kinds
        .iter()
        .filter(|(_, count)| count.otherwise > 0)
        .map(|(kind, _)| kind.as_str())
        .collect();
    // Text is never split on commas: a list in one text is a list of one. (arguments.md §4)
    assert_eq!(changed, ["separated_list"]);
}

#[test]
fn the_readme_has_the_figures_of_a_run() {
    let table = README.split_once(MARKS.0).and_then(|(_, rest)| rest.split_once(MARKS.1)).unwrap().0;
    let row = ours().row();
    assert!(table.contains(&row), "{row}\nis not in\n{table}\n`repair-peers --write` renews it");
    assert!(
        README.contains(&format!("{} broken calls of twelve tools", corpus().len())),
        "the number of calls"
    );
}
