//! One thing that a check found, with the arguments that show it.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::Subject;
use crate::def::ToolDef;

/// The most characters of arguments that a problem shows.
const SHOWN: usize = 400;

/// What a check says of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// JSON Pointer into the arguments; empty for the tool.
    pub path: String,
    /// What is wrong.
    pub text: String,
    /// The arguments of a call that shows it.
    pub args: Option<Value>,
    /// Whether it is told beside other faults of the same place: those that generated calls show are likely one.
    pub apart: bool,
}

impl Fault {
    /// A fault of the tool itself.
    pub fn of_tool(text: impl Into<String>) -> Fault {
        Fault::at("", text)
    }

    /// A fault at a place of the arguments.
    pub fn at(path: impl Into<String>, text: impl Into<String>) -> Fault {
        Fault { path: path.into(), text: text.into(), args: None, apart: false }
    }

    /// The same, told beside others of its place.
    #[must_use]
    pub fn apart(self) -> Fault {
        Fault { apart: true, ..self }
    }

    /// The same, shown by a call.
    #[must_use]
    pub fn with(self, args: &Value) -> Fault {
        Fault { args: Some(args.clone()), ..self }
    }
}

/// What is wrong with a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The check, of a lint `lint:ID`.
    pub check: String,
    /// The tool by its effective name; empty for all of them.
    pub tool: String,
    /// JSON Pointer into the arguments; empty for the tool.
    pub path: String,
    /// What is wrong.
    pub text: String,
    /// The arguments of a call that shows it, secrets hidden.
    pub args: Option<String>,
}

impl Problem {
    /// A check that is to be left out and that there is none of.
    pub(super) fn of_skip(id: &str) -> Problem {
        let text = format!("no check is called `{id}`, so it cannot be left out");
        let [tool, path] = Default::default();
        Problem { check: "skip".to_owned(), tool, path, text, args: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.check)?;
        for part in [&self.tool, &self.path].into_iter().filter(|part| !part.is_empty()) {
            write!(f, " {part}")?;
        }
        write!(f, ": {}", self.text)?;
        match &self.args {
            Some(args) => write!(f, "\n    {args}"),
            None => Ok(()),
        }
    }
}

/// The problems of a tool: of several faults at one place the one that the shortest call shows, unless they stand apart.
pub(super) fn of_tool(check: &str, subject: &Subject<'_>, faults: Vec<Fault>) -> Vec<Problem> {
    let mut shortest: BTreeMap<(String, Option<usize>), (usize, Fault)> = BTreeMap::new();
    for (nth, fault) in faults.into_iter().enumerate() {
        let length = fault.args.as_ref().map_or(0, |args| args.to_string().len());
        let place = (pattern(&fault.path), fault.apart.then_some(nth));
        if shortest.get(&place).is_none_or(|(other, _)| length < *other) {
            shortest.insert(place, (length, fault));
        }
    }
    let problem = |fault: Fault| Problem {
        check: check.to_owned(),
        tool: subject.name().to_owned(),
        args: fault.args.as_ref().map(|args| shown(subject.def(), args)),
        path: fault.path,
        text: fault.text,
    };
    shortest.into_values().map(|(_, fault)| problem(fault)).collect()
}

/// A pointer with `*` for every position in a list.
fn pattern(path: &str) -> String {
    let part = |part: &str| {
        let position = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if position { "*".to_owned() } else { part.to_owned() }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Arguments as text, secret ones hidden, cut where they are long.
fn shown(def: &ToolDef<'_>, args: &Value) -> String {
    let mut args = args.clone();
    for param in def.params.iter().filter(|param| param.keys.secret) {
        for name in param.names() {
            if let Some(value) = args.get_mut(name) {
                *value = Value::from("***");
            }
        }
    }
    let text = args.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}
