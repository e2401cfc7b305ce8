//! How values are kept and lent for a call.

use std::borrow::{Borrow, Cow};
use std::path::{Path, PathBuf};

/// The owned storage of what is borrowed for a call.
pub trait Store {
    /// What the decoder makes.
    type Owned: Borrow<Self>;
}
impl<T> Store for T {
    type Owned = T;
}
impl Store for str {
    type Owned = String;
}
impl Store for Path {
    type Owned = PathBuf;
}
impl<T> Store for [T] {
    type Owned = Vec<T>;
}

/// A type with borrows inside, written with `'static` lifetimes: how it is stored and lent for a call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "borrows in a way that a call cannot provide",
    note = "take `&str`, `&Path`, `&[T]`, `Cow<'_, str>`, an `Option` of these, or an owned type"
)]
pub trait Lend {
    /// What the decoder makes.
    type Stored;
    /// What the function gets.
    type Lent<'a>;
    /// Lends the stored value.
    fn lend(owned: &Self::Stored) -> Self::Lent<'_>;
}
impl<T: ?Sized + Store + 'static> Lend for &'static T {
    type Stored = T::Owned;
    type Lent<'a> = &'a T;
    fn lend(owned: &T::Owned) -> &T {
        owned.borrow()
    }
}
impl<T: Lend> Lend for Option<T> {
    type Stored = Option<T::Stored>;
    type Lent<'a> = Option<T::Lent<'a>>;
    fn lend(owned: &Self::Stored) -> Self::Lent<'_> {
        owned.as_ref().map(T::lend)
    }
}
impl<T: Lend> Lend for Vec<T> {
    type Stored = Vec<T::Stored>;
    type Lent<'a> = Vec<T::Lent<'a>>;
    fn lend(owned: &Self::Stored) -> Self::Lent<'_> {
        owned.iter().map(T::lend).collect()
    }
}
impl<T: ?Sized + ToOwned + 'static> Lend for Cow<'static, T> {
    type Stored = Cow<'static, T>;
    type Lent<'a> = Cow<'a, T>;
    fn lend(owned: &Self::Stored) -> Cow<'_, T> {
        Cow::Borrowed(owned)
    }
}
