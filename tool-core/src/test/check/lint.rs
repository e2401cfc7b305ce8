//! `lint:ID`: the lints of registry.md §11, errors always, warnings where that is asked for.

use super::{Checks, Problem, defaults, dialects, examples, law_accept, schema_valid};
use crate::contract::{CheckOptions, Finding, Level, check};

pub(super) const ID: &str = "lint";

/// The lints that a check of its own stands for here, which looks more closely.
pub(super) const STOOD_FOR: [(&str, &str); 5] = [
    ("example-invalid", examples::ID),
    ("default-invalid", defaults::ID),
    ("schema-decoder", law_accept::ID),
    ("schema-not-canonical", schema_valid::ID),
    ("dialect-refused", dialects::ID),
];

pub(super) fn look(checks: &Checks) -> Vec<Problem> {
    let counts = |finding: &Finding| finding.level == Level::Error || checks.strict;
    let own = |finding: &Finding| STOOD_FOR.iter().all(|(lint, _)| *lint != finding.id);
    let found = check(&checks.registry, &CheckOptions::default());
    let problem = |finding: Finding| Problem {
        check: format!("{ID}:{}", finding.id),
        tool: finding.tool,
        path: finding.path,
        text: finding.text,
        args: None,
    };
    found.into_iter().filter(|finding| counts(finding) && own(finding)).map(problem).collect()
}
