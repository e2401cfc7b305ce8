//! What changed between two contracts of one tool set. (registry.md §10)

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::Change;
use super::entry::{Entry, ParamEntry};
use super::schemas::{Direction, Found, Schemas};
use super::unions;

/// Every change from one list of tools to another, by tool, place and code.
pub fn compare(old: &[Entry], new: &[Entry]) -> Vec<Change> {
    let mut changes = Vec::new();
    for pair in paired(old, new) {
        match pair {
            (Some(old), Some(new)) => Tools { old, new, changes: &mut changes }.compare(),
            (Some(old), None) => changes.push(change(&old.name, "", "tool_removed", &old.name, "")),
            (None, Some(new)) => changes.push(change(&new.name, "", "tool_added", "", &new.name)),
            (None, None) => {}
        }
    }
    changes
        .sort_by(|one, other| (&one.tool, &one.path, one.code).cmp(&(&other.tool, &other.path, other.code)));
    changes.dedup_by(|next, first| {
        let is_same = (&next.tool, &next.path, next.code) == (&first.tool, &first.path, first.code);
        if is_same {
            join(&mut first.old, &next.old);
            join(&mut first.new, &next.new);
        }
        is_same
    });
    changes.iter_mut().for_each(shorten);
    changes
}

/// Says two things at one place in one line.
fn join(first: &mut String, next: &str) {
    if !first.is_empty() && !next.is_empty() {
        first.push_str(", ");
    }
    first.push_str(next);
}

/// What goes by a name, and formerly by others.
trait Named {
    fn name(&self) -> &str;
    fn aliases(&self) -> &[String];
}

impl Named for Entry {
    fn name(&self) -> &str {
        &self.name
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}

impl Named for ParamEntry {
    fn name(&self) -> &str {
        &self.name
    }
    fn aliases(&self) -> &[String] {
        &self.aliases
    }
}

/// What was and what is side by side: by equal names, then by an old name among the aliases of a new one.
fn paired<'a, T: Named>(old: &'a [T], new: &'a [T]) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let mut came: BTreeMap<&str, &T> = new.iter().map(|new| (new.name(), new)).collect();
    let kept: Vec<Option<&T>> = old.iter().map(|old| came.remove(old.name())).collect();
    let mut pairs = Vec::new();
    for (old, kept) in old.iter().zip(kept) {
        let is_called = |new: &&T| new.aliases().iter().any(|alias| alias == old.name());
        let renamed = || came.values().copied().find(is_called);
        let now = kept.or_else(renamed);
        if let Some(now) = now {
            came.remove(now.name());
        }
        pairs.push((Some(old), now));
    }
    pairs.extend(came.into_values().map(|new| (None, Some(new))));
    pairs
}

fn has_flag(param: &ParamEntry, flag: &str) -> bool {
    param.flags.iter().any(|own| own == flag)
}

/// Whether an option leads to a parameter as one of its aliases: an option of another parameter goes before.
fn takes_by_alias(tool: &Entry, param: &ParamEntry, flag: &str) -> bool {
    let is_others = |other: &ParamEntry| other.name != param.name && has_flag(other, flag);
    param.alias_flags().any(|alias| alias == flag) && !tool.params.iter().any(is_others)
}

fn change(tool: &str, path: &str, code: &'static str, old: &str, new: &str) -> Change {
    Change { tool: tool.to_owned(), path: path.to_owned(), code, old: old.to_owned(), new: new.to_owned() }
}

/// The most characters of what was, and of what is.
const MOST: usize = 60;

/// Characters in front of the first difference of two long texts.
const AHEAD: usize = 20;

/// Leaves of both texts what they begin with, on one line; of those that differ only behind that, what is around the difference.
fn shorten(change: &mut Change) {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (old, new) = (line(&change.old), line(&change.new));
    let same = old.chars().zip(new.chars()).take_while(|(one, other)| one == other).count();
    let from = if same < MOST - AHEAD { 0 } else { same - AHEAD };
    (change.old, change.new) = (part(&old, from), part(&new, from));
}

