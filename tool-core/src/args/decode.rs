//! One given value through both decoders: which has the first word, and which the last. (arguments.md §9)

use serde_json::Value;

use super::asked::{Asking, MOST_LEVELS, Strangers};
use super::bounds::Limits;
use super::coercion::{Coerce, Notes, Rule};
use super::issue::IssueCode;
use super::lenient::{self, Lenient, Refusal, Trace};
use super::names::{Names, Told};
use super::place::Place;
use super::shadow;
use super::shape::Shape;
use super::texts;
use super::typed::Typed;
use super::walk::{self, Around, Found, TypeLimits, Walk};
use crate::def::ParamDef;

/// What a decoder tells of a value that it took.
pub(super) struct Decoded {
    pub(super) notes: Notes,
    /// The value as it was read, where a schema tells.
    pub(super) read: Option<Value>,
    /// That it was read otherwise than it came, without a schema.
    pub(super) changed: Option<Box<Names>>,
}

/// A value that came for a parameter, and where.
pub(super) struct Given<'g, 'a> {
    pub(super) i: usize,
    pub(super) param: ParamDef<'a>,
    pub(super) value: &'g Value,
    pub(super) place: &'g Place<'g>,
    pub(super) mode: Coerce,
}

/// What a walk made of a value.
struct Walked {
    read: Value,
    found: Found,
    changed: bool,
    strangers: Vec<Strangers>,
}

