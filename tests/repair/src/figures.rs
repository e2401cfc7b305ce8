//! How many calls went how: in all, by kind, and as the table of the README.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::case::{Case, kinds};
use crate::subject::Subject;
use crate::trial::{Outcome, trial};

/// How many calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// That were sent.
    pub calls: usize,
    /// That the function received as meant.
    pub at_once: usize,
    /// That it did after one repair.
    pub after_one: usize,
    /// That ran with other arguments, untold.
    pub otherwise: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        self.calls += 1;
        match outcome {
            Outcome::AtOnce => self.at_once += 1,
            Outcome::AfterOne => self.after_one += 1,
            Outcome::Otherwise => self.otherwise += 1,
            Outcome::Unrepaired { .. } => {}
        }
    }

    /// Those that succeed at once or after one repair.
    pub fn repaired(&self) -> usize {
        self.at_once + self.after_one
    }

    /// A share in tenths of a percent, rounded.
    fn permille(&self, part: usize) -> usize {
        (part * 1000 + self.calls / 2) / self.calls.max(1)
    }
}

/// The figures of one library.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Its name.
    pub name: String,
    /// By kind.
    pub kinds: BTreeMap<String, Count>,
    /// What went otherwise than at once, for who wants to know why.
    pub others: Vec<(Case, Outcome)>,
}

impl Figures {
    /// Tries every case.
    pub fn of(subject: &mut dyn Subject, cases: &[Case]) -> Figures {
        let mut figures =
            Figures { name: subject.name().to_owned(), kinds: BTreeMap::new(), others: Vec::new() };
        for case in cases {
            let outcome = trial(subject, case);
            figures.kinds.entry(case.kind.clone()).or_default().add(&outcome);
            if outcome != Outcome::AtOnce {
                figures.others.push((case.clone(), outcome));
            }
        }
        figures
    }

    /// All kinds together.
    pub fn total(&self) -> Count {
        self.kinds.values().fold(Count::default(), |sum, count| Count {
            calls: sum.calls + count.calls,
            at_once: sum.at_once + count.at_once,
            after_one: sum.after_one + count.after_one,
            otherwise: sum.otherwise + count.otherwise,
        })
    }

    /// How many kinds are taken at once in full: what does not depend on how many calls of each kind there are.
    pub fn kinds_at_once(&self) -> usize {
        self.kinds.values().filter(|count| count.at_once == count.calls).count()
    }

    /// Its line in the README.
    pub fn row(&self) -> String {
        let total = self.total();
        let share = |part| {
            let permille = total.permille(part);
            format!("{}.{} %", permille / 10, permille % 10)
        };
        format!(
            "| {} | {} | {} | {} | {} of {} |",
            self.name,
            share(total.at_once),
            share(total.repaired()),
            share(total.otherwise),
            self.kinds_at_once(),
            self.kinds.len()
        )
    }
}

/// Where the table of the README begins and ends.
pub const MARKS: (&str, &str) = ("<!-- repair: begin -->\n", "<!-- repair: end -->\n");

/// The head of the table.
const HEAD: &str = "| | as meant at once | after one repair | ran with other arguments | kinds taken at once |\n\
                    | --- | --- | --- | --- | --- |\n";

/// The table of the README.
pub fn table(all: &[Figures]) -> String {
    let mut table = String::from(HEAD);
    for figures in all {
        let _ = writeln!(table, "{}", figures.row());
    }
    table
}

/// Every kind with `at once / after one repair` of its calls per library.
pub fn by_kind(all: &[Figures], cases: &[Case]) -> String {
    let names: Vec<&str> = all.iter().map(|figures| figures.name.as_str()).collect();
    let mut table =
        format!("| kind | calls | {} |\n| --- | --- |{}\n", names.join(" | "), " --- |".repeat(names.len()));
    for kind in kinds(cases) {
        let calls = cases.iter().filter(|case| case.kind == kind).count();
        let cell = |figures: &Figures| {
            let count = figures.kinds.get(kind).copied().unwrap_or_default();
            format!("{} / {}", count.at_once, count.repaired())
        };
        let cells: Vec<String> = all.iter().map(cell).collect();
        let _ = writeln!(table, "| {kind} | {calls} | {} |", cells.join(" | "));
    }
    table
}

/// The calls that did not run as meant, each with what was said, sent and answered.
pub fn told(figures: &Figures) -> String {
    let mut text = String::new();
    for (case, outcome) in &figures.others {
        let _ = match outcome {
            Outcome::AtOnce | Outcome::AfterOne => Ok(()),
            Outcome::Otherwise => {
                writeln!(text, "{} {}: ran with other arguments\n  sent {}", case.tool, case.kind, case.sent)
            }
            Outcome::Unrepaired { told, sent, then } => {
                let Case { tool, kind, sent: first, .. } = case;
                writeln!(text, "{tool} {kind}\n  sent {first}\n  told {told}\n  sent {sent}\n  then {then}")
            }
        };
    }
    text
}