/// A part of a text; dots stand for what is left out.
fn part(text: &str, from: usize) -> String {
    let left: Vec<char> = text.chars().skip(from).collect();
    let (before, most) = if from > 0 { ("…", MOST - 1) } else { ("", MOST) };
    let shown = left.len().min(if left.len() > most { most - 1 } else { most });
    let after = if shown < left.len() { "…" } else { "" };
    format!("{before}{}{after}", left.iter().take(shown).collect::<String>())
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What is there under a name only once, and the code that this has.
type Once<'c> = (&'c str, &'static str);

/// One tool, before and after.
struct Tools<'a> {
    old: &'a Entry,
    new: &'a Entry,
    changes: &'a mut Vec<Change>,
}

impl<'a> Tools<'a> {
    fn note(&mut self, path: &str, code: &'static str, old: &str, new: &str) {
        self.changes.push(change(&self.new.name, path, code, old, new));
    }

    fn compare(&mut self) {
        let (old, new) = (self.old, self.new);
        if old.name != new.name {
            self.note("", "tool_renamed", &old.name, &new.name);
        }
        self.texts();
        if old.group != new.group {
            let group = |entry: &Entry| entry.group.clone().unwrap_or_default();
            self.note("", "group_changed", &group(old), &group(new));
        }
        self.effects();
        if old.terminal != new.terminal {
            self.note("", "terminal_changed", &old.terminal.to_string(), &new.terminal.to_string());
        }
        let known = |names: &'a [String], but: &str| -> BTreeSet<&'a str> {
            names.iter().map(String::as_str).filter(|name| *name != but).collect()
        };
        let (was, is) = (known(&old.aliases, &new.name), known(&new.aliases, &old.name));
        self.sets("", &was, &is, "alias_added", "alias_removed");
        let set = |names: &'a [String]| known(names, "");
        self.sets("", &set(&old.surfaces), &set(&new.surfaces), "surface_added", "surface_removed");
        let (was, is) = (set(&old.capabilities), set(&new.capabilities));
        self.sets("", &was, &is, "capability_added", "capability_removed");
        let rules =
            |entry: &Entry| -> Vec<String> { entry.constraints.iter().map(|rule| rule.join(" ")).collect() };
        let (was, is) = (rules(old), rules(new));
        let set = |rules: &'_ [String]| -> BTreeSet<String> { rules.iter().cloned().collect() };
        let (was, is) = (set(&was), set(&is));
        let both: (BTreeSet<&str>, BTreeSet<&str>) =
            (was.iter().map(String::as_str).collect(), is.iter().map(String::as_str).collect());
        self.sets("", &both.0, &both.1, "constraint_added", "constraint_removed");
        self.secrets();
        self.params();
        self.output();
    }

    fn texts(&mut self) {
        let (old, new) = (self.old, self.new);
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let rows = [
            ("title_changed", text(&old.title), text(&new.title)),
            ("description_changed", old.description.clone(), new.description.clone()),
            ("deprecated_changed", text(&old.deprecated), text(&new.deprecated)),
            ("tags_changed", old.tags.join(" "), new.tags.join(" ")),
        ];
        for (code, was, is) in rows.into_iter().filter(|row| row.1 != row.2) {
            self.note("", code, &was, &is);
        }
        if old.examples != new.examples {
            let labels = |entry: &Entry| {
                entry.examples.iter().map(|example| example.label.as_str()).collect::<Vec<_>>().join(", ")
            };
            self.note("", "examples_changed", &labels(old), &labels(new));
        }
    }

    fn effects(&mut self) {
        let (old, new) = (self.old.behavior, self.new.behavior);
        // Being repeatable is what an effect takes away.
        let rows = [
            ("side effect", old.side_effect, new.side_effect),
            ("destructive", old.destructive, new.destructive),
            ("open world", old.open_world, new.open_world),
            ("not idempotent", !old.idempotent, !new.idempotent),
        ];
        for (word, was, is) in rows {
            match (was, is) {
                (false, true) => self.note("", "effect_added", "", word),
                (true, false) => self.note("", "effect_removed", word, ""),
                _ => {}
            }
        }
    }

