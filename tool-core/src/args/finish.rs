//! Everything that is wrong with a call, at once and in order; then the rules between parameters. (arguments.md §7, §10)

use serde_json::Value;

use super::flat::Flat;
use super::issue::{ArgIssue, IssueCode, MAX_ISSUES};
use super::place::Place;
use super::refused::refused;
use super::walk::one_of;
use super::whole::Whole;
use super::{shape, suggest, texts};
use crate::def::{Constraint, ParamDef};
use crate::error::ToolError;

impl Whole<'_> {
    /// Every issue of the call at once, or none.
    pub(super) fn finish(&mut self) -> Result<(), ToolError> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let total = self.issues.len() + self.more + self.unknown.len();
        if total > 0 {
            return Err(refused(self.listed(), total));
        }
        if self.tool.constraints.is_empty() && self.params.iter().all(is_independent) {
            return Ok(());
        }
        let broken = self.broken_constraints();
        if broken.is_empty() { Ok(()) } else { Err(refused(broken.clone(), broken.len())) }
    }

    /// The issues that are listed, in order.
    fn listed(&self) -> Vec<ArgIssue> {
        let mut issues: Vec<&(usize, ArgIssue)> = self.issues.iter().collect();
        issues.sort_by_key(|issue| issue.0);
        let mut listed: Vec<ArgIssue> =
            issues.into_iter().take(MAX_ISSUES).map(|issue| issue.1.clone()).collect();
        let room = MAX_ISSUES - listed.len();
        if room > 0 && !self.unknown.is_empty() {
            let names = self.names();
            listed.extend(self.unknown.iter().take(room).map(|(key, value)| unknown(&names, key, value)));
        }
        listed
    }

    /// The names at the root, in declaration order.
    fn names(&self) -> Vec<Name<'_>> {
        let mut names = Vec::new();
        for (i, param) in self.params.iter().enumerate() {
            let shape = if param.keys.flatten { shape::of(self.tool).ok() } else { None };
            let Some(shape) = shape else {
                let aliases = param.keys.aliases.to_vec();
                names.push(Name { name: param.name, aliases, secret: param.keys.secret });
                continue;
            };
            let slot = self.slots.get(i);
            let given = slot.and_then(|slot| slot.given.as_ref()).unwrap_or(&Value::Null);
            let words = slot.and_then(|slot| slot.words.as_deref());
            let keys = Flat::new(shape.param(i, param), shape.definitions()).keys(given);
            let named = |name| {
                let aliases = words.map(|words| words.aliases(name).collect()).unwrap_or_default();
                Name { name, aliases, secret: param.keys.secret }
            };
            names.extend(keys.into_iter().map(named));
        }
        names
    }

    // ---- rules between parameters -----------------------------------------------------------------------------------

    fn broken_constraints(&self) -> Vec<ArgIssue> {
        let of_tool = self.tool.constraints.iter().filter_map(|constraint| match constraint {
            Constraint::ExactlyOne(names) => self.counted("exactly one of", names, |given| given == 1),
            Constraint::AtLeastOne(names) => self.counted("at least one of", names, |given| given > 0),
        });
        let given = self.params.iter().enumerate().filter(|(_, param)| self.is_given(param.name));
        let of_params = given.flat_map(|(i, param)| {
            let conflicts =
                param.keys.conflicts_with.iter().filter(|other| self.is_given(other)).map(move |other| {
                    self.broken(i, format!("not together with `{other}`"), "both given".to_owned())
                });
            let needs =
                param.keys.requires.iter().filter(|other| !self.is_given(other)).map(move |other| {
                    self.broken(i, format!("`{other}` as well"), format!("`{other}` missing"))
                });
            conflicts.chain(needs)
        });
        of_tool.chain(of_params).collect()
    }

    fn counted(&self, rule: &str, names: &[&str], holds: fn(usize) -> bool) -> Option<ArgIssue> {
        let given = names.iter().filter(|name| self.is_given(name)).count();
        if holds(given) {
            return None;
        }
        let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        Some(ArgIssue {
            path: String::new(),
            code: IssueCode::Constraint,
            expected: format!("{rule} {}", listed.join(", ")),
            got: if given == 0 { "none given".to_owned() } else { format!("{given} given") },
            hint: None,
        })
    }

    fn broken(&self, i: usize, expected: String, got: String) -> ArgIssue {
        let path = Place::Key(&Place::Top, self.spelled(i)).pointer();
        ArgIssue { path, code: IssueCode::Constraint, expected, got, hint: None }
    }

    /// Whether the caller gave a parameter, or a field of a flattened one, and not as null.
    fn is_given(&self, name: &str) -> bool {
        self.params.iter().zip(&self.slots).any(|(param, slot)| match &slot.given {
            Some(Value::Object(members)) if param.keys.flatten => {
                let mut meant = members.iter().filter(|(key, _)| slot.own_name(key) == name);
                meant.any(|(_, value)| !value.is_null())
            }
            Some(value) => param.name == name && !value.is_null(),
            None => false,
        })
    }
}

/// A name at the root.
struct Name<'n> {
    name: &'n str,
    aliases: Vec<&'n str>,
    secret: bool,
}

fn is_independent(param: &ParamDef<'_>) -> bool {
    param.keys.conflicts_with.is_empty() && param.keys.requires.is_empty()
}

fn unknown(names: &[Name<'_>], key: &str, value: &Value) -> ArgIssue {
    let spellings = |name: &Name<'_>| {
        let shown = name.name;
        std::iter::once(shown)
            .chain(name.aliases.iter().copied())
            .map(|spelling| (shown.to_owned(), spelling.to_owned()))
            .collect::<Vec<_>>()
    };
    let spellings: Vec<(String, String)> = names.iter().flat_map(spellings).collect();
    let nearest =
        suggest::suggest(key, spellings.iter().map(|(shown, spelling)| (shown.as_str(), spelling.as_str())));
    // What was meant for a secret parameter is as secret as what reaches it.
    let secret = names.iter().any(|name| name.secret && nearest.contains(&name.name));
    ArgIssue {
        path: Place::Key(&Place::Top, key).pointer(),
        code: IssueCode::Unknown,
        expected: one_of("parameters", names.iter().map(|name| name.name)),
        got: if secret { texts::got_hidden(value) } else { texts::got(value) },
        hint: suggest::did_you_mean(&nearest),
    }
}
