//! `read_result`: a parked result in pages, lines, parts or matches.

use serde_json::Value;

use super::page::{PAGE, byte_of, pages};
use super::scope_of;
use super::store::Parked;
use crate::args::{ArgIssue, IssueCode};
use crate::call::CallScope;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::{ToolOutput, ToolResult};
use crate::tool;

/// The name of the tool that reads parked results. A caller needs no row for it.
pub const READ_RESULT: &str = "read_result";

/// Lines that one call returns at most.
const LINES_MAX: usize = 400;

/// Matches that one call returns at most.
const MATCHES_MAX: usize = 20;

/// Characters of a line with a match.
const MATCH_WIDTH: usize = 200;

/// Reads a result that was parked because it was too long.
///
/// The stub of a parked result names its id and how many pages it has.
#[tool(group = "results", paged, register = false, exactly_one(page, lines, pointer, find))]
pub fn read_result(
    /// The id in the stub, such as res_k3v9p2qd7m1x.
    id: &str,
    /// A page, from 1.
    page: Option<u64>,
    /// Lines, from 1, such as 10-25.
    lines: Option<&str>,
    /// A JSON pointer, such as /items/0.
    pointer: Option<&str>,
    /// A text to look for.
    #[arg(len = 1..=200)]
    find: Option<&str>,
    ctx: &ToolContext,
) -> ToolResult {
    let store = ctx
        .running()
        .and_then(|call| call.results())
        .ok_or_else(|| ToolError::not_configured("Nothing is parked here.").code("results_off"))?;
    let result = store.get(&scope_of(ctx), id)?;
    let text = match (page, lines, pointer, find) {
        (Some(page), ..) => whole_page(id, &result, page)?,
        (_, Some(lines), ..) => some_lines(id, &result, lines)?,
        (_, _, Some(pointer), _) => part(id, &result, pointer, |own| {
            // Without its escapes a text may say what it did not say before.
            let secrets = ctx.running().and_then(CallScope::known_secrets);
            let leaks = secrets.is_some_and(|secrets| secrets.scrub(&own.text) != *own.text);
            store.put(&scope_of(ctx), Parked { is_private: own.is_private || leaks, ..own })
        })?,
        (.., Some(find)) => matches(id, &result, find),
        _ => return Err(ToolError::invalid_args("Give exactly one of page, lines, pointer, find.")),
    };
    Ok(ToolOutput::text(text))
}

fn issue(path: &str, code: IssueCode, expected: String, got: &str) -> ToolError {
    let got: String = got.chars().take(80).collect();
    let issue = ArgIssue { path: path.to_owned(), code, expected, got, hint: None };
    ToolError::invalid_args("The arguments do not fit.").issue(issue)
}

fn whole_page(id: &str, result: &Parked, page: u64) -> Result<String, ToolError> {
    let pages = pages(&result.text);
    let count = pages.len();
    let wanted = usize::try_from(page).ok().and_then(|page| page.checked_sub(1));
    let text = wanted
        .and_then(|index| pages.get(index))
        .ok_or_else(|| issue("/page", IssueCode::Range, format!("1..={count}"), &page.to_string()))?;
    Ok(format!("[result {id}, page {page} of {count}]\n{text}"))
}

fn some_lines(id: &str, result: &Parked, range: &str) -> Result<String, ToolError> {
    let all: Vec<&str> = result.text.split_inclusive('\n').collect();
    let bad = || issue("/lines", IssueCode::Range, format!("A-B within 1..={}", all.len()), range);
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|line| (1..=all.len()).contains(line));
    let (first, last) =
        number(first).zip(number(last)).filter(|(first, last)| first <= last).ok_or_else(bad)?;
    let last = last.min(first + LINES_MAX - 1);
    let mut text = String::new();
    let mut shown = first;
    for line in all.get(first - 1..last).unwrap_or_default() {
        if text.chars().count() + line.chars().count() > PAGE {
            if text.is_empty() {
                text.push_str(line.get(..byte_of(line, PAGE)).unwrap_or_default());
                shown += 1;
            }
            break;
        }
        text.push_str(line);
        shown += 1;
    }
    Ok(format!("[result {id}, lines {first}-{} of {}]\n{text}", shown - 1, all.len()))
}

/// The value behind a pointer. One that is longer than a page is parked by itself, to be read in pages.
fn part(
    id: &str,
    result: &Parked,
    pointer: &str,
    keep: impl FnOnce(Parked) -> Result<String, ToolError>,
) -> Result<String, ToolError> {
    let value: Value = serde_json::from_str(&result.text).map_err(|_| {
        issue("/pointer", IssueCode::Invalid, "a result that is JSON".to_owned(), &result.media)
    })?;
    let found = value.pointer(pointer).ok_or_else(|| {
        issue("/pointer", IssueCode::Invalid, "a pointer to a value of the result".to_owned(), pointer)
    })?;
    let (text, media) = match found {
        Value::String(text) => (text.clone(), "text/plain"),
        other => (serde_json::to_string_pretty(other).unwrap_or_default(), "application/json"),
    };
    let pointer: String = pointer.chars().take(80).collect();
    let pages = pages(&text);
    let (first, count) = (pages.first().copied().unwrap_or_default(), pages.len());
    if count == 1 {
        return Ok(format!("[result {id}, {pointer}]\n{first}"));
    }
    let own = Parked { text: text.as_str().into(), media: media.to_owned(), ..result.clone() };
    Ok(match keep(own) {
        Ok(own) => format!("[result {id}, {pointer}, parked as {own}: page 1 of {count}]\n{first}"),
        Err(_) => format!(
            "[result {id}, {pointer}, page 1 of {count}; the others could not be kept: name a smaller part]\n{first}"
        ),
    })
}

fn matches(id: &str, result: &Parked, find: &str) -> String {
    let found =
        result.text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, line, line.find(find)?)));
    let found: Vec<_> = found.take(MATCHES_MAX + 1).collect();
    let lines = found.iter().take(MATCHES_MAX).map(|(number, line, at)| {
        // The match stands within what is shown of its line.
        let before = line.get(..*at).map_or(0, |before| before.chars().count());
        let start = byte_of(line, before.saturating_sub(MATCH_WIDTH / 2));
        let shown: String = line.get(start..).unwrap_or_default().chars().take(MATCH_WIDTH).collect();
        format!("{number}: {shown}\n")
    });
    let text: String = lines.collect();
    let more = if found.len() > MATCHES_MAX { ", and more" } else { "" };
    format!("[result {id}, {} matching lines{more}]\n{text}", found.len().min(MATCHES_MAX))
}