impl<'a> Given<'_, 'a> {
    /// Decodes by type alone.
    pub(super) fn by_type(&self, reading: &mut dyn Typed) -> (Result<(), Refusal>, Trace) {
        let mut trace = Trace::new(self.mode);
        let source = self.source(self.value, Limits::of(&self.param.keys.bounds), &mut trace);
        (self.placed(reading.read(source), self.value), trace)
    }

    /// Decodes by schema alone.
    pub(super) fn by_schema(&self, shape: Shape<'a>) -> Result<Decoded, Found> {
        let walked = self.walk(shape, Names::default(), None);
        if !walked.found.is_clean() {
            return Err(walked.found);
        }
        Ok(Decoded { notes: walked.found.notes, read: Some(walked.read), changed: None })
    }

    /// Decodes by schema and then by type, which may have been tried before.
    pub(super) fn by_both(
        &self,
        shape: Shape<'a>,
        before: Option<(Result<(), Refusal>, Trace)>,
        reading: &mut dyn Typed,
    ) -> Result<Decoded, Found> {
        let (mut typed, mut names) = before.map(|(typed, trace)| (typed, trace.names)).unzip();
        let mut walked = self.walk(shape, names.clone().unwrap_or_default(), limits_of(typed.as_ref()));
        if typed.is_none() && walked.found.may_be_aliases() {
            // Only the type knows its aliases. Serde may take long over what is wrong, so it is asked as a last resort.
            let (tried, trace) = self.by_type(reading);
            let (tried, learnt) = (typed.insert(tried), names.insert(trace.names));
            walked = self.walk(shape, learnt.clone(), limits_of(Some(tried)));
        }
        let mut asking = Asking::new(self, shape, reading);
        for _ in 0..MOST_LEVELS {
            if walked.strangers.is_empty() {
                break;
            }
            let names = names.get_or_insert_default();
            let told: Vec<Told> =
                walked.strangers.iter().flat_map(|strangers| asking.told(strangers, names)).collect();
            if told.into_iter().filter(|told| names.tell(told.clone())).count() == 0 {
                break;
            }
            walked = self.walk(shape, names.clone(), limits_of(typed.as_ref()));
        }
        let Walked { read, found, changed, .. } = walked;
        match typed {
            Some(Ok(())) if found.is_clean() && !changed => {
                let decoded = Decoded { notes: found.notes, read: None, changed: None };
                return self.unless_hidden(shape, &read, reading, decoded);
            }
            Some(Err(refusal)) if found.is_clean() && !changed => return Err(self.refused(refusal)),
            _ if !found.is_clean() => return Err(found),
            _ => {}
        }
        let read_again = reading.read(self.source(&read, Limits::NONE, &mut Trace::new(Coerce::Lenient)));
        match self.placed(read_again, &read) {
            Ok(()) => {
                let decoded = Decoded { notes: found.notes, read: None, changed: None };
                let decoded = self.unless_hidden(shape, &read, reading, decoded)?;
                Ok(Decoded { read: Some(read), ..decoded })
            }
            Err(refusal) => {
                let limited = type_limits(&refusal)
                    .map(|limits| self.walk(shape, names.unwrap_or_default(), Some(limits)));
                let limited = limited.map(|walked| walked.found).filter(|found| !found.is_clean());
                Err(limited.unwrap_or_else(|| self.as_written(self.refused(refusal), &found.notes)))
            }
        }
    }

    /// What was decoded, unless serde took a part of the value as an earlier alternative than the schema, and dropped
    /// what that one does not know.
    fn unless_hidden(
        &self,
        shape: Shape<'a>,
        read: &Value,
        reading: &dyn Typed,
        decoded: Decoded,
    ) -> Result<Decoded, Found> {
        if !shape.may_hide(self.i) {
            return Ok(decoded);
        }
        let around = self.around(shape);
        let mut found = Found::default();
        for shadow in shadow::shadows(around, shape.param(self.i, &self.param), read) {
            let mut asked = read.clone();
            if let Some(value) = asked.pointer_mut(&shadow.pointer) {
                *value = shadow.telling;
            }
            if self.asked(&asked, reading).is_err() {
                continue;
            }
            let (value, path) =
                (read.pointer(&shadow.pointer).unwrap_or(read), self.place.pointer() + &shadow.pointer);
            if found.issues.iter().any(|issue| issue.path == path) {
                continue;
            }
            found.issue(IssueCode::Ambiguous, || {
                let got = if self.param.keys.secret { texts::got_hidden(value) } else { texts::got(value) };
                (path, texts::expected(shadow.schema, around.definitions), got, None)
            });
        }
        if found.is_clean() { Ok(decoded) } else { Err(self.as_written(found, &decoded.notes)) }
    }

    pub(super) fn around(&self, shape: Shape<'a>) -> Around<'a> {
        Around {
            definitions: shape.definitions(),
            patterns: shape.patterns(),
            mode: self.mode,
            secret: self.param.keys.secret,
        }
    }

    /// Issues with what was read, brought back to what came: a lone value has no place of its own in the array it became,
    /// and what was coerced is told as it was sent.
    fn as_written(&self, mut found: Found, notes: &Notes) -> Found {
        let place = self.place.pointer();
        for issue in &mut found.issues {
            for note in notes.first().iter().filter(|note| note.rule == Rule::SingleToArray) {
                let inside = issue.path.strip_prefix(&note.path).and_then(|rest| rest.strip_prefix("/0"));
                if let Some(rest) = inside.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                    issue.path = format!("{}{rest}", note.path);
                }
            }
            let sent = issue.path.strip_prefix(&place).and_then(|pointer| self.value.pointer(pointer));
            if let Some(sent) = sent.filter(|_| issue.code != IssueCode::Duplicate) {
                let secret = self.param.keys.secret;
                issue.got = if secret { texts::got_hidden(sent) } else { texts::got(sent) };
            }
        }
        found
    }

    /// The refusal of a type as the one issue.
    pub(super) fn refused(&self, refusal: Refusal) -> Found {
        Found::one(refusal.into_issue(self.param.keys.secret))
    }

    /// What the type says to a value in the place of the one that came.
    pub(super) fn asked(&self, value: &Value, reading: &dyn Typed) -> Result<(), Refusal> {
        let mut trace = Trace::new(Coerce::Lenient);
        self.placed(reading.ask(self.source(value, Limits::NONE, &mut trace)), value)
    }

    fn source<'v>(&'v self, value: &'v Value, limits: Limits<'v>, trace: &'v mut Trace) -> Lenient<'v, 'v> {
        Lenient { value, place: self.place, role: lenient::Role::of(self.param.kind), limits, trace }
    }

    /// A type that refuses what its inner type took says so without a place.
    fn placed(&self, read: Result<(), Refusal>, value: &Value) -> Result<(), Refusal> {
        read.map_err(|refusal| refusal.at(self.place, value))
    }

    fn walk(&self, shape: Shape<'a>, names: Names, limits: Option<TypeLimits>) -> Walked {
        let mut walk = Walk::new(self.around(shape)).knowing(names, limits);
        let read = walk.value(shape.param(self.i, &self.param), self.value, self.place, walk::Role::Other);
        let fits = walk.found.is_clean();
        shape.judge(self.i, &read, self.place, &mut walk);
        let notes = walk.found.notes.clone();
        // The judge has seen what was read, the walk what came.
        let found =
            if fits && !walk.found.is_clean() { self.as_written(walk.found, &notes) } else { walk.found };
        Walked { read, found, changed: walk.changed, strangers: walk.strangers }
    }
}

/// Whether the type of a parameter alone tells all that its schema would.
pub(super) fn is_told_by_type(param: &ParamDef<'_>) -> bool {
    (param.simple || param.keys.any) && param.keys.bounds.pattern.is_none()
}

/// What the decoder by type made, with what it traced.
pub(super) fn decoded(trace: Trace) -> Decoded {
    let Trace { notes, changed, names, .. } = trace;
    Decoded { notes, read: None, changed: changed.then(|| Box::new(names)) }
}

fn limits_of(typed: Option<&Result<(), Refusal>>) -> Option<TypeLimits> {
    typed.and_then(|typed| typed.as_ref().err()).and_then(type_limits)
}

fn type_limits(refusal: &Refusal) -> Option<TypeLimits> {
    let (least, greatest) = refusal.limits()?;
    Some(TypeLimits { path: refusal.path().to_owned(), least, greatest })
}
