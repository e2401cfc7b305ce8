//! Taking one parameter: whether it came, what its absence means, and which decoder has the say. (arguments.md §6, §9)

use std::marker::PhantomData;

use serde::de::DeserializeSeed;
use serde_json::Value;

use super::bounds::Limits;
use super::coercion::{Coerce, Rule, Verdict};
use super::decode::{Decoded, Given, decoded, is_told_by_type};
use super::frame::{Args, Way};
use super::issue::{ArgIssue, IssueCode};
use super::lenient::{self, Lenient, Trace};
use super::place::Place;
use super::shape::{self, Shape};
use super::texts;
use super::typed::{Reading, Typed};
use super::walk::{Around, Found};
use super::whole::Whole;
use crate::__private::ToolArg;
use crate::def::{Hint, ParamDef, ParamKind};

static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static EMPTY: Value = Value::Array(Vec::new());

/// Whether a parameter came.
enum Presence {
    /// A surface has reported it already, or it is no parameter.
    Withheld,
    /// It must be given and was not.
    Missing,
    /// It was left out, or null which means the same.
    Absent,
    Given(Value),
}

impl Args<'_> {
    /// Decodes parameter `i`; absence of an option, flag or list is a value. Records issues and goes on.
    pub fn take<T: ToolArg>(&mut self, i: usize) -> Option<T> {
        match &mut self.way {
            Way::Short(direct) => direct.take(i, None),
            Way::Whole(whole) => whole.take(i, PhantomData::<T>),
        }
    }

    /// Decodes parameter `i`, or makes its default when it was left out or null.
    pub fn take_or<T: ToolArg>(&mut self, i: usize, default: fn() -> T) -> Option<T> {
        match &mut self.way {
            Way::Short(direct) => direct.take(i, Some(default)),
            Way::Whole(whole) => whole.take_or(i, default),
        }
    }

    /// [`Args::take`] by a seed instead of a type.
    #[doc(hidden)]
    pub fn take_seed<S: DeserializeSeed<'static> + Clone>(&mut self, i: usize, seed: S) -> Option<S::Value> {
        self.whole()?.take(i, seed)
    }

    /// Decodes parameter `i` by its schema alone. `None` where it was left out, or where an issue was recorded.
    pub fn take_value(&mut self, i: usize) -> Option<Value> {
        self.whole()?.take_value(i)
    }
}

