//! What generated code reaches. Not public API: names and shapes change with the macro of the same version.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, str};
pub use std::result::Result::{self, Err, Ok};
pub use std::sync::Arc;
pub use std::time::Duration;

pub use crate::args::Args;
pub use crate::context::ToolContext;
pub use crate::convert::{
    ErrorBoxed, ErrorForeign, ErrorOwn, ErrorRefused, Of, OutputOwn, OutputRefused, OutputTyped,
    OutputUntyped, SplitResult, SplitValue,
};
pub use crate::def::*;
pub use crate::error::ToolError;
pub use crate::output::ToolResult;
#[cfg(feature = "inventory")]
pub use crate::registry::Registration;
pub use crate::secret::Secret;
pub use crate::set::ToolSet;
pub use crate::tool::Tool;
pub use crate::{__origin as origin, __output as output, __param as param, __result as result};
#[cfg(feature = "inventory")]
pub use inventory;

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

/// A type, to be asked about by constants: an inherent constant wins over that of [`Unknown`].
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The answers for a type about which nothing is known.
pub trait Unknown {
    /// `Option<_>`.
    const OPTION: bool = false;
    /// `Option<Option<_>>`.
    const OPTION_2: bool = false;
    /// `Option<Option<Option<_>>>`.
    const OPTION_3: bool = false;
    /// `bool`.
    const FLAG: bool = false;
    /// A list or set.
    const LIST: bool = false;
    /// `serde_json::Value`, alone or in an option.
    const ANY: bool = false;
    /// Its schema says all that its decoding checks.
    const SIMPLE: bool = false;
    /// Its schema.
    const SCHEMA: SchemaFn = any_schema;
}
impl<T: ?Sized> Unknown for Probe<T> {}

fn any_schema(_: &mut SchemaGenerator) -> Schema {
    Schema::default()
}

impl<T> Probe<Option<T>> {
    /// An option.
    pub const OPTION: bool = true;
}
impl<T> Probe<Option<Option<T>>> {
    /// An option of an option.
    pub const OPTION_2: bool = true;
}
impl<T> Probe<Option<Option<Option<T>>>> {
    /// One option too many.
    pub const OPTION_3: bool = true;
}
impl Probe<bool> {
    /// A flag.
    pub const FLAG: bool = true;
}
impl Probe<Value> {
    /// Any value.
    pub const ANY: bool = true;
}
impl Probe<Option<Value>> {
    /// Any value.
    pub const ANY: bool = true;
}
macro_rules! lists {
    ($($type:ty),*) => {
        $(impl<T> Probe<$type> {
            /// A list.
            pub const LIST: bool = true;
        })*
    };
}
lists!(Vec<T>, VecDeque<T>, Box<[T]>, BTreeSet<T>);
impl<T, S> Probe<HashSet<T, S>> {
    /// A list.
    pub const LIST: bool = true;
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
    /// Levels of `Option`, 0 to 3.
    pub options: u8,
    /// It is a flag.
    pub flag: bool,
    /// It is a list.
    pub list: bool,
    /// It is any value.
    pub any: bool,
    /// See [`Unknown::SIMPLE`].
    pub simple: bool,
    /// Its schema.
    pub schema: SchemaFn,
}

impl Answers {
    /// How the type may be left out.
    pub const fn kind(&self) -> ParamKind {
        match self {
            Answers { options: 0, flag: true, .. } => ParamKind::Flag,
            Answers { options: 0, list: true, .. } => ParamKind::List,
            Answers { options: 0, .. } => ParamKind::Required,
            Answers { options: 1, .. } => ParamKind::Optional,
            _ => ParamKind::Nullable,
        }
    }
}

/// A parameter of which only name, text and type are known.
pub const fn typed<'a>(name: &'a str, doc: Doc<'a>, answers: Answers) -> ParamDef<'a> {
    let mut param = ParamDef::new(name, doc, answers.kind(), SchemaSource::Type(answers.schema));
    param.simple = answers.simple;
    param
}

/// What the type checker says of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __answers {
    ($type:ty) => {{
        use $crate::__private::Unknown as _;
        type P = $crate::__private::Probe<$type>;
        $crate::__private::Answers {
            options: P::OPTION as u8 + P::OPTION_2 as u8 + P::OPTION_3 as u8,
            flag: P::FLAG,
            list: P::LIST,
            any: P::ANY,
            simple: P::SIMPLE,
            schema: P::SCHEMA,
        }
    }};
}
pub use crate::__answers as answers;

/// A [`ParamDef`] of which only name, text and type are known; meant as the base of a struct expression.
#[doc(hidden)]
#[macro_export]
macro_rules! __param {
    ($name:expr, $doc:expr, $type:ty) => {
        $crate::__private::typed($name, $doc, $crate::__private::answers!($type))
    };
}

/// The owned storage of what is borrowed for a call.
pub trait Store {
    /// What the decoder makes.
    type Owned;
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

/// The JSON form of a default.
pub fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
