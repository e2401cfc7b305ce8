//! The text form of a search: `path:line:text`, context as `path-line-text`, `--` between groups.

use super::matches::LineMatch;

/// A line of the report before it is written.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    path: &'a str,
    number: u64,
    text: &'a str,
    is_match: bool,
}

/// The lines of the report, each line of a file once; with context a separator stands between groups that do not touch.
pub(crate) fn lines(matches: &[LineMatch], with_context: bool) -> Vec<String> {
    let mut report: Vec<Line<'_>> = Vec::new();
    let mut written = Vec::new();
    for one in matches {
        match (one.line, &one.text) {
            (Some(number), Some(text)) => add(&mut report, one, number, text),
            _ => written.push(format!("{}: binary file matches", one.path)),
        }
    }
    let mut previous: Option<&Line<'_>> = None;
    for line in &report {
        let touches = previous.is_none_or(|last| last.path == line.path && line.number <= last.number + 1);
        if with_context && !touches {
            written.push("--".to_owned());
        }
        let mark = if line.is_match { ':' } else { '-' };
        written.push(format!("{}{mark}{}{mark}{}", line.path, line.number, line.text));
        previous = Some(line);
    }
    written
}

fn add<'a>(report: &mut Vec<Line<'a>>, one: &'a LineMatch, number: u64, text: &'a str) {
    let path = one.path.as_str();
    let before = one.before.as_deref().unwrap_or_default();
    let first = number.saturating_sub(before.len() as u64);
    for (line, text) in (first..).zip(before) {
        put(report, Line { path, number: line, text, is_match: false });
    }
    let mut last = number;
    for (line, text) in (number..).zip(text.split('\n')) {
        put(report, Line { path, number: line, text, is_match: true });
        last = line;
    }
    for (line, text) in (last + 1..).zip(one.after.iter().flatten()) {
        put(report, Line { path, number: line, text, is_match: false });
    }
}

/// Adds a line, or makes it a match if it is there as context.
fn put<'a>(report: &mut Vec<Line<'a>>, line: Line<'a>) {
    let same_file = report.iter_mut().rev().take_while(|other| other.path == line.path);
    let found =
        same_file.take_while(|other| other.number >= line.number).find(|other| other.number == line.number);
    match found {
        Some(other) if line.is_match && !other.is_match => *other = line,
        Some(_) => {}
        None => report.push(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: u64, before: &[&str], text: &str, after: &[&str]) -> LineMatch {
        let own = |lines: &[&str]| Some(lines.iter().map(|line| (*line).to_owned()).collect());
        LineMatch {
            path: "f".into(),
            line: Some(line),
            text: Some(text.into()),
            before: own(before),
            after: own(after),
            ..LineMatch::default()
        }
    }

    #[test]
    fn each_line_stands_once_and_groups_are_separated() {
        let matches =
            [one(2, &["1"], "2x", &["3x"]), one(3, &["2x"], "3x", &["4"]), one(9, &["8"], "9x", &[])];
        let expected = ["f-1-1", "f:2:2x", "f:3:3x", "f-4-4", "--", "f-8-8", "f:9:9x"];
        assert_eq!(lines(&matches, true), expected);
    }

    #[test]
    fn without_context_there_are_no_separators() {
        let matches = [one(2, &[], "a", &[]), one(9, &[], "b\nc", &[])];
        assert_eq!(lines(&matches, false), ["f:2:a", "f:9:b", "f:10:c"]);
    }
}
