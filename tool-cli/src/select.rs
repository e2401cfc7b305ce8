//! `--select`: parts of a result.
//!
//! Names (`a.b[0]`), pointers (RFC 6901) and queries (RFC 9535). Syntax and names are judged before the call; what is absent
//! afterwards is null with a warning, since an effect is never followed by a refusal.

mod told;

use serde_json::{Map, Value};
use serde_json_path::{JsonPath, ParseError};
use tool_core::ToolOutput;
use tool_core::args::{did_you_mean, shown_name, suggest};

pub(crate) use self::told::no_such_part;

/// At most this many paths.
pub const SELECT_PATHS: usize = 32;

/// What `--select` asks for.
#[derive(Clone, Debug)]
pub enum Selection {
    /// Paths, separated by commas.
    Paths(Vec<Path>),
    /// One query; its result is a list.
    Query(JsonPath),
}

/// One path, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A member.
    Key(String),
    /// An element.
    Index(usize),
    /// A token of a pointer: a member, or an element of a list.
    Token(String),
}

/// A part of a result, with what the person should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// The value.
    pub value: Value,
    /// A sentence for each path that is absent.
    pub warnings: Vec<String>,
}

impl Selection {
    /// Reads a selection.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Selection, String> {
        let text = text.trim();
        if text.starts_with('$') {
            return JsonPath::parse(text).map(Selection::Query).map_err(|error| no_query(&error));
        }
        let paths: Vec<Path> =
            text.split(',').map(|path| Path::parse(path.trim())).collect::<Result<_, _>>()?;
        if paths.len() > SELECT_PATHS {
            return Err(format!("more than {SELECT_PATHS} paths"));
        }
        Ok(Selection::Paths(paths))
    }

    /// Keeps the parts of a result; the warnings are sentences.
    pub(crate) fn keep(&self, output: &mut ToolOutput) -> Vec<String> {
        let Some(value) = &output.structured else {
            return vec!["--select changes nothing: the result has no structured value".to_owned()];
        };
        let selected = self.apply(value);
        output.content.clear();
        output.structured = Some(selected.value.into());
        selected.warnings
    }

    /// Whether of a list the parts of each element are kept.
    pub(crate) fn is_of_elements(&self) -> bool {
        match self {
            Selection::Query(_) => false,
            Selection::Paths(paths) => is_of_elements(paths),
        }
    }

    /// What is kept of one element of a list, where [`is_of_elements`](Self::is_of_elements).
    pub(crate) fn of_element(&self, item: &Value) -> Value {
        match self {
            Selection::Query(_) => item.clone(),
            Selection::Paths(paths) => pick(paths, item),
        }
    }

    /// The parts of a value.
    pub fn apply(&self, data: &Value) -> Selected {
        match self {
            Selection::Query(query) => {
                let value = query.query(data).all().into_iter().cloned().collect();
                Selected { value, warnings: Vec::new() }
            }
            Selection::Paths(paths) => apply(paths, data),
        }
    }
}

impl Path {
    fn parse(text: &str) -> Result<Path, String> {
        let steps = match text.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(token).collect::<Result<_, _>>()?,
            None => steps(text)?,
        };
        Ok(Path { text: text.to_owned(), steps })
    }

    fn begins_with_name(&self) -> bool {
        matches!(self.steps.first(), Some(Step::Key(_)))
    }

    fn find<'v>(&self, data: &'v Value) -> Option<&'v Value> {
        self.steps.iter().try_fold(data, |value, step| step.find(value))
    }

    /// The warning that the path leads nowhere, with the nearest key where its first missing step stands. `root` is the query
    /// for what the path is applied to.
    fn absent(&self, samples: &[&Value], root: &str) -> String {
        let near = samples.iter().find_map(|sample| self.nearest(sample, root));
        let hint = near.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("--select {} is absent{hint}", shown_name(&self.text))
    }

    /// The hint with the nearest keys.
    fn nearest(&self, data: &Value, root: &str) -> Option<String> {
        let mut value = data;
        for (at, step) in self.steps.iter().enumerate() {
            match step.find(value) {
                Some(inner) => value = inner,
                None => {
                    let (Step::Key(key) | Step::Token(key)) = step else { return None };
                    if value.is_array() {
                        return self.of_elements(at, root);
                    }
                    let keys = value.as_object()?.keys().map(|name| (name.as_str(), name.as_str()));
                    return did_you_mean(&suggest(key, keys));
                }
            }
        }
        None
    }

    /// The hint for a name behind a list, where `at` is its step: one element has it, or each.
    fn of_elements(&self, at: usize, root: &str) -> Option<String> {
        let (list, rest) = self.steps.split_at_checked(at)?;
        let plain = |step: &Step| match step {
            Step::Key(key) => !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_'),
            Step::Index(_) => true,
            Step::Token(_) => false,
        };
        let is_named = matches!(list.first(), Some(Step::Key(_)));
        if !is_named || !self.steps.iter().all(plain) {
            return None;
        }
        let (list, rest) = (written(list), written(rest));
        let (list, rest) = (shown_name(&list), shown_name(&rest));
        Some(format!("`{list}` is a list: write `{list}[0].{rest}`, or `{root}.{list}[*].{rest}` for all"))
    }
}

