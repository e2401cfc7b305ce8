//! The vectors of the specification: cases of input and what is expected, which every harness reads through here.
//!
//! They lie in the folder that `TOOL_VECTORS` names (default: `shared/vectors` beside the project). They are no part of the
//! project, so where they are absent a harness says that it is skipped.

use std::path::PathBuf;

use serde_json::Value;

/// The folder of the vectors, whether or not it is there.
pub fn folder() -> PathBuf {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors"));
    std::env::var_os("TOOL_VECTORS").map_or_else(beside, PathBuf::from)
}

/// A whole file of vectors; `None` where it is absent.
///
/// # Panics
/// When the file is not JSON.
pub fn file(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(folder().join(name)).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name} is not JSON: {error}")))
}

/// The cases of a file and the folder it is in; `None` where it is absent, which [`skip`](crate::skip) says.
///
/// # Panics
/// When the file is not JSON, has no list of cases, or is absent though it must be there.
pub fn cases(name: &str) -> Option<(Vec<Value>, PathBuf)> {
    let Some(file) = file(name) else {
        crate::skip(&format!("no vectors: {name} is not in {}", folder().display()));
        return None;
    };
    match file.get("cases") {
        Some(Value::Array(cases)) if !cases.is_empty() => Some((cases.clone(), folder())),
        other => panic!("{name}: cases must be a list with entries, not {other:?}"),
    }
}

/// What came of a case: it holds, or what is different.
pub type Outcome = Result<(), String>;

/// Judges every case of `NAME.json`, and [reports](report) on them. Where the file is absent, [`skip`](crate::skip) says so.
///
/// # Panics
/// When there are fewer than `least` cases, or one goes wrong.
pub fn judge_all(name: &str, least: usize, mut outcome: impl FnMut(&Value) -> Outcome) {
    judge_all_in(name, least, |_| (), |(), case| outcome(case));
}

/// As [`judge_all`], with what all cases share, made from the whole file.
///
/// # Panics
/// As [`judge_all`].
pub fn judge_all_in<S>(
    name: &str,
    least: usize,
    scene: impl FnOnce(&Value) -> S,
    mut outcome: impl FnMut(&S, &Value) -> Outcome,
) {
    let json = format!("{name}.json");
    let Some((cases, _)) = cases(&json) else { return };
    assert!(cases.len() >= least, "vectors_{name}: {} cases, and there are {least} at least", cases.len());
    let scene = scene(&file(&json).unwrap_or_default());
    report(&format!("vectors_{name}"), cases.iter().map(|case| (id(case), outcome(&scene, case))));
}

/// What a case is called.
///
/// # Panics
/// When it has no `id`.
pub fn id(case: &Value) -> String {
    let id = case.get("id").and_then(Value::as_str);
    id.unwrap_or_else(|| panic!("a case without an id: {case}")).to_owned()
}

/// Says how many cases there are, and what comes of each as soon as it has run.
///
/// # Panics
/// When one went wrong, with all that did.
pub fn report(set: &str, outcomes: impl IntoIterator<IntoIter: ExactSizeIterator<Item = (String, Outcome)>>) {
    let outcomes = outcomes.into_iter();
    let (count, mut wrong) = (outcomes.len(), Vec::new());
    println!("{set}: {count} cases from {}", folder().display());
    for (id, outcome) in outcomes {
        println!("{set}: {id}: {}", if outcome.is_ok() { "ok" } else { "WRONG" });
        wrong.extend(outcome.err().map(|difference| format!("{id}: {difference}")));
    }
    assert!(wrong.is_empty(), "{set}: {} of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::report;

    #[test]
    fn all_that_hold_pass() {
        report("set", [("a".to_owned(), Ok(()))]);
    }

    #[test]
    #[should_panic(expected = "set: 1 of 2 cases:\nb: is another")]
    fn one_that_is_wrong_fails_by_its_name() {
        report("set", [("a".to_owned(), Ok(())), ("b".to_owned(), Err("is another".to_owned()))]);
    }
}
