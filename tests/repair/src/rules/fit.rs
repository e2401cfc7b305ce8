//! A value that does not fit: given the form, the bounds or the choice that fits.

use serde_json::{Value, json};

use super::shape::{number_in, shaped};
use crate::complaint::{At, Shown};
use crate::mend::Repair;
use crate::nearest::nearest;
use crate::place::{Found, of_value, places, schema_at, value_at};

/// A value of another form: brought into the one of the schema. Null is left out, or said where it must be said.
pub(crate) fn misfit(repair: &mut Repair<'_>, at: &At) {
    let Some(path) = of_value(at, &repair.call, repair.schema) else { return };
    let Some(schema) = schema_at(repair.schema, &path) else { return };
    let Some(value) = value_at(&mut repair.call, &path) else { return };
    if !value.is_null() && value.as_str() != Some("") {
        if let Some(fitting) = shaped(schema, value) {
            *value = fitting;
        }
        return;
    }
    let Some((name, parent)) = path.split_last() else { return };
    let is_required = schema_at(repair.schema, parent).is_some_and(|schema| schema.is_required(name));
    let meant = super::missing::meant(repair.meant, &path);
    let Some(Value::Object(members)) = value_at(&mut repair.call, parent) else { return };
    match meant.filter(|_| is_required) {
        Some(meant) => members.insert(name.clone(), meant),
        None => members.shift_remove(name),
    };
}

/// A value that is none of the choices: the one that is offered, or else the nearest.
pub(crate) fn choice(repair: &mut Repair<'_>, at: &At, offered: &[String], choices: &[String]) {
    let path = of_key(at, repair).or_else(|| of_value(at, &repair.call, repair.schema));
    let Some(path) = path else { return };
    let schema = schema_at(repair.schema, &path);
    let Some(value) = value_at(&mut repair.call, &path) else { return };
    let Some(given) = value.as_str() else {
        if let Some(fitting) = schema.and_then(|schema| shaped(schema, value)) {
            *value = fitting;
        }
        return;
    };
    let names = || choices.iter().map(String::as_str);
    let begins = |name: &&str| {
        let (given, name) = (given.to_lowercase(), name.to_lowercase());
        given.starts_with(&name) || name.starts_with(&given)
    };
    let chosen = offered.first().map(String::as_str).or_else(|| nearest(given, names()));
    if let Some(chosen) = chosen.or_else(|| names().find(begins)) {
        *value = chosen.into();
    } else if let Some(fitting) = schema.and_then(|schema| shaped(schema, value)) {
        *value = fitting;
    }
}

/// The object whose only key, or tag, an error took for a choice.
fn of_key(at: &At, repair: &Repair<'_>) -> Option<Vec<String>> {
    let At::Value(Shown::Scalar(Value::String(key))) = at else { return None };
    let mut places = places(&repair.call, Some(repair.schema)).into_iter();
    let names = |place: &Found<'_, '_>| {
        let has = place.value.as_object().is_some_and(|members| members.contains_key(key));
        has && place.schema.is_some_and(|schema| !schema.names().contains(&key.as_str()))
    };
    places.find(names).map(|place| place.path)
}

/// A number beyond a bound: the bound.
pub(crate) fn range(repair: &mut Repair<'_>, at: &At, least: Option<f64>, greatest: Option<f64>) {
    let Some(path) = of_value(at, &repair.call, repair.schema) else { return };
    let Some(schema) = schema_at(repair.schema, &path) else { return };
    let Some(value) = value_at(&mut repair.call, &path) else { return };
    let Some(number) = value.as_f64().or_else(|| number_in(value.as_str()?)?.as_f64()) else { return };
    let least = least.or_else(|| schema.bound("minimum")).unwrap_or(f64::NEG_INFINITY);
    let greatest = greatest.or_else(|| schema.bound("maximum")).unwrap_or(f64::INFINITY);
    let bounded = number.max(least).min(greatest);
    *value = match schema.wants("integer") {
        #[allow(clippy::cast_possible_truncation, reason = "a bound of an integer")]
        true => json!(bounded as i64),
        false => json!(bounded),
    };
}

/// An item that is in a list twice: the second goes. Of a key that is given twice, reading has kept one.
pub(crate) fn duplicate(repair: &mut Repair<'_>, at: &At) {
    let At::Pointer(pointer) = at else { return };
    let path = crate::place::tokens(pointer);
    let Some((position, parent)) = path.split_last() else { return };
    if let (Ok(position), Some(Value::Array(items))) =
        (position.parse::<usize>(), value_at(&mut repair.call, parent))
        && position < items.len()
    {
        items.remove(position);
    }
}