    fn sets(
        &mut self,
        path: &str,
        was: &BTreeSet<&str>,
        is: &BTreeSet<&str>,
        added: &'static str,
        removed: &'static str,
    ) {
        let came = is.difference(was).map(|name| (*name, added));
        let gone = was.difference(is).map(|name| (*name, removed));
        let once: Vec<Once<'_>> = came.chain(gone).collect();
        for (name, code) in once {
            let (old, new) = if code == added { ("", name) } else { (name, "") };
            self.note(path, code, old, new);
        }
    }

    fn secrets(&mut self) {
        let keys = |entry: &'a Entry| -> BTreeMap<&'a str, bool> {
            entry.secrets.iter().map(|secret| (secret.key.as_str(), secret.optional)).collect()
        };
        let (was, is) = (keys(self.old), keys(self.new));
        for key in was.keys().chain(is.keys()).collect::<BTreeSet<_>>() {
            match (was.get(key), is.get(key)) {
                (None, Some(false)) => self.note("", "secret_added", "", key),
                (None, Some(true)) => self.note("", "optional_secret_added", "", key),
                (Some(_), None) => self.note("", "secret_removed", key, ""),
                (Some(true), Some(false)) => self.note("", "secret_required", key, key),
                (Some(false), Some(true)) => self.note("", "secret_optional", key, key),
                _ => {}
            }
        }
    }

    fn params(&mut self) {
        let (old, new) = (self.old, self.new);
        let pairs = paired(&old.params, &new.params);
        let mut schemas = Schemas::new(&old.input, &new.input);
        for pair in &pairs {
            match *pair {
                (Some(before), Some(after)) => self.param(before, after, &mut schemas),
                (Some(before), None) => {
                    self.note(&pointer(&before.name), "param_removed", &before.name, "");
                }
                (None, Some(after)) => {
                    let required = is_required(&new.input, &after.name);
                    let code = if required { "required_param_added" } else { "param_added" };
                    self.note(&pointer(&after.name), code, "", &after.name);
                }
                (None, None) => {}
            }
        }
        schemas.compare_frame();
        self.found(schemas.found(), &INPUT);
        let renamed: BTreeMap<&str, &str> =
            pairs.iter().filter_map(|(was, is)| Some((was.as_ref()?.name(), is.as_ref()?.name()))).collect();
        self.order(&renamed);
        self.positionals(&renamed);
    }

