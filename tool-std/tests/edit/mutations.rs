//! A good patch with one mistake in it: an error, or exactly what its reported hunks say. (files.md, acceptance 3.)

use tool_std::Limits;
use tool_std::edit::{Applied, Document, Line, unified};
use tool_trials::rounds;

use crate::random::{Random, Style, changed, lines};

/// Patches in the full run.
const PATCHES: usize = 4_000;
const MUTATIONS: usize = 12;

#[test]
fn a_mutated_patch_is_refused_or_does_what_it_reports() {
    let (mut refused, mut applied) = (0, 0);
    for seed in 0..rounds(PATCHES) as u64 {
        let random = &mut Random::new(seed);
        let style = Style::random(random);
        let old = lines(random, style);
        let new = changed(random, style, &old);
        let patch = whole_file_patch(&old, &new);
        let file = old.concat();
        for _ in 0..MUTATIONS {
            let mutated = mutated(random, &patch);
            match unified::apply(file.as_bytes(), &mutated, "f", &Limits::default()) {
                Ok(edited) => {
                    check_replay(file.as_bytes(), &edited.bytes, &edited.hunks, &mutated);
                    applied += 1;
                }
                Err(error) => {
                    assert_ne!(error.code_str(), error.kind().as_str(), "every refusal has a code: {error}");
                    refused += 1;
                }
            }
        }
    }
    println!("mutations: {refused} refused, {applied} applied as reported");
    assert!(refused > 500 && applied > 100);
}

/// The lines outside the reported hunks are those of the old file, byte for byte but for the end of the file; every
/// context and removed line of the patch stood where the report says.
fn check_replay(old: &[u8], new: &[u8], hunks: &[Applied], patch: &str) {
    let (before, after) = (Document::new(old), Document::new(new));
    let mut at = (0, 0);
    for hunk in hunks {
        let (from, to) = (hunk.old_start - 1, hunk.new_start - 1);
        assert!(from.saturating_sub(at.0) == to.saturating_sub(at.1), "{hunks:?} of {patch}");
        same_lines(&before, at.0..from, &after, at.1..to, patch);
        at = (from + hunk.old_lines, to + hunk.new_lines);
    }
    assert_eq!(before.len().saturating_sub(at.0), after.len().saturating_sub(at.1), "{hunks:?} of {patch}");
    same_lines(&before, at.0..before.len(), &after, at.1..after.len(), patch);

    let bodies = bodies(patch);
    for (hunk, body) in hunks.iter().zip(&bodies) {
        let there = (hunk.old_start - 1..).map(|line| before.line(line).map(Line::text));
        for (wanted, there) in body.iter().zip(there) {
            let there = String::from_utf8_lossy(there.expect("an old line is in the file")).into_owned();
            assert_eq!(there.trim_end_matches('\r'), wanted.trim_end_matches('\r'), "{hunk:?} of {patch}");
        }
    }
}

fn same_lines(
    before: &Document<'_>,
    old: std::ops::Range<usize>,
    after: &Document<'_>,
    new: std::ops::Range<usize>,
    patch: &str,
) {
    for (old, new) in old.zip(new) {
        let (old_line, new_line) = (before.line(old).unwrap(), after.line(new).unwrap());
        assert_eq!(old_line.text(), new_line.text(), "{patch}");
        let is_last = old + 1 == before.len() || new + 1 == after.len();
        assert!(is_last || old_line == new_line, "{patch}");
    }
}

/// The old lines of each hunk, by the counts of its header.
fn bodies(patch: &str) -> Vec<Vec<&str>> {
    let mut bodies = Vec::new();
    let mut lines = patch.split('\n');
    while let Some(line) = lines.next() {
        if !line.starts_with("@@ -") {
            continue;
        }
        let counts: Vec<usize> = line
            .split(' ')
            .filter(|word| word.starts_with(['-', '+']))
            .take(2)
            .map(|word| word.split_once(',').map_or(1, |(_, count)| count.parse().unwrap()))
            .collect();
        let (mut old, mut new) = (counts[0], counts[1]);
        let mut body = Vec::new();
        while old > 0 || new > 0 {
            let text = lines.next().unwrap();
            if text.starts_with('\\') {
                continue;
            }
            let is_old = !text.starts_with('+');
            old -= usize::from(is_old);
            new -= usize::from(!text.starts_with('-'));
            if is_old {
                body.push(if text.trim_end_matches('\r').is_empty() { text } else { &text[1..] });
            }
        }
        bodies.push(body);
    }
    bodies
}

/// A patch of two hunks where the texts allow it, made by comparing heads and tails of each half.
fn whole_file_patch(old: &[String], new: &[String]) -> String {
    let mut patch = String::from("--- a/f\n+++ b/f\n");
    let (old_half, new_half) = (old.len() / 2, new.len() / 2);
    hunk(&mut patch, 0, &old[..old_half], &new[..new_half]);
    hunk(&mut patch, old_half, &old[old_half..], &new[new_half..]);
    patch
}

fn hunk(patch: &mut String, above: usize, old: &[String], new: &[String]) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let start = if old.is_empty() { above } else { above + 1 };
    patch.push_str(&format!("@@ -{start},{} +{},{} @@\n", old.len(), start.max(1), new.len()));
    let mut body = |marker: char, lines: &[String]| {
        for line in lines {
            patch.push(marker);
            patch.push_str(line);
            if !line.ends_with('\n') {
                patch.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    body(' ', &old[..head]);
    body('-', &old_rest[..old_rest.len() - tail]);
    body('+', &new_rest[..new_rest.len() - tail]);
    body(' ', &old_rest[old_rest.len() - tail..]);
}

fn mutated(random: &mut Random, patch: &str) -> String {
    let mut lines: Vec<String> = patch.split_inclusive('\n').map(str::to_owned).collect();
    let at = random.below(lines.len());
    match random.below(7) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => lines[at] = with_other_number(random, &lines[at]),
        3 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        4 => {
            let headers: Vec<usize> =
                (0..lines.len()).filter(|line| lines[*line].starts_with("@@ -")).collect();
            let rest = lines.split_off(headers[headers.len() - 1]);
            let first = headers[0];
            lines.splice(first..first, rest);
        }
        5 => {
            let cut = random.below(patch.len());
            return patch[..patch.floor_char_boundary(cut)].to_owned();
        }
        _ => {}
    }
    lines.concat()
}

fn with_other_number(random: &mut Random, line: &str) -> String {
    let digits: Vec<usize> =
        line.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    if digits.is_empty() {
        return line.to_owned();
    }
    let at = digits[random.below(digits.len())];
    format!("{}{}{}", &line[..at], random.below(10), &line[at + 1..])
}
