//! The decoder by schema: walks a canonical schema along a value with the rules of arguments.md §4 to §7.
//!
//! It finds every issue where the decoder by type stops at the first, sees the assertions and unions that a type does not
//! tell, and is the only decoder of tools that have no types. What it returns is the value with the coercions applied.

mod found;
mod list;
mod object;
mod scalar;
mod union;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::asked::Strangers;
use super::coerce::{self, Container, Misfit, Unopened};
use super::coercion::{Coerce, Rule, Verdict};
use super::issue::IssueCode;
use super::names::Names;
use super::patterns::Patterns;
use super::place::Place;
use super::texts;
use crate::schema::form;
pub(crate) use found::Found;
pub use object::one_of;
pub(super) use object::{is_required, twice};
pub(super) use scalar::within;

/// What a value is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// An item of an array; a lone value is not wrapped there.
    Item,
    /// Anything else.
    Other,
}

/// What a walk needs to know besides schema and value.
#[derive(Clone, Copy)]
pub(crate) struct Around<'w> {
    /// The `$defs` of the schema's root.
    pub(crate) definitions: &'w Map<String, Value>,
    /// The compiled patterns of the schema.
    pub(crate) patterns: &'w Patterns,
    pub(crate) mode: Coerce,
    /// Whether values are hidden in what is reported.
    pub(crate) secret: bool,
}

/// The limits of a Rust integer type, met at a place by the decoder by type; a schema does not tell those of 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct TypeLimits {
    pub(crate) path: String,
    pub(crate) least: i128,
    pub(crate) greatest: i128,
}