/// What is wrong with a query. Often the parser knows no more than where it stopped.
fn no_query(error: &ParseError) -> String {
    let why = Some(error.message()).filter(|why| *why != "parser error");
    let why = why.map(|why| format!(" ({})", shown_name(why))).unwrap_or_default();
    format!(
        "no query at character {}{why}; write `$.name`, `$.list[0]` or `$.list[*].name`",
        error.position() + 1
    )
}

/// Steps as they are written, `a.b[0]`.
fn written(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Key(key) | Step::Token(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) | Step::Token(key) => text.push_str(&format!(".{key}")),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

impl Step {
    fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match (self, value) {
            (Step::Key(key) | Step::Token(key), Value::Object(object)) => object.get(key),
            (Step::Index(index), Value::Array(items)) => items.get(*index),
            (Step::Token(index), Value::Array(items)) => items.get(array_index(index)?),
            _ => None,
        }
    }
}

/// RFC 6901 §4: digits without a leading zero.
fn array_index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    token.parse().ok().filter(|_| plain)
}

/// One token of a pointer, unescaped.
fn token(token: &str) -> Result<Step, String> {
    let mut rest = token;
    while let Some((_, behind)) = rest.split_once('~') {
        if !behind.starts_with(['0', '1']) {
            return Err("in a pointer `~` is written `~0`, and `/` is written `~1`".to_owned());
        }
        rest = behind;
    }
    Ok(Step::Token(token.replace("~1", "/").replace("~0", "~")))
}

/// The steps of `a.b[0]`.
fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        if let Some(behind) = rest.strip_prefix('[') {
            let (index, behind) = behind.split_once(']').ok_or("a `[` without `]`")?;
            let index = array_index(index)
                .ok_or_else(|| format!("`[{}]` is no index; write `[0]`", shown_name(index)))?;
            steps.push(Step::Index(index));
            rest = behind;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            if name.is_empty() || name.contains(']') {
                return Err("a name is missing; write `name`, `a.b[0]`, `/pointer` or `$.query`".to_owned());
            }
            steps.push(Step::Key(name.to_owned()));
            rest = behind;
        }
        if rest.is_empty() {
            return Ok(steps);
        }
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind,
            None if rest.starts_with('[') => {}
            None => return Err("behind `]` comes `.` or `[`".to_owned()),
        }
    }
}

/// On a list whose first path begins with a name, the paths apply to each element.
fn is_of_elements(paths: &[Path]) -> bool {
    paths.first().is_some_and(Path::begins_with_name)
}

fn apply(paths: &[Path], data: &Value) -> Selected {
    let each = is_of_elements(paths);
    let root = if each && data.is_array() { "$[*]" } else { "$" };
    let (value, samples): (Value, Vec<&Value>) = match data {
        Value::Array(items) if each => {
            (items.iter().map(|item| pick(paths, item)).collect(), items.iter().collect())
        }
        _ => (pick(paths, data), vec![data]),
    };
    let nowhere =
        |path: &&Path| !samples.is_empty() && samples.iter().all(|sample| path.find(sample).is_none());
    let warnings = paths.iter().filter(nowhere).map(|path| path.absent(&samples, root)).collect();
    Selected { value, warnings }
}

