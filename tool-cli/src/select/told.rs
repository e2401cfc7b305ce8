//! The names of a selection, held against what a tool says of its results: a typo is found before the call, not after it.
//!
//! Only what the schema rules out is refused. Where it leaves a place open, or says nothing, the result decides.

use serde_json::Value;
use tool_core::args::{self, did_you_mean, shown_name, suggest};
use tool_core::{IssueCode, ToolDef};

use super::{Path, Selection, Step, written};
use crate::fault::{self, Fault};
use crate::globals::Global;
use crate::lex::Lexed;
use crate::settings::Settings;

/// How many schemas of a path are looked at; one that has more is taken as it is.
const SCHEMAS: usize = 256;

/// A name that no result has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    /// The path, as written.
    pub(crate) path: String,
    /// The names that are there.
    pub(crate) expected: String,
    /// The nearest of them.
    pub(crate) hint: Option<String>,
}

impl Selection {
    /// The first name that the schema of the results rules out. A query is never judged: it may find nothing.
    pub(crate) fn ruled_out(&self, schema: &Value) -> Option<Absent> {
        let Selection::Paths(paths) = self else { return None };
        let each = paths.first().is_some_and(Path::begins_with_name);
        paths.iter().find_map(|path| path.ruled_out(schema, each))
    }
}

/// What `--select` names and no result of the tool has. A dry run has a result of its own.
pub(crate) fn no_such_part(settings: &Settings, lexed: &Lexed, def: &ToolDef<'_>) -> Option<Fault> {
    let selection = settings.select.as_ref().filter(|_| !settings.dry_run)?;
    let absent = selection.ruled_out(def.output_schema()?)?;
    let given = lexed.globals.last(Global::Select)?;
    let fault = Fault::new(IssueCode::Invalid, absent.expected, fault::text(&absent.path))
        .flag("--select")
        .words(given.words.clone());
    Some(match absent.hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    })
}

impl Path {
    fn ruled_out(&self, root: &Value, each: bool) -> Option<Absent> {
        let mut places = open(root, vec![root])?;
        let mut is_whole = true;
        if each {
            let elements = of_elements(root, places.clone())?;
            is_whole = elements.iter().zip(&places).all(|(element, place)| std::ptr::eq(*element, *place));
            places = elements;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let mut next = Vec::new();
            let mut names = Vec::new();
            for place in &places {
                match step.inside(place) {
                    Inside::Anything => return None,
                    Inside::Nothing => {}
                    Inside::Schema(schema) => next.push(schema),
                    Inside::OtherNames(others) => names.extend(others),
                }
            }
            if next.is_empty() {
                return match step {
                    Step::Key(key) | Step::Token(key) if !names.is_empty() => {
                        Some(self.absent_among(key, &names))
                    }
                    // What is one value as a whole may be told as a text, of which nothing can be kept.
                    _ if at == 0 && is_whole => None,
                    _ => Some(self.absent_inside(at, &places, if is_whole { "$" } else { "$[*]" })),
                };
            }
            places = open(root, next)?;
        }
        None
    }

    /// A name that is none of those that are there.
    fn absent_among(&self, key: &str, names: &[&str]) -> Absent {
        let hint = did_you_mean(&suggest(key, names.iter().map(|name| (*name, *name))));
        let expected = args::one_of("names", names.iter().copied());
        Absent { path: self.text.clone(), expected, hint }
    }

    /// A step into what has no such parts, where `at` is the step and `root` the query for what the path is applied to.
    fn absent_inside(&self, at: usize, places: &[&Value], root: &str) -> Absent {
        let place = written(self.steps.get(..at).unwrap_or_default());
        let place = if place.is_empty() { "it".to_owned() } else { format!("`{}`", shown_name(&place)) };
        let lists = places.iter().all(|place| may_be(place, "array"));
        let hint = match self.steps.get(at) {
            Some(Step::Index(_)) => format!("{place} is no list"),
            _ => self
                .of_elements(at, root)
                .filter(|_| lists)
                .unwrap_or_else(|| format!("{place} has no parts with names")),
        };
        Absent { path: self.text.clone(), expected: "a part of the result".to_owned(), hint: Some(hint) }
    }
}

/// What a step finds in the place of one schema.
enum Inside<'s> {
    /// The schema leaves it open.
    Anything,
    /// It is no place with members or elements.
    Nothing,
    /// What is said of the member or element.
    Schema(&'s Value),
    /// Members have other names.
    OtherNames(Vec<&'s str>),
}

impl Step {
    fn inside<'s>(&self, schema: &'s Value) -> Inside<'s> {
        match self {
            Step::Key(key) => member(schema, key),
            Step::Index(_) => element(schema),
            Step::Token(token) => match (member(schema, token), super::array_index(token)) {
                (Inside::Nothing, Some(_)) => element(schema),
                (found, _) => found,
            },
        }
    }
}