/// One walk along one value.
pub(crate) struct Walk<'w> {
    around: Around<'w>,
    limits: Option<TypeLimits>,
    /// Aliases that the schema does not tell.
    names: Names,
    /// Keys that only the type could tell something about.
    pub(crate) strangers: Vec<Strangers>,
    /// The schema of the integer that met [`TypeLimits`]; its fellows in the same list share them.
    limited: Option<*const Value>,
    /// Issues and notes so far.
    pub(crate) found: Found,
    /// Whether the result differs from what came.
    pub(crate) changed: bool,
    tried: union::Tried,
    /// Texts that were opened inside unions, kept because the memory of [`union::Tried`] goes by address.
    opened: Vec<Rc<Value>>,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(around: Around<'w>) -> Walk<'w> {
        Walk {
            around,
            limits: None,
            names: Names::default(),
            strangers: Vec::new(),
            limited: None,
            found: Found::default(),
            changed: false,
            tried: HashMap::new(),
            opened: Vec::new(),
        }
    }

    /// Looks in another mode.
    pub(crate) fn in_mode(mut self, mode: Coerce) -> Walk<'w> {
        self.around.mode = mode;
        self
    }

    /// Adds what the decoder by type has learnt before.
    pub(crate) fn knowing(mut self, names: Names, limits: Option<TypeLimits>) -> Walk<'w> {
        self.names = names;
        self.limits = limits;
        self
    }

    /// Whether values are hidden in what is reported.
    pub(crate) fn is_secret(&self) -> bool {
        self.around.secret
    }

    /// The value as the schema has it. Where something is wrong it stays as it came, and an issue says so.
    pub(crate) fn value(&mut self, schema: &Value, value: &Value, place: &Place<'_>, role: Role) -> Value {
        let schema = form::resolve(schema, self.around.definitions);
        if value.is_null() && accepts_null(schema) {
            return Value::Null;
        }
        let schema = form::resolve(form::without_null(schema), self.around.definitions);
        if schema == &Value::Bool(false) {
            return self.misfit(Misfit::TYPE, schema, value, place);
        }
        if let Some(union) = form::union(schema, self.around.definitions).filter(|_| is_bare(schema)) {
            return self.union(schema, &union, value, place, role);
        }
        let mut types = form::types(schema);
        match (types.next(), types.next()) {
            (Some(name), None) => self.typed(name, schema, value, place, role),
            (Some(_), Some(_)) => self.any_of_types(schema, value, place, role),
            (None, _) => self.untyped(schema, value, place, role),
        }
    }

    fn typed(&mut self, name: &str, schema: &Value, value: &Value, place: &Place<'_>, role: Role) -> Value {
        match name {
            "integer" => self.integer(schema, value, place),
            "number" => self.number(schema, value, place),
            "boolean" => self.boolean(schema, value, place),
            "string" => self.text(schema, value, place),
            "array" => self.container(schema, value, place, |walk| walk.array(schema, value, place, role)),
            "object" => self.container(schema, value, place, |walk| walk.object(schema, value, place)),
            _ => self.misfit(Misfit::of_type(value), schema, value, place),
        }
    }

    /// A schema without a type: what its other keywords say of values of that type. None is asked for, so none is coerced.
    fn untyped(&mut self, schema: &Value, value: &Value, place: &Place<'_>, role: Role) -> Value {
        if schema.get("type").is_some() {
            return self.misfit(Misfit::of_type(value), schema, value, place);
        }
        match value {
            Value::Object(_) | Value::Array(_) => {
                let name = if value.is_object() { "object" } else { "array" };
                self.typed(name, schema, value, place, role)
            }
            Value::Number(number) => self.bounded(schema, number.clone(), value, place),
            Value::String(text) => {
                let text = self.limited(schema, text, value, place);
                self.listed(schema, text, value, place)
            }
            Value::Bool(_) | Value::Null => self.listed(schema, value.clone(), value, place),
        }
    }

    // ---- what is found ----------------------------------------------------------------------------------------------

    /// Reports what is wrong with a value, which stays as it is.
    fn misfit(&mut self, misfit: Misfit, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        if misfit.code == IssueCode::Range {
            return self.out_of_range(schema, value, place, None);
        }
        let definitions = self.around.definitions;
        let got = self.got(value);
        self.found.issue(misfit.code, || {
            (place.pointer(), texts::expected(schema, definitions), got(), misfit.hint.map(str::to_owned))
        });
        value.clone()
    }

    fn refuse(&mut self, code: IssueCode, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        self.misfit(Misfit { code, hint: None }, schema, value, place)
    }

    /// Reports a number outside its bounds, or outside the limits of its type.
    fn out_of_range(
        &mut self,
        schema: &Value,
        value: &Value,
        place: &Place<'_>,
        limits: Option<(i128, i128)>,
    ) -> Value {
        let definitions = self.around.definitions;
        let got = self.got(value);
        let (least, greatest) =
            limits.map(|(least, greatest)| (least.to_string(), greatest.to_string())).unzip();
        self.found.issue(IssueCode::Range, || {
            let expected = texts::expected_range(schema, definitions, least.as_deref(), greatest.as_deref());
            (place.pointer(), expected, got(), None)
        });
        value.clone()
    }

    /// What came, to be told when it is needed.
    fn got<'v>(&self, value: &'v Value) -> impl Fn() -> String + use<'v> {
        let secret = self.around.secret;
        move || if secret { texts::got_hidden(value) } else { texts::got(value) }
    }

    /// Notes that a value was read under a rule, where the mode allows it.
    fn apply(&mut self, rule: Rule, place: &Place<'_>) -> Result<(), Misfit> {
        match self.around.mode.verdict(rule) {
            Verdict::Accept => {}
            Verdict::Note => self.found.note(|| place.pointer(), rule),
            Verdict::Refuse => return Err(Misfit::TYPE),
        }
        self.changed = true;
        Ok(())
    }

    /// The array or object inside a text; `None` where the text is reported.
    fn open(
        &mut self,
        container: Container,
        text: &str,
        schema: &Value,
        value: &Value,
        place: &Place<'_>,
    ) -> Option<Rc<Value>> {
        let opened = match self.apply(container.rule(), place) {
            Ok(()) => coerce::open(text, container, place.level()),
            Err(misfit) => Err(Unopened::Misfit(misfit)),
        };
        match opened {
            Ok(opened) => {
                let opened = Rc::new(opened);
                self.opened.push(Rc::clone(&opened));
                Some(opened)
            }
            Err(Unopened::Misfit(misfit)) => {
                self.misfit(misfit, schema, value, place);
                None
            }
            Err(Unopened::Twice(inside)) => {
                for issue in inside {
                    self.found.issue(IssueCode::Duplicate, || {
                        (place.pointer() + &issue.path, issue.expected, issue.got, None)
                    });
                }
                None
            }
        }
    }
}

/// Whether null is a value of a schema: nothing that it says of its values may speak against it.
fn accepts_null(schema: &Value) -> bool {
    let by_type = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == "null"),
        Some(name) => name == "null",
        None => true,
    };
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let by_branch = branches.is_none_or(|branches| branches.iter().any(form::is_null));
    let listed = scalar::members(schema);
    let by_value = listed.is_empty() || listed.contains(&Value::Null);
    schema != &Value::Bool(false) && schema.get("$ref").is_none() && by_type && by_branch && by_value
}

/// Whether a union stands alone: beside other assertions its branches are only parts of types.
fn is_bare(schema: &Value) -> bool {
    const SHAPES: [&str; 5] = ["type", "properties", "items", "prefixItems", "allOf"];
    SHAPES.iter().all(|keyword| schema.get(keyword).is_none())
}
