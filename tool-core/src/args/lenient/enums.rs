//! Enums of the decoder by type: a case by its name, or an object of one key that names the case.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor};
use serde_json::Value;

use super::{Lenient, Outcome, Refusal, Role};
use crate::args::bounds::Limits;
use crate::args::coerce::{self, Container, Misfit, Read};
use crate::args::issue::IssueCode;
use crate::args::place::Place;

impl Lenient<'_, '_> {
    /// One of the cases of an enum.
    pub(super) fn case<'de, V: Visitor<'de>>(
        mut self,
        cases: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let (place, value) = (self.place, self.value);
        self.trace.names.cases.learn(cases);
        if let Value::String(text) = value
            && let Some(name) = self.named(text, cases, place)?
        {
            let unit = Case { name, content: None };
            return visitor.visit_enum(unit).map_err(|refusal| refusal.at(place, value));
        }
        let opened = self.opened(Container::Object)?;
        let object = match opened.as_ref().unwrap_or(value) {
            Value::Object(members) => members,
            Value::String(text) if !coerce::is_blank(text) => {
                return Err(self.refuse(IssueCode::Choice, one_of(cases)));
            }
            other => return Err(self.misfit(Misfit::of_type(other), one_of(cases))),
        };
        let mut members = object.iter();
        let (Some((key, content)), None) = (members.next(), members.next()) else {
            return Err(self.refuse(IssueCode::Type, one_of(cases)));
        };
        let at_key = Place::Key(place, key);
        let Some(name) = self.named(key, cases, &at_key)? else {
            return Err(self.refuse(IssueCode::Choice, one_of(cases)));
        };
        let content = Lenient {
            value: content,
            place: &at_key,
            role: Role::Other,
            limits: Limits::NONE,
            trace: self.trace,
        };
        visitor.visit_enum(Case { name, content: Some(content) }).map_err(|refusal| refusal.at(place, value))
    }

    /// The case of a name, exactly or by letter case.
    fn named(
        &mut self,
        name: &str,
        cases: &'static [&'static str],
        place: &Place<'_>,
    ) -> Outcome<Option<&'static str>> {
        match coerce::choice(name, cases.iter().copied()) {
            Some(Read { value, rule: None }) => Ok(Some(value)),
            Some(Read { value, rule: Some(rule) }) => {
                let applied = self.trace.apply(rule, place);
                applied.map_err(|_| self.refuse(IssueCode::Choice, one_of(cases)))?;
                Ok(Some(value))
            }
            None => Ok(None),
        }
    }
}

fn one_of(cases: &[&str]) -> String {
    let cases: Vec<String> = cases.iter().map(|case| Value::from(*case).to_string()).collect();
    format!("one of {}", cases.join(", "))
}

/// A case that was named, and what came with it.
struct Case<'v, 's> {
    name: &'static str,
    content: Option<Lenient<'v, 's>>,
}

impl<'de, 'v, 's> EnumAccess<'de> for Case<'v, 's> {
    type Error = Refusal;
    type Variant = Content<'v, 's>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<(S::Value, Content<'v, 's>)> {
        let name: StrDeserializer<'_, Refusal> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

/// What came with the name of a case.
pub(super) struct Content<'v, 's>(Option<Lenient<'v, 's>>);

impl<'v, 's> Content<'v, 's> {
    fn given(self) -> Outcome<Lenient<'v, 's>> {
        self.0.ok_or_else(|| Refusal::new(IssueCode::Choice, "the case with its data".into(), None))
    }
}

impl<'de> VariantAccess<'de> for Content<'_, '_> {
    type Error = Refusal;

    fn unit_variant(self) -> Outcome<()> {
        match self.0 {
            None => Ok(()),
            Some(_) => Err(Refusal::new(IssueCode::Type, "the name of the case".into(), None)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Outcome<T::Value> {
        let content = self.given()?;
        let (place, value) = (content.place, content.value);
        seed.deserialize(content).map_err(|refusal| refusal.at(place, value))
    }

    fn tuple_variant<V: Visitor<'de>>(self, items: usize, visitor: V) -> Outcome<V::Value> {
        self.given()?.tuple(items, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        self.given()?.deserialize_struct("", fields, visitor)
    }
}