impl<'a> Whole<'a> {
    fn take<S: DeserializeSeed<'static> + Clone>(&mut self, i: usize, seed: S) -> Option<S::Value> {
        let mut reading = Reading::of(seed);
        if let Some(presence) = self.unless_plain(i, &mut reading) {
            self.decode(i, presence, &mut reading)?;
        }
        reading.value
    }

    fn take_or<T: ToolArg>(&mut self, i: usize, default: fn() -> T) -> Option<T> {
        let mut reading = Reading::of(PhantomData::<T>);
        match self.unless_plain(i, &mut reading) {
            None => {}
            Some(Presence::Absent) => return Some(default()),
            Some(presence) => self.decode(i, presence, &mut reading)?,
        }
        reading.value
    }

    pub(super) fn take_value(&mut self, i: usize) -> Option<Value> {
        match self.presence(i) {
            Presence::Given(value) => {
                let outcome = self.given_to_schema(i, &value);
                self.settle(i, value, outcome)?;
                self.slots.get(i)?.read.as_deref().cloned()
            }
            Presence::Missing => {
                self.report_missing(i);
                None
            }
            Presence::Absent => self.default_value(i),
            Presence::Withheld => None,
        }
    }

    /// Whether a parameter came, unless its value could be read at once.
    fn unless_plain(&mut self, i: usize, reading: &mut dyn Typed) -> Option<Presence> {
        self.adopt(i, reading);
        self.plain(i, reading).is_none().then(|| self.presence(i))
    }

    /// The common case, cheaply: a value that came, that its type takes as it is, and whose type tells all. `None` says
    /// nothing; then the parameter is decoded with all the care.
    fn plain(&self, i: usize, reading: &mut dyn Typed) -> Option<()> {
        let (param, slot) = (self.params.get(i)?, self.slots.get(i)?);
        let value = slot.given.as_ref().filter(|value| !value.is_null())?;
        if slot.withheld || !is_told_by_type(param) || param.keys.flatten {
            return None;
        }
        let place = Place::Key(&Place::Top, param.name);
        let mut trace = Trace::new(self.mode);
        let role = lenient::Role::of(param.kind);
        let limits = Limits::of(&param.keys.bounds);
        reading.read(Lenient { value, place: &place, role, limits, trace: &mut trace }).ok()?;
        (!trace.changed).then_some(())
    }

    fn presence(&mut self, i: usize) -> Presence {
        let (Some(param), Some(slot)) = (self.params.get(i), self.slots.get_mut(i)) else {
            return Presence::Withheld;
        };
        if slot.withheld {
            return Presence::Withheld;
        }
        let required = param.is_required();
        let null_is_absent = !required && !param.null_is_value();
        match &slot.given {
            None if required => Presence::Missing,
            None => Presence::Absent,
            Some(Value::Null) if null_is_absent && self.mode.verdict(Rule::NullToAbsent) == Verdict::Note => {
                let path = Place::Key(&Place::Top, self.spelled(i)).pointer();
                self.notes.add(|| path, Rule::NullToAbsent);
                Presence::Absent
            }
            Some(_) => slot.given.take().map_or(Presence::Withheld, Presence::Given),
        }
    }

    /// Decodes a parameter that is not plain; `None` where an issue was recorded.
    fn decode(&mut self, i: usize, presence: Presence, reading: &mut dyn Typed) -> Option<()> {
        match presence {
            Presence::Withheld => None,
            Presence::Missing => {
                self.report_missing(i);
                None
            }
            Presence::Absent => self.absent(i, reading),
            Presence::Given(value) => {
                let outcome = self.given(i, &value, reading);
                self.settle(i, value, outcome)
            }
        }
    }

    /// The value of a parameter that was left out.
    fn absent(&mut self, i: usize, reading: &mut dyn Typed) -> Option<()> {
        let param = self.params.get(i)?;
        let made = param.default.map(|default| default());
        let value = made.as_ref().unwrap_or(match param.kind {
            ParamKind::Flag => &FALSE,
            ParamKind::List => &EMPTY,
            ParamKind::Required | ParamKind::Optional | ParamKind::Nullable => &NULL,
        });
        let mut trace = Trace::new(self.mode);
        let place = Place::Key(&Place::Top, param.name);
        let role = lenient::Role::Other;
        let source = Lenient { value, place: &place, role, limits: Limits::NONE, trace: &mut trace };
        match reading.read(source) {
            Ok(()) => Some(()),
            Err(refusal) => {
                self.issues.push((i, refusal.at(&place, value).into_issue(param.keys.secret)));
                None
            }
        }
    }

    /// Decodes a value: by type, and where that does not suffice by schema.
    fn given(&mut self, i: usize, value: &Value, reading: &mut dyn Typed) -> Result<Decoded, Found> {
        let Some(param) = self.params.get(i).copied() else { return Err(Found::default()) };
        let key = Place::Key(&Place::Top, self.spelled(i));
        let place = if param.keys.flatten { &Place::Top } else { &key };
        let given = Given { i, param, value, place, mode: self.mode_for(&param, value) };
        let told_by_type = is_told_by_type(&param);
        let mut before = None;
        if told_by_type || !self.is_guarded(i) {
            before = match given.by_type(reading) {
                (Ok(()), trace) if told_by_type || !trace.untyped => return Ok(decoded(trace)),
                other => Some(other),
            };
        }
        match (self.shape(), before) {
            (Some(shape), before) => given.by_both(shape, before, reading),
            (None, Some((Err(refusal), _))) => Err(given.refused(refusal)),
            (None, _) => Err(Found::default()),
        }
    }

    /// Decodes a value by its schema alone.
    fn given_to_schema(&mut self, i: usize, value: &Value) -> Result<Decoded, Found> {
        let (Some(param), Some(shape)) = (self.params.get(i).copied(), self.shape()) else {
            return Err(Found::default());
        };
        let key = Place::Key(&Place::Top, self.spelled(i));
        let place = if param.keys.flatten { &Place::Top } else { &key };
        Given { i, param, value, place, mode: self.mode_for(&param, value) }.by_schema(shape)
    }

    /// A number or boolean is no text where a path is wanted: it would name a file that nobody meant (sandbox.md §1).
    fn mode_for(&self, param: &ParamDef<'_>, value: &Value) -> Coerce {
        let is_path = matches!(param.keys.hint, Some(Hint::File | Hint::Dir | Hint::Path));
        if is_path && matches!(value, Value::Number(_) | Value::Bool(_)) { Coerce::Strict } else { self.mode }
    }

    /// What the tool's schema tells; a broken one is the fault that the call ends with.
    pub(super) fn shape(&mut self) -> Option<Shape<'a>> {
        shape::of(self.tool).map_err(|fault| self.fault = Some(fault)).ok()
    }

    pub(super) fn around(&self, shape: Shape<'a>, secret: bool) -> Around<'a> {
        let (definitions, patterns) = (shape.definitions(), shape.patterns());
        Around { definitions, patterns, mode: self.mode, secret }
    }

    fn is_guarded(&mut self, i: usize) -> bool {
        self.shape().is_none_or(|shape| shape.is_guarded(i))
    }

    /// Puts a value back into its slot and records what was found about it.
    fn settle(&mut self, i: usize, given: Value, outcome: Result<Decoded, Found>) -> Option<()> {
        let slot = self.slots.get_mut(i)?;
        slot.given = Some(given);
        match outcome {
            Ok(Decoded { notes, read, changed }) => {
                slot.read = read.map(Box::new);
                slot.changed = changed;
                self.notes.extend(notes);
                Some(())
            }
            Err(found) => {
                self.record(i, found);
                None
            }
        }
    }

    fn report_missing(&mut self, i: usize) {
        let Some(param) = self.params.get(i) else { return };
        let shape = shape::of(self.tool).ok();
        let expected = shape.map_or_else(
            || "a value".to_owned(),
            |shape| texts::expected(shape.param(i, param), shape.definitions()),
        );
        let issue = ArgIssue {
            path: Place::Key(&Place::Top, param.name).pointer(),
            code: IssueCode::Missing,
            expected,
            got: "nothing".to_owned(),
            hint: shape.and_then(|shape| self.misplaced(param.name, shape.param(i, param), &shape)),
        };
        self.issues.push((i, issue));
    }

    /// The hint for an object whose fields lie at the root.
    fn misplaced(&self, name: &str, schema: &Value, shape: &Shape<'_>) -> Option<String> {
        let keys = super::flat::Flat::new(schema, shape.definitions()).keys(&NULL);
        let at_root = self.unknown.iter().map(|(key, _)| key.as_str()).filter(|key| keys.contains(key));
        let fields: Vec<String> = at_root.map(|key| format!("`{key}`")).collect();
        (!fields.is_empty()).then(|| format!("put {} inside `{name}`", fields.join(", ")))
    }
}