    fn param(&mut self, old: &'a ParamEntry, new: &'a ParamEntry, schemas: &mut Schemas<'a>) {
        let path = pointer(&new.name);
        if old.name != new.name {
            self.note(&path, "param_renamed", &old.name, &new.name);
        }
        fn known<'n>(names: &'n [String], but: &str) -> BTreeSet<&'n str> {
            names.iter().map(String::as_str).filter(|name| *name != but).collect()
        }
        let (was, is) = (known(&old.aliases, &new.name), known(&new.aliases, &old.name));
        self.sets(&path, &was, &is, "param_alias_added", "param_alias_removed");
        // An alias is an option, too, where no other parameter has that: what is one before or after is told as an alias.
        let own = |param: &'a ParamEntry, other: &'a ParamEntry, beside: &Entry| -> BTreeSet<&'a str> {
            let is_told = |flag: &&str| !has_flag(other, flag) && takes_by_alias(beside, other, flag);
            known(&param.flags, "").into_iter().filter(|flag| !is_told(flag)).collect()
        };
        let (was, is) = (own(old, new, self.new), own(new, old, self.old));
        self.sets(&path, &was, &is, "flag_added", "flag_removed");
        match (old.secret, new.secret) {
            (false, true) => self.note(&path, "secret_marked", "", "secret"),
            (true, false) => self.note(&path, "secret_unmarked", "secret", ""),
            _ => {}
        }
        if schemas.is_union() {
            return;
        }
        let required = (is_required(&self.old.input, &old.name), is_required(&self.new.input, &new.name));
        let before = property(&self.old.input, &old.name);
        let after = property(&self.new.input, &new.name);
        match required {
            (false, true) => self.note(&path, "param_required", "optional", "required"),
            (true, false) => self.note(&path, "param_optional", "required", "optional"),
            _ => {
                let default =
                    |schema: Option<&Value>| schema.and_then(|schema| schema.get("default")).cloned();
                let (was, is) = (default(before), default(after));
                if was != is {
                    let text = |value: Option<Value>| value.map_or_else(String::new, |value| shown(&value));
                    self.note(&path, "default_changed", &text(was), &text(is));
                }
            }
        }
        let any = &Value::Bool(true);
        schemas.compare(&path, before.unwrap_or(any), after.unwrap_or(any));
    }

    fn order(&mut self, renamed: &BTreeMap<&str, &str>) {
        let was: Vec<&str> =
            self.old.params.iter().filter_map(|param| renamed.get(param.name.as_str()).copied()).collect();
        let kept: BTreeSet<&str> = was.iter().copied().collect();
        let is: Vec<&str> = self
            .new
            .params
            .iter()
            .map(|param| param.name.as_str())
            .filter(|name| kept.contains(name))
            .collect();
        if was != is {
            self.note("", "param_order_changed", &was.join(", "), &is.join(", "));
        }
    }

    fn positionals(&mut self, renamed: &BTreeMap<&str, &str>) {
        fn placed(entry: &Entry) -> Vec<&str> {
            let mut placed: Vec<(usize, &str)> = entry
                .params
                .iter()
                .filter_map(|param| Some((param.positional?, param.name.as_str())))
                .collect();
            placed.sort_unstable();
            placed.into_iter().map(|row| row.1).collect()
        }
        let was: Vec<&str> =
            placed(self.old).into_iter().map(|name| renamed.get(name).copied().unwrap_or(name)).collect();
        let is = placed(self.new);
        if is != was {
            let code = if is.starts_with(&was) { "flag_added" } else { "positional_changed" };
            self.note("", code, &was.join(" "), &is.join(" "));
        }
    }

    fn output(&mut self) {
        match (&self.old.output, &self.new.output) {
            (None, Some(_)) => self.note("", "output_added", "", "an output schema"),
            (Some(_), None) => self.note("", "output_removed", "an output schema", ""),
            (Some(old), Some(new)) => {
                let mut schemas = Schemas::new(old, new);
                schemas.compare("", old, new);
                self.found(schemas.found(), &OUTPUT);
            }
            (None, None) => {}
        }
    }

    fn found(&mut self, found: Vec<Found>, codes: &Codes) {
        for Found { path, direction, old, new } in found {
            if let Some(code) = codes(direction) {
                self.note(&path, code, &old, &new);
            }
        }
    }
}

/// What a direction is called; `None` where it means nothing.
type Codes = fn(Direction) -> Option<&'static str>;

const INPUT: Codes = |direction| {
    Some(match direction {
        Direction::Wider | Direction::PropertyAdded | Direction::Absent => "input_widened",
        Direction::Narrower
        | Direction::RequiredPropertyAdded
        | Direction::PropertyRemoved
        | Direction::Present => "input_narrowed",
        Direction::Other => "input_changed",
        Direction::Default => "default_changed",
        Direction::Text => "param_text_changed",
    })
};

const OUTPUT: Codes = |direction| {
    Some(match direction {
        Direction::Wider | Direction::Absent => "output_widened",
        Direction::Narrower | Direction::Present => "output_narrowed",
        Direction::PropertyAdded | Direction::RequiredPropertyAdded => "output_property_added",
        Direction::PropertyRemoved => "output_property_removed",
        Direction::Other => "output_changed",
        Direction::Text => "description_changed",
        Direction::Default => return None,
    })
};

fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn property<'s>(input: &'s Value, name: &str) -> Option<&'s Value> {
    input.get("properties")?.get(name)
}

/// Whether every object of an input must have a property.
fn is_required(input: &Value, name: &str) -> bool {
    let requires = |object: &Value| unions::required(object).any(|required| required == name);
    requires(input) || unions::branches(input).is_some_and(|branches| branches.into_iter().all(requires))
}
