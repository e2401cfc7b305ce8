//! What the type checker says of a parameter's type: questions that constants can ask.
//!
//! An inherent constant of [`Probe`] wins over the constant of the same name in [`Unknown`], so that aliases work and no
//! identifier is looked at.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::def::{ParamKind, SchemaFn};

/// A type, to be asked about by constants: an inherent constant wins over that of [`Unknown`].
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The answers for a type about which nothing is known.
pub trait Unknown {
    /// What it is on its outermost level.
    const SHAPE: Shape = Shape::Other;
    /// What it is inside an option.
    const INNER: Shape = Shape::Other;
    /// `Option<Option<Option<_>>>`.
    const OPTION_3: bool = false;
    /// Its schema says all that its decoding checks.
    const SIMPLE: bool = false;
    /// Its schema.
    const SCHEMA: SchemaFn = any_schema;
}
impl<T: ?Sized> Unknown for Probe<T> {}

fn any_schema(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}

/// What a type is on its outermost level.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An option.
    Option,
    /// `bool`.
    Flag,
    /// A list or set.
    List,
    /// `serde_json::Value`.
    Any,
    /// Anything else.
    Other,
}

macro_rules! shapes {
    ($([$($generics:tt)*] $type:ty: $shape:ident,)*) => {
        $(impl<$($generics)*> Probe<$type> {
            /// What it is.
            pub const SHAPE: Shape = Shape::$shape;
        })*
    };
}
shapes! {
    [T] Option<T>: Option,
    [] bool: Flag,
    [T] Vec<T>: List,
    [T] VecDeque<T>: List,
    [T] Box<[T]>: List,
    [T] BTreeSet<T>: List,
    [T, S] HashSet<T, S>: List,
    [] Value: Any,
}
/// Types that matter inside an option. One bound instead of two impls, so that a type in error is no second error.
pub trait Inner {
    /// What it is.
    const SHAPE: Shape;
}
impl<T> Inner for Option<T> {
    const SHAPE: Shape = Shape::Option;
}
impl Inner for Value {
    const SHAPE: Shape = Shape::Any;
}
impl<T: Inner> Probe<Option<T>> {
    /// What the option holds.
    pub const INNER: Shape = T::SHAPE;
}
impl<T> Probe<Option<Option<Option<T>>>> {
    /// One option too many.
    pub const OPTION_3: bool = true;
}
impl<T: Simple> Probe<T> {
    /// Simple.
    pub const SIMPLE: bool = true;
}
impl<T: JsonSchema> Probe<T> {
    /// Its schema.
    pub const SCHEMA: SchemaFn = schema_of::<T>;
}

/// The schema of a type.
fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Types whose schema says all that their decoding checks, and nothing that it does not.
pub trait Simple {}
macro_rules! simple {
    ($($type:ty),*) => { $(impl Simple for $type {})* };
}
simple!(bool, i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, f32, f64, char, String, PathBuf, Box<str>);
impl<T: Simple> Simple for Option<T> {}
impl<T: Simple> Simple for Vec<T> {}
impl<T: Simple> Simple for VecDeque<T> {}
impl<T: Simple> Simple for Box<T> {}
impl<T: Simple> Simple for BTreeMap<String, T> {}
impl<T: Simple, S> Simple for HashMap<String, T, S> {}

/// What the type checker says of a parameter's type.
pub struct Answers {
    /// What it is on its outermost level.
    pub shape: Shape,
    /// What it is inside an option.
    pub inner: Shape,
    /// It is one option too many.
    pub option_3: bool,
    /// See [`Unknown::SIMPLE`].
    pub simple: bool,
    /// Its schema.
    pub schema: SchemaFn,
}

impl Answers {
    /// Whether any value fits it.
    pub(super) const fn any(&self) -> bool {
        matches!(self.shape, Shape::Any) || matches!(self.inner, Shape::Any)
    }

    /// How the type may be left out.
    pub(super) const fn kind(&self) -> ParamKind {
        match self.shape {
            Shape::Flag => ParamKind::Flag,
            Shape::List => ParamKind::List,
            Shape::Option if matches!(self.inner, Shape::Option) => ParamKind::Nullable,
            Shape::Option => ParamKind::Optional,
            Shape::Any | Shape::Other => ParamKind::Required,
        }
    }
}

/// What the type checker says of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __answers {
    ($type:ty) => {
        $crate::__private::Answers {
            shape: <$crate::__private::Probe<$type>>::SHAPE,
            inner: <$crate::__private::Probe<$type>>::INNER,
            option_3: <$crate::__private::Probe<$type>>::OPTION_3,
            simple: <$crate::__private::Probe<$type>>::SIMPLE,
            schema: <$crate::__private::Probe<$type>>::SCHEMA,
        }
    };
}
