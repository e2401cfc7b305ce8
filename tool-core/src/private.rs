//! What generated code reaches. Not public API: names and shapes change with the macro of the same version.

use std::borrow::Borrow;
pub use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use schemars::{JsonSchema, Schema, SchemaGenerator};
pub use serde::{Deserialize, Deserializer};
pub use serde_json::value::Serializer as JsonSerializer;
pub use std::default::Default;

pub use std::marker::Sized;
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, str, usize};
pub use std::result::Result::{self, Err, Ok};
pub use std::sync::Arc;
pub use std::time::Duration;

pub use crate::args::Args;
pub use crate::context::ToolContext;
pub use crate::convert::Of;
pub use crate::def::*;
pub use crate::error::ToolError;
pub use crate::output::ToolResult;
#[cfg(feature = "inventory")]
pub use crate::registry::Registration;
pub use crate::secret::Secret;
pub use crate::set::ToolSet;
pub use crate::tool::Tool;
pub use crate::{
    __answers as answers, __arg as arg, __origin as origin, __output as output, __submit as submit,
};
#[cfg(feature = "inventory")]
pub use inventory;

/// The ladders of `convert` and the fallbacks of [`Probe`], imported without names.
pub mod rungs {
    pub use super::{DefaultOfOption as _, DefaultOfType as _, Unknown as _};
    pub use crate::convert::{
        ErrorBoxed as _, ErrorForeign as _, ErrorOwn as _, ErrorRefused as _, OutputOwn as _,
        OutputRefused as _, OutputTyped as _, OutputUntyped as _, SplitResult as _, SplitValue as _,
    };
}

/// The definition of a tool whose function has errors; no registry ever sees it.
pub static BROKEN: ToolDef<'static> = {
    static CACHE: Cache = Cache::new();
    fn enter(_: &mut Args<'_>) -> Result<Run, ToolError> {
        Err(ToolError::internal("The tool did not compile."))
    }
    ToolDef::new("broken", Doc::NONE, Handler::Sync(enter), Origin::DYNAMIC, &CACHE)
};

/// A type that can be a parameter of a tool: it decodes from JSON and has a schema.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "neither decodes from JSON nor has a schema",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1), or mark it `#[ctx]` if it is supplied by the host"
)]
pub trait ToolArg: serde::de::DeserializeOwned + JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: serde::de::DeserializeOwned + JsonSchema> ToolArg for T {}

/// A bound like [`ToolArg`] whose refusal names a type as its author wrote it, whatever path the compiler would print.
#[doc(hidden)]
#[macro_export]
macro_rules! __arg {
    ($bound:ident $message:literal) => {
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "neither decodes from JSON nor has a schema",
            note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1), or mark it `#[ctx]` if it is supplied by the host"
        )]
        trait $bound: $crate::__private::Sized {
            fn take(args: &mut $crate::__private::Args<'_>, i: $crate::__private::usize) -> $crate::__private::Option<Self>;
            fn take_or(
                args: &mut $crate::__private::Args<'_>,
                i: $crate::__private::usize,
                default: fn() -> Self,
            ) -> $crate::__private::Option<Self>;
        }
        #[diagnostic::do_not_recommend]
        impl<T: $crate::__private::ToolArg> $bound for T {
            fn take(args: &mut $crate::__private::Args<'_>, i: $crate::__private::usize) -> $crate::__private::Option<T> {
                args.take(i)
            }
            fn take_or(
                args: &mut $crate::__private::Args<'_>,
                i: $crate::__private::usize,
                default: fn() -> T,
            ) -> $crate::__private::Option<T> {
                args.take_or(i, default)
            }
        }
    };
}

