//! Which keys apply to which types: one trait a key, so that a refusal names the key and the type as written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::num::{NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize};
use std::num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

macro_rules! key {
    ($trait:ident $function:ident $message:literal) => {
        /// The types that the key applies to.
        #[diagnostic::on_unimplemented(message = $message)]
        pub trait $trait {}
        /// Asks for it.
        pub fn $function<T: ?Sized + $trait>() {}
        #[diagnostic::do_not_recommend]
        impl<T: ?Sized + $trait> $trait for &T {}
        #[diagnostic::do_not_recommend]
        impl<T: $trait> $trait for Option<T> {}
    };
}
key!(Ranged range "`range` does not apply to `{Self}`");
key!(Long len "`len` does not apply to `{Self}`");
key!(Texts item_len "`item_len` does not apply to `{Self}`");
key!(Matched pattern "`pattern` does not apply to `{Self}`");
key!(Chosen choices "`choices` does not apply to `{Self}`");
key!(Map entries "`entries` does not apply to `{Self}`");
key!(Carried header "`header` does not apply to `{Self}`");
key!(List last "`last` does not apply to `{Self}`");

macro_rules! on {
    (@ $generics:tt $type:ty => [$($trait:ident)+]) => { $(on!(# $generics $type => $trait);)+ };
    (# [$($generics:tt)*] $type:ty => $trait:ident) => { impl<$($generics)*> $trait for $type {} };
    ($($generics:tt $($type:ty),+ => $traits:tt;)*) => { $($(on!(@ $generics $type => $traits);)+)* };
}
on! {
    [] i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize => [Ranged Carried];
    [] NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize => [Ranged Carried];
    [] NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize => [Ranged Carried];
    [] f32, f64 => [Ranged];
    [] bool => [Carried];
    [] str, String, Box<str>, Arc<str>, Cow<'_, str> => [Long Matched Chosen Carried];
    [] Path, PathBuf, Box<Path>, Arc<Path>, Cow<'_, Path> => [Long Matched Chosen Carried];
    [] char => [Matched Chosen Carried];
    [T] [T], Vec<T>, VecDeque<T>, Box<[T]>, BTreeSet<T> => [Long List];
    [T, S] HashSet<T, S> => [Long List];
    [T: Ranged] [T], Vec<T>, VecDeque<T>, Box<[T]>, BTreeSet<T> => [Ranged];
    [T: Ranged, S] HashSet<T, S> => [Ranged];
    [T: Matched] [T], Vec<T>, VecDeque<T>, Box<[T]>, BTreeSet<T> => [Texts Matched Chosen];
    [T: Matched, S] HashSet<T, S> => [Texts Matched Chosen];
    [K, T] BTreeMap<K, T> => [Long Map];
    [K, T, S] HashMap<K, T, S> => [Long Map];
}
