//! Of the calls that models break, how many run as they were meant: at once, and after one repair that follows only the
//! text of the error. (`tests/repair` tells what the corpus is.)

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and tells what it found")]

use repair::figures::by_kind;
use repair::{Figures, Ours, Outcome, corpus};

fn ours() -> Figures {
    Figures::of(&mut Ours::new().unwrap(), &corpus())
}

#[test]
fn most_broken_calls_run_as_meant_at_once_and_nearly_all_after_one_repair() {
    let (figures, cases) = (ours(), corpus());
    for (case, outcome) in &figures.others {
        match outcome {
            Outcome::AtOnce | Outcome::AfterOne => {}
            Outcome::Otherwise => {
                println!("{} {}: ran with other arguments: {}", case.tool, case.kind, case.sent)
            }
            Outcome::Unrepaired { told, sent, then } => {
                println!("{} {}: {}\n  {told}\n  {sent}\n  {then}", case.tool, case.kind, case.sent);
            }
        }
    }
    print!("{}", by_kind(std::slice::from_ref(&figures), &cases));
    let total = figures.total();
    println!("{total:?}");
    assert!(total.calls >= 300, "{total:?}");
    assert!(total.permille(total.at_once) >= 600, "{total:?}");
    assert!(total.permille(total.repaired()) >= 950, "{total:?}");
}
