//! TOML into the tree.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::mistake::{Mistake, MistakeCode};
use crate::tree::{DEPTH_MAX, Key, Kind, Node, position, too_deep};

/// The tree of a TOML text.
pub(crate) fn parse(text: &str) -> Result<Node, Vec<Mistake>> {
    // Only the first mistake of the syntax is told: those behind it mostly follow from it.
    let table = DeTable::parse(text).map_err(|error| {
        let at = position(text, error.span().map_or(0, |span| span.start));
        let text = error.message().replace('\n', "; ");
        vec![Mistake { at, code: MistakeCode::Syntax, text, suggestion: None }]
    })?;
    let at = position(text, 0);
    let kind = self::table(text, table.get_ref(), 1).map_err(|mistake| vec![mistake])?;
    Ok(Node { at, kind })
}

fn table(text: &str, table: &DeTable<'_>, depth: usize) -> Result<Kind, Mistake> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|entry| entry.0.span().start);
    let mut members = Vec::with_capacity(entries.len());
    for (key, member) in entries {
        let at = position(text, key.span().start);
        let key = Key { at, text: key.get_ref().to_string() };
        members.push((key, node(text, member, depth + 1)?));
    }
    Ok(Kind::Map(members))
}

fn node(text: &str, given: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Mistake> {
    let at = position(text, given.span().start);
    if depth > DEPTH_MAX {
        return Err(too_deep(at));
    }
    let kind = match given.get_ref() {
        DeValue::String(value) => Kind::Text(value.to_string()),
        DeValue::Integer(value) => i64::from_str_radix(&value.as_str().replace('_', ""), value.radix())
            .map_or(Kind::Other("a number that is too large"), Kind::Integer),
        DeValue::Float(value) => {
            value.as_str().replace('_', "").parse().map_or(Kind::Other("a number"), Kind::Float)
        }
        DeValue::Boolean(value) => Kind::Bool(*value),
        DeValue::Datetime(_) => Kind::Other("a date"),
        DeValue::Array(items) => {
            Kind::List(items.iter().map(|item| node(text, item, depth + 1)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(own) => table(text, own, depth)?,
    };
    Ok(Node { at, kind })
}
