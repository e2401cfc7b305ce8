//! The object of a line, `{"id"?, "tool", "args"?}`: a definition like that of any tool, so that what is wrong with a line is
//! told as what is wrong with a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tool_core::args::{self, ArgIssue, Args, Coerce, IssueCode};
use tool_core::prelude::*;

use crate::fault::text;
use crate::settled::unlisted;

/// One call of a batch.
#[tool(register = false)]
fn batch_line(
    /// Comes back with the answer.
    id: Option<Id>,
    /// Name or alias of a tool.
    tool: String,
    /// The arguments of the call.
    args: Option<Arguments>,
) {
    let _ = (id, tool, args);
}

/// What a caller knows its line by.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(serde_json::Number),
}

/// Beyond this a number that is no whole one of 64 bits is not what was written (IEEE 754, binary64).
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Id {
    /// The issue with a number whose digits would not come back.
    fn rounded(&self) -> Option<ArgIssue> {
        let Id::Number(number) = self else { return None };
        let lossy = number.is_f64() && number.as_f64().is_some_and(|value| value.abs() >= EXACT);
        lossy.then(|| ArgIssue {
            path: "/id".to_owned(),
            code: IssueCode::Invalid,
            expected: "a string, or a number that comes back digit for digit".to_owned(),
            got: args::got(&json!(number)),
            hint: Some("write it as a string".to_owned()),
        })
    }
}

/// Arguments; a text is opened where arguments are decoded, as it is wherever they come from.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Arguments {
    Object(Map<String, Value>),
    Text(String),
}

/// What a line turned out to be.
pub(super) struct Frame {
    /// The line's own mark, null where it has none.
    pub(super) id: Value,
    /// The tool that is asked for, null where the line itself is wrong.
    pub(super) tool: Value,
    /// The arguments, or all that is wrong with the line.
    pub(super) args: Result<Value, ToolError>,
}

impl Frame {
    /// Reads a line, numbered from 1, of at most `max_bytes`; without its text where it is longer.
    pub(super) fn read(text: Option<Vec<u8>>, line: usize, max_bytes: usize) -> Frame {
        let text = match text.map(String::from_utf8) {
            Some(Ok(text)) => text,
            Some(Err(error)) => return Frame::unread(not_utf8(error.utf8_error())),
            None => return Frame::unread(args::too_large(max_bytes)),
        };
        match args::parse_frame(&text, max_bytes) {
            Ok(members) => Frame::of(members),
            Err(error) => Frame::malformed(&text, error, line),
        }
    }

    fn unread(error: ToolError) -> Frame {
        Frame { id: Value::Null, tool: Value::Null, args: Err(error) }
    }

    fn of(mut members: Map<String, Value>) -> Frame {
        // Nothing is an empty object wherever arguments come from.
        if members.get("args").is_some_and(Value::is_null) {
            members.shift_remove("args");
        }
        // An object is one wherever it stands, and is judged by its tool, in all its depth: the line only has to be a line.
        let deep = members
            .get_mut("args")
            .filter(|args| args.is_object())
            .map(|args| std::mem::replace(args, Value::Object(Map::new())));
        let mut line =
            match Args::within(BatchLineTool::DEF, Value::Object(members), Coerce::Strict, usize::MAX) {
                Ok(line) => line,
                Err(error) => return Frame::unread(error),
            };
        let id: Option<Option<Id>> = line.take(0);
        let tool: Option<String> = line.take(1);
        let args: Option<Option<Arguments>> = line.take(2);
        let rounded = id.as_ref().and_then(Option::as_ref).and_then(Id::rounded);
        let refused = match (line.finish().err(), rounded) {
            (refused, None) => refused,
            (refused, Some(issue)) => {
                let others = refused.iter().flat_map(ToolError::arg_issues).cloned();
                let more = refused.as_ref().map_or(0, unlisted);
                let issues: Vec<ArgIssue> = std::iter::once(issue).chain(others).collect();
                let total = issues.len() + more;
                Some(args::refused(issues, total))
            }
        };
        let id = id.filter(|id| id.as_ref().is_none_or(|id| id.rounded().is_none()));
        // A line whose arguments alone are wrong asks for its tool all the same.
        let framed = id.is_some() && (refused.is_none() || args.is_none());
        Frame {
            id: json!(id.flatten()),
            tool: json!(tool.filter(|_| framed)),
            args: refused.map_or_else(|| Ok(deep.unwrap_or_else(|| json!(args.flatten()))), Err),
        }
    }

    /// The refusal of a line's text. Where only the arguments have keys twice it is that of the call, with pointers into
    /// its arguments.
    fn malformed(text: &str, error: ToolError, line: usize) -> Frame {
        let within = |issue: &ArgIssue| {
            issue.path.strip_prefix("/args").filter(|at| !at.is_empty()).map(str::to_owned)
        };
        let places: Vec<_> = error.arg_issues().iter().map(within).collect();
        if places.iter().any(Option::is_none) {
            return Frame::unread(of_line(error, line));
        }
        let issues = error.arg_issues().iter().cloned().zip(places.into_iter().flatten());
        let issues: Vec<ArgIssue> = issues.map(|(issue, path)| ArgIssue { path, ..issue }).collect();
        let members = serde_json::from_str(text).unwrap_or_default();
        Frame { args: Err(with_issues(&error, error.message().to_owned(), issues)), ..Frame::of(members) }
    }
}

/// The refusal of a line as a whole. A member of the line given twice has no place in a call: the message says where.
fn of_line(error: ToolError, line: usize) -> ToolError {
    let is_member = |issue: &ArgIssue| !issue.path.is_empty() && !issue.path.starts_with("/args/");
    let mut keys = Vec::new();
    let mut issues = error.arg_issues().to_vec();
    for issue in issues.iter_mut().filter(|issue| is_member(issue)) {
        let key = text(issue.path.trim_start_matches('/')).replacen("string ", "", 1);
        issue.got = format!("the key {key} twice");
        issue.path.clear();
        keys.push(key);
    }
    // It is one line, and the message says which.
    for issue in issues.iter_mut().filter(|issue| issue.code == IssueCode::Syntax) {
        issue.got = issue.got.strip_prefix("line 1, ").map_or_else(|| issue.got.clone(), str::to_owned);
    }
    let what = match error.code_str() {
        _ if !keys.is_empty() => format!("gives {} twice", keys.join(", ")),
        "malformed_json" => "is not valid JSON".to_owned(),
        "not_an_object" => "is not a JSON object".to_owned(),
        _ => return error,
    };
    with_issues(&error, format!("Line {line} {what}."), issues).hint(LINE)
}

/// What a line is.
const LINE: &str = r#"a line is one object: {"id": 1, "tool": "NAME", "args": {…}}"#;

fn with_issues(error: &ToolError, message: String, issues: Vec<ArgIssue>) -> ToolError {
    let moved = ToolError::invalid_args(message).code(error.code_str().to_owned()).issues(issues);
    let details = error.details().iter();
    details.fold(moved, |error, (key, value)| error.detail(key.clone(), value.clone()))
}

fn not_utf8(error: std::str::Utf8Error) -> ToolError {
    let issue = ArgIssue {
        path: String::new(),
        code: IssueCode::Invalid,
        expected: "UTF-8 text".to_owned(),
        got: format!("not UTF-8 at byte {}", error.valid_up_to()),
        hint: None,
    };
    args::refused(vec![issue], 1)
}