/// One path gives its value, more an object keyed by the paths.
fn pick(paths: &[Path], data: &Value) -> Value {
    let found = |path: &Path| path.find(data).cloned().unwrap_or(Value::Null);
    match paths {
        [path] => found(path),
        _ => Value::Object(paths.iter().map(|path| (path.text.clone(), found(path))).collect::<Map<_, _>>()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn select(text: &str, data: &Value) -> (Value, usize) {
        let selected = Selection::parse(text).unwrap().apply(data);
        (selected.value, selected.warnings.len())
    }

    #[test]
    fn one_path_gives_its_value_and_more_an_object() {
        let data = json!({"hits": [{"id": 1}, {"id": 2}], "total": 2, "a.b": 5});
        assert_eq!(select("hits[1].id", &data), (json!(2), 0));
        assert_eq!(select("total , /a.b", &data), (json!({"total": 2, "/a.b": 5}), 0));
        assert_eq!(select("$.hits[*].id", &data), (json!([1, 2]), 0));
    }

    #[test]
    fn a_name_applies_to_each_element_of_a_list_and_an_index_to_the_list() {
        let data = json!([{"id": 7}, {"id": 12, "tags": []}]);
        assert_eq!(select("id", &data), (json!([7, 12]), 0));
        assert_eq!(select("tags", &data), (json!([null, []]), 0));
        assert_eq!(select("[0].id", &data), (json!(7), 0));
        assert_eq!(select("id", &json!([])), (json!([]), 0));
    }

    #[test]
    fn an_absent_path_is_null_and_names_the_nearest_key() {
        let selected = Selection::parse("totl").unwrap().apply(&json!({"total": 2}));
        assert_eq!(selected.value, Value::Null);
        assert_eq!(selected.warnings.len(), 1);
    }

    #[test]
    fn a_name_behind_a_list_is_advised_to_name_an_element_or_all() {
        let warning = |text: &str, data: &Value| {
            let selected = Selection::parse(text).unwrap().apply(data);
            assert!(!selected.warnings.is_empty(), "{text}");
            selected.warnings[0].clone()
        };
        let data = json!({"a": {"entries": [{"name": "x"}]}});
        let told = "--select a.entries.name is absent; `a.entries` is a list: write `a.entries[0].name`, or \
                    `$.a.entries[*].name` for all";
        assert_eq!(warning("a.entries.name", &data), told);
        assert_eq!(select("a.entries[0].name", &data), (json!("x"), 0));
        assert_eq!(select("$.a.entries[*].name", &data), (json!(["x"]), 0));
        let each = json!([{"entries": [{"name": "x"}]}]);
        assert!(warning("entries.name", &each).ends_with("or `$[*].entries[*].name` for all"));
        assert_eq!(select("$[*].entries[*].name", &each), (json!(["x"]), 0));
        // Nothing is advised that cannot be written without quotes.
        assert_eq!(warning("a-b.name", &json!({"a-b": []})), "--select a-b.name is absent");
    }

    #[test]
    fn a_long_path_is_not_repeated_whole() {
        let selected = Selection::parse(&"x".repeat(130_000)).unwrap().apply(&json!({"total": 2}));
        assert!(selected.warnings[0].len() < 200);
    }

    #[test]
    fn what_is_no_path_is_refused_before_the_call() {
        for text in ["", "a[", "a..b", "a[x]", "a[-1]", "a]", ".a", "a.", "a,", "/a~2", "$[", "a[0]b", "[01]"]
        {
            assert!(Selection::parse(text).is_err(), "{text}");
        }
        for text in ["a", "a-b", "a[0][1]", "[0]", "/", "/a~1b", "$", "ü.ß"] {
            assert!(Selection::parse(text).is_ok(), "{text}");
        }
        assert!(Selection::parse(&["a"; SELECT_PATHS].join(",")).is_ok());
        assert!(Selection::parse(&["a"; SELECT_PATHS + 1].join(",")).is_err());
    }
}