/// A type, to be asked about by constants: an inherent constant wins over that of [`Unknown`].
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The answers for a type about which nothing is known.
pub trait Unknown {
    /// What it is on its outermost level.
    const SHAPE: Shape = Shape::Other;
    /// `Option<Option<_>>`.
    const OPTION_2: bool = false;
    /// `Option<Option<Option<_>>>`.
    const OPTION_3: bool = false;
    /// `Option<serde_json::Value>`.
    const OPTION_ANY: bool = false;
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
impl<T> Probe<Option<Option<T>>> {
    /// An option of an option.
    pub const OPTION_2: bool = true;
}
impl<T> Probe<Option<Option<Option<T>>>> {
    /// One option too many.
    pub const OPTION_3: bool = true;
}
impl Probe<Option<Value>> {
    /// Any value.
    pub const OPTION_ANY: bool = true;
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
pub fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
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
    /// It is an option of an option.
    pub option_2: bool,
    /// It is one option too many.
    pub option_3: bool,
    /// It is an option of any value.
    pub option_any: bool,
    /// See [`Unknown::SIMPLE`].
    pub simple: bool,
    /// Its schema.
    pub schema: SchemaFn,
}

impl Answers {
    /// How the type may be left out.
    const fn kind(&self) -> ParamKind {
        match self.shape {
            Shape::Flag => ParamKind::Flag,
            Shape::List => ParamKind::List,
            Shape::Option if self.option_2 => ParamKind::Nullable,
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
            option_2: <$crate::__private::Probe<$type>>::OPTION_2,
            option_3: <$crate::__private::Probe<$type>>::OPTION_3,
            option_any: <$crate::__private::Probe<$type>>::OPTION_ANY,
            simple: <$crate::__private::Probe<$type>>::SIMPLE,
            schema: <$crate::__private::Probe<$type>>::SCHEMA,
        }
    };
}

/// A parameter whose type is not asked yet.
pub const fn named<'a>(name: &'a str, doc: Doc<'a>) -> ParamDef<'a> {
    ParamDef::new(name, doc, ParamKind::Required, SchemaSource::Type(any_schema))
}

/// The parameter with what its type says; refuses what the written keys and the type cannot both mean.
#[track_caller]
pub const fn typed<'a>(answers: Answers, mut param: ParamDef<'a>) -> ParamDef<'a> {
    let option = matches!(answers.shape, Shape::Option);
    let any = matches!(answers.shape, Shape::Any) || answers.option_any;
    if answers.option_3 {
        refuse(&["parameter `", param.name, "` has more than two levels of `Option`"]);
    }
    if option && param.default.is_some() {
        refuse(&[
            "parameter `",
            param.name,
            "` is optional and has a default; drop the `Option`, or drop the default",
        ]);
    }
    if any && !param.any {
        refuse(&[
            "parameter `",
            param.name,
            "` accepts any JSON value; say so with `#[arg(any)]`, or give it a type",
        ]);
    }
    if matches!(answers.shape, Shape::Flag) && param.cli.positional {
        refuse(&["parameter `", param.name, "` is a flag; a flag cannot be positional"]);
    }
    param.kind = answers.kind();
    param.simple = answers.simple;
    param.schema = SchemaSource::Type(answers.schema);
    param
}

/// Refuses a positional that the command line could not tell from an earlier one.
#[track_caller]
pub const fn after(earlier: &ParamDef<'_>, param: &ParamDef<'_>) {
    if matches!(earlier.kind, ParamKind::List) {
        refuse(&[
            "positional `",
            param.name,
            "` comes after the list `",
            earlier.name,
            "`; a list must be the last positional",
        ]);
    }
    if param.is_required() && !earlier.is_required() {
        refuse(&[
            "positional `",
            param.name,
            "` is required but comes after the optional positional `",
            earlier.name,
            "`",
        ]);
    }
}

/// Refuses an example that leaves a parameter out although it is required.
#[track_caller]
pub const fn example_omits(label: &str, param: &ParamDef<'_>) {
    if param.is_required() {
        refuse(&["example `", label, "` leaves out the required parameter `", param.name, "`"]);
    }
}

/// Ends the compilation with a sentence. Only constants call it.
#[track_caller]
#[expect(clippy::panic, clippy::indexing_slicing, reason = "evaluated by the compiler, never at run time")]
const fn refuse(parts: &[&str]) -> ! {
    let mut text = [b' '; 512];
    let mut len = 0;
    let mut i = 0;
    while i < parts.len() {
        let part = parts[i].as_bytes();
        let mut j = 0;
        while j < part.len() && len < text.len() {
            text[len] = part[j];
            len += 1;
            j += 1;
        }
        i += 1;
    }
    match std::str::from_utf8(text.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("this parameter cannot be"),
    }
}

// ---- storage ----------------------------------------------------------------------------------------------------------

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

// ---- defaults ---------------------------------------------------------------------------------------------------------

/// A type that a text literal can be the default of.
#[diagnostic::on_unimplemented(
    message = "a text cannot be the default of `{Self}`",
    label = "a text",
    note = "write the value as Rust, as in `default = 10` or `default = Level::Low`"
)]
pub trait TextDefault: Sized {
    /// The value.
    fn text(text: &'static str) -> Self;
}
macro_rules! text_defaults {
    ($($type:ty),*) => {
        $(impl TextDefault for $type {
            fn text(text: &'static str) -> Self {
                text.into()
            }
        })*
    };
}
text_defaults!(String, PathBuf, Box<str>, Arc<str>, Cow<'static, str>, Value);
impl TextDefault for Cow<'static, Path> {
    fn text(text: &'static str) -> Self {
        Cow::Borrowed(Path::new(text))
    }
}
/// Only so that an optional parameter with a default is one error.
#[diagnostic::do_not_recommend]
impl<T> TextDefault for Option<T> {
    fn text(_: &'static str) -> Self {
        None
    }
}

/// Rung 1: any default of an optional parameter is taken, since [`typed`] refuses it.
pub trait DefaultOfOption<T> {
    /// Nothing.
    fn default<X>(&self, value: X) -> Option<T>;
}
impl<T> DefaultOfOption<T> for &Of<Option<T>> {
    fn default<X>(&self, _: X) -> Option<T> {
        None
    }
}

/// Rung 2: the default has the parameter's own type.
pub trait DefaultOfType<T> {
    /// The value.
    fn default(&self, value: T) -> T;
}
impl<T> DefaultOfType<T> for Of<T> {
    fn default(&self, value: T) -> T {
        value
    }
}

/// The JSON form of a default.
pub fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// The JSON form of example values.
pub fn array<const N: usize>(values: [Value; N]) -> Value {
    values.into_iter().collect()
}

/// What a serde module wrote.
pub fn written(value: Result<Value, serde_json::Error>) -> Value {
    value.unwrap_or(Value::Null)
}

// ---- bounds -----------------------------------------------------------------------------------------------------------

/// An end of a `range` that is no literal.
pub struct Bound<T>(pub T);
macro_rules! bound {
    ($($type:ty => $variant:ident as $wide:ty, $below:expr, $float:literal;)*) => {
        $(impl Bound<$type> {
            /// The number.
            pub const fn number(self) -> Number {
                Number::$variant(self.0 as $wide)
            }
            /// The greatest number below it, where that is one.
            pub const fn below(self) -> Number {
                Number::$variant(self.0 as $wide - $below)
            }
            /// Whether numbers may lie between any two.
            pub const fn is_float(self) -> bool {
                $float
            }
        })*
    };
}
bound! {
    i8 => Int as i128, 1, false; i16 => Int as i128, 1, false; i32 => Int as i128, 1, false;
    i64 => Int as i128, 1, false; i128 => Int as i128, 1, false; isize => Int as i128, 1, false;
    u8 => Int as i128, 1, false; u16 => Int as i128, 1, false; u32 => Int as i128, 1, false;
    u64 => Int as i128, 1, false; usize => Int as i128, 1, false;
    f32 => Float as f64, 0.0, true; f64 => Float as f64, 0.0, true;
}

/// Which keys apply to which types: one trait a key, so that a refusal names the key and the type as written.
pub mod applies {
    use super::*;
    use std::num::{NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize};
    use std::num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize};

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
}