fn member<'s>(schema: &'s Value, key: &str) -> Inside<'s> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return if may_be(schema, "object") { Inside::Anything } else { Inside::Nothing };
    };
    if let Some(found) = properties.get(key) {
        return Inside::Schema(found);
    }
    // What a type writes is what it names, unless the schema says that there may be more.
    let more = schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
    if more || schema.get("patternProperties").is_some() {
        return Inside::Anything;
    }
    Inside::OtherNames(properties.keys().map(String::as_str).collect())
}

fn element(schema: &Value) -> Inside<'_> {
    match schema.get("items").filter(|_| schema.get("prefixItems").is_none()) {
        Some(items) => Inside::Schema(items),
        None if may_be(schema, "array") => Inside::Anything,
        None => Inside::Nothing,
    }
}

/// Whether a value of this type can be there.
fn may_be(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => schema.get("enum").is_none() && schema.get("const").is_none(),
    }
}

/// The schemas behind references and branches; `None` where they leave everything open or are too many.
fn open<'s>(root: &'s Value, mut waiting: Vec<&'s Value>) -> Option<Vec<&'s Value>> {
    let mut found = Vec::new();
    for _ in 0..SCHEMAS {
        let Some(schema) = waiting.pop() else { return Some(found) };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            waiting.push(reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer))?);
            continue;
        }
        // Several at once describe one value: each names a part of it.
        if schema.get("allOf").is_some() {
            return None;
        }
        let branches = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        let before = waiting.len();
        waiting.extend(branches.flatten());
        if waiting.len() == before {
            found.push(schema);
        } else if schema.get("properties").is_some() {
            return None;
        }
    }
    None
}

/// A list gives way to its elements, to each of which the names apply.
fn of_elements<'s>(root: &'s Value, places: Vec<&'s Value>) -> Option<Vec<&'s Value>> {
    let mut out = Vec::new();
    for place in places {
        match place.get("items") {
            Some(items) => out.extend(open(root, vec![items])?),
            None if place.get("properties").is_none() && may_be(place, "array") => return None,
            None => out.push(place),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint(select: &str, schema: &Value) -> Option<Option<String>> {
        Selection::parse(select).unwrap().ruled_out(schema).map(|absent| absent.hint)
    }

    fn near(name: &str) -> Option<Option<String>> {
        Some(Some(format!("did you mean `{name}`?")))
    }

    #[test]
    fn a_name_that_no_result_has_is_ruled_out() {
        let hit = json!({"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": ["string", "null"]}}});
        let page = json!({
            "type": "object",
            "properties": {"hits": {"type": "array", "items": {"$ref": "#/$defs/Hit"}}, "total": {"type": "integer"}},
            "$defs": {"Hit": hit},
        });
        assert_eq!(hint("totl", &page), near("total"));
        assert_eq!(hint("hits[0].nam", &page), near("name"));
        assert_eq!(hint("/hits/0/nam", &page), near("name"));
        assert_eq!(hint("zzz", &page), Some(None));
        for held in ["total", "hits", "hits[3].id", "/hits/0/name", "total,hits", "$.nothing"] {
            assert_eq!(hint(held, &page), None, "{held}");
        }
        let list = json!({"type": "array", "items": hit});
        assert_eq!(hint("id,nmae", &list), near("name"));
        assert_eq!(hint("[0].nmae", &list), near("name"));
        assert_eq!(hint("id,name", &list), None);
    }

    #[test]
    fn a_step_into_what_has_no_parts_is_ruled_out() {
        let page = json!({"type": "object", "properties": {
            "total": {"type": ["integer", "null"]},
            "hits": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}},
        }});
        let told = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(hint("total.x", &page), told("`total` has no parts with names"));
        assert_eq!(hint("/total/x", &page), told("`total` has no parts with names"));
        assert_eq!(hint("total[0]", &page), told("`total` is no list"));
        let list = "`hits` is a list: write `hits[0].nme`, or `$.hits[*].nme` for all";
        assert_eq!(hint("hits.nme", &page), told(list));
        assert_eq!(hint("total", &page), None);
        assert_eq!(hint("hits[0].id", &page), None);
        let texts = json!({"type": "array", "items": {"type": "string"}});
        assert_eq!(hint("name", &texts), told("it has no parts with names"));
        assert_eq!(hint("[0]", &texts), None);
    }

    #[test]
    fn what_a_schema_leaves_open_is_not_ruled_out() {
        let either = json!({"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {}}}]});
        assert_eq!(hint("a", &either), None);
        assert_eq!(hint("a.b.c", &either), None);
        assert_eq!(hint("b", &either), Some(None));
        for open in [
            json!({}),
            json!(true),
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}}),
            json!({"allOf": [{"properties": {"a": {}}}]}),
            json!({"type": "string"}),
            json!({"$ref": "#"}),
        ] {
            assert_eq!(hint("b", &open), None, "{open}");
        }
    }
}
