//! The short way from text to values, for a call that has nothing wrong and nothing to coerce.
//!
//! It cuts the text of an object into one slice per parameter ([`super::split`]) and reads each slice as the parameter's
//! type ([`read`]): no tree, no notes, no issues. Whatever it is not sure of, it gives up on; the caller then starts again
//! with [`super::parse`] and the full decoder, which has the say on everything that is not plainly right.

mod read;

use serde::de::DeserializeOwned;

use self::read::read;
use super::bounds::Limits;
use super::decode::is_told_by_type;
use super::shape;
use super::split::{Member, Members, Piece, is_key};
use crate::def::{Bounds, Number, ParamDef, ParamKind, ToolDef};

/// Tools with more parameters go the whole way: the slices live in the frame of the call.
const MOST_PARAMS: usize = 8;

/// The slices of one call.
#[derive(Debug)]
pub(super) struct Direct<'a> {
    params: &'a [ParamDef<'a>],
    slices: [Option<Piece<'a>>; MOST_PARAMS],
    gave_up: bool,
}

impl<'a> Direct<'a> {
    /// Whether this is the way for a tool.
    #[inline]
    pub(super) fn is_way(tool: &ToolDef<'_>) -> bool {
        *tool.cache.computed().direct.get_or_init(|| is_for(tool))
    }

    /// Nothing yet.
    #[inline]
    pub(super) fn of(tool: &'a ToolDef<'a>) -> Direct<'a> {
        Direct { params: tool.params, slices: [None; MOST_PARAMS], gave_up: false }
    }

    /// Cuts a text into what it gives each parameter; `None` where it is not for this way.
    pub(super) fn cut(&mut self, text: &'a str) -> Option<()> {
        let (mut members, mut next) = (Members::of(text)?, 0);
        loop {
            // Callers that keep the order are matched at the first look.
            let expected = self.params.get(next).map(|param| param.name);
            let Member::Piece(key, value) = members.next(expected)? else { return Some(()) };
            let named = |key| self.params.iter().position(|param| param.names().any(|name| name == key));
            let found = key.map_or(Some(next), named)?;
            let (param, slice) = (self.params.get(found)?, self.slices.get_mut(found)?);
            // A key that comes twice is for the full decoder, like what is not plainly right.
            if slice.is_some() || !is_plain(value, param) {
                return None;
            }
            *slice = Some(value);
            next = found + 1;
        }
    }

    /// Leaves everything to the full decoder.
    pub(super) fn give_up(&mut self) {
        self.gave_up = true;
    }

    /// Whether some parameter was not plainly right.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// The value of parameter `i`; `default` where it has one and was left out.
    #[inline]
    pub(super) fn take<T: DeserializeOwned>(&mut self, i: usize, default: Option<fn() -> T>) -> Option<T> {
        let value = match (self.slices.get(i), default) {
            (Some(Some(piece)), _) => read(*piece),
            (_, Some(default)) => Some(default()),
            (_, None) => self.left_out(i),
        };
        self.gave_up |= value.is_none();
        value
    }

    /// The value of a parameter that was left out.
    fn left_out<T: DeserializeOwned>(&self, i: usize) -> Option<T> {
        let param = self.params.get(i).filter(|param| !param.is_required() && param.default.is_none())?;
        let piece = match param.kind {
            ParamKind::Flag => Piece::Word("false"),
            ParamKind::List => Piece::List(""),
            ParamKind::Required | ParamKind::Optional | ParamKind::Nullable => Piece::Word("null"),
        };
        read(piece)
    }
}

/// Whether the texts of a tool can go this way.
fn is_for(tool: &ToolDef<'_>) -> bool {
    let few = tool.params.len() <= MOST_PARAMS;
    few && tool.input.is_none()
        && tool.constraints.is_empty()
        && tool.params.iter().all(is_free)
        && says_all(tool)
}

/// Whether a parameter may be read one key at a time.
fn is_free(param: &ParamDef<'_>) -> bool {
    let keys = param.keys;
    let alone = !keys.flatten && keys.conflicts_with.is_empty() && keys.requires.is_empty();
    is_key(param.name) && (param.is_bare() || alone && !keys.any && keys.bounds.pattern.is_none())
}

/// Whether the type of each parameter alone says what it takes. Its schema is asked only where the type does not know.
fn says_all(tool: &ToolDef<'_>) -> bool {
    let mut others = tool.params.iter().enumerate().filter(|(_, param)| !is_told_by_type(param)).peekable();
    others.peek().is_none()
        || shape::of(tool)
            .is_ok_and(|shape| others.all(|(i, param)| param.keys.bounds.is_none() && !shape.is_guarded(i)))
}

/// Whether a piece means the same to its type as to the full decoder, if the type takes it at all, and keeps to the
/// parameter's bounds.
#[inline]
fn is_plain(piece: Piece<'_>, param: &ParamDef<'_>) -> bool {
    let bounds = &param.keys.bounds;
    let is_unbounded = || param.is_bare() || bounds.is_none();
    match piece {
        Piece::Text(text) => {
            is_unbounded() || {
                let chosen = bounds.choices.is_empty() || bounds.choices.contains(&text);
                chosen && Limits::of(bounds).admit_text(text)
            }
        }
        Piece::Natural(number) => param.is_bare() || admits(i128::from(number), bounds),
        Piece::Word(text) => match text.as_bytes() {
            [b'-' | b'0'..=b'9', ..] => {
                is_unbounded() || text.parse().is_ok_and(|integer: i64| admits(integer.into(), bounds))
            }
            [b't' | b'f', ..] => true,
            _ => false,
        },
        Piece::List(_) | Piece::Object(_) | Piece::Escaped(_) => is_unbounded(),
    }
}

/// Whether an integer keeps to bounds that are integers too; anything else is for the full decoder.
fn admits(integer: i128, bounds: &Bounds<'_>) -> bool {
    let least = bounds.min.is_none_or(|min| matches!(min, Number::Int(min) if integer >= min));
    let greatest = bounds.max.is_none_or(|max| matches!(max, Number::Int(max) if integer <= max));
    least && greatest && !bounds.max_exclusive
}

#[cfg(test)]
mod tests;