// ---- capabilities -----------------------------------------------------------------------------------------------------

/// A type that the host can supply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a capability: it must be `Send + Sync + 'static`",
    label = "not shareable between threads"
)]
pub trait Capability: Send + Sync + 'static {}
#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> Capability for T {}

/// How a capability is declared and fetched; the one place that asks for its bounds.
pub struct Inject<T: ?Sized> {
    /// What the registry sees.
    pub def: CapabilityDef,
    require: fn(&ToolContext) -> Result<Arc<T>, ToolError>,
    find: fn(&ToolContext) -> Option<Arc<T>>,
}

impl<T: ?Sized> Inject<T> {
    /// Of the given presence.
    pub const fn new(optional: bool) -> Self
    where
        T: Capability,
    {
        let def = if optional { CapabilityDef::optional::<T>() } else { CapabilityDef::required::<T>() };
        Inject { def, require: ToolContext::require::<T>, find: ToolContext::capability::<T> }
    }
}

/// The written type of a `#[ctx]` parameter, with `'static` lifetimes.
#[diagnostic::on_unimplemented(
    message = "a capability is shared: write `&T`, `Arc<T>` or `Option<&T>`",
    label = "`{Self}` is none of these"
)]
pub trait Shared {
    /// The capability's type.
    type Target: ?Sized;
    /// What is kept for the call.
    type Held;
    /// What the function gets.
    type Lent<'a>;
    /// Whether the tool also works without it.
    const OPTIONAL: bool;
    /// Fetches it.
    fn fetch(inject: &Inject<Self::Target>, ctx: &ToolContext) -> Result<Self::Held, ToolError>;
    /// Lends what is kept.
    fn lend(held: &Self::Held) -> Self::Lent<'_>;
}

macro_rules! shared {
    ($([$type:ty, $held:ty, $lent:ty, $optional:literal] |$inject:ident, $ctx:ident| $fetch:expr, |$kept:ident| $lend:expr;)*) => {
        $(impl<T: ?Sized + 'static> Shared for $type {
            type Target = T;
            type Held = $held;
            type Lent<'a> = $lent;
            const OPTIONAL: bool = $optional;
            fn fetch($inject: &Inject<T>, $ctx: &ToolContext) -> Result<$held, ToolError> {
                $fetch
            }
            fn lend($kept: &$held) -> Self::Lent<'_> {
                $lend
            }
        })*
    };
}
shared! {
    [&'static T, Arc<T>, &'a T, false] |inject, ctx| (inject.require)(ctx), |held| held;
    [Arc<T>, Arc<T>, Arc<T>, false] |inject, ctx| (inject.require)(ctx), |held| held.clone();
    [Option<&'static T>, Option<Arc<T>>, Option<&'a T>, true] |inject, ctx| Ok((inject.find)(ctx)), |held| held.as_deref();
    [Option<Arc<T>>, Option<Arc<T>>, Option<Arc<T>>, true] |inject, ctx| Ok((inject.find)(ctx)), |held| held.clone();
}

/// The result of a function that returns nothing.
pub fn empty((): ()) -> ToolResult {
    Ok(crate::ToolOutput::default())
}

/// The schema of the type that `output = T` names.
pub fn output_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Option<Schema> {
    Some(generator.subschema_for::<T>())
}

/// Leaves a definition for discovery.
#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($def:expr) => {
        $crate::__private::inventory::submit! { $crate::__private::Registration($def) }
    };
}

/// Without discovery there is nothing to leave.
#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($def:expr) => {};
}
