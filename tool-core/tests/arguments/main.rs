//! The decoder on real Rust types: what serde is told, what callers get back, and what is refused.

#![allow(clippy::unwrap_used, reason = "it is a test throughout, its shared functions too")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::marker::PhantomData;
use std::num::NonZeroI64;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
#[allow(unused_imports, reason = "traits that the answers of a type come from")]
use tool_core::__private::rungs::*;
use tool_core::__private::{ParamDef, ParamKeys, answers, param_with};
use tool_core::args::{Args, Coerce, Coercion, MAX_ISSUES, MAX_NOTES, Rule};
use tool_core::def::{
    Bounds, Cache, Constraint, Doc, Handler, Number, Origin, Range, Run, ToolDef, ToolKeys,
};
use tool_core::{ArgIssue, IssueCode, ToolError};

#[macro_use]
#[path = "../row/mod.rs"]
mod row;

mod bounds;
mod rules;
mod types;
mod unions;
mod whole;

fn nowhere(_: &mut Args) -> Result<Run, ToolError> {
    Err(ToolError::internal("These tools do not run."))
}

/// A tool of some parameters. It lives as long as the test.
fn tool(params: Vec<ParamDef<'static>>) -> &'static ToolDef<'static> {
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    let mut tool = ToolDef::new("t", Doc::Text("T."), Handler::Sync(nowhere), Origin::DYNAMIC, cache);
    tool.params = params.leak();
    Box::leak(Box::new(tool))
}

/// What a parameter has where a test says nothing.
const KEYS: ParamKeys<'static> = ParamKeys::NONE;
const DOC: Doc<'static> = Doc::Text("X.");

type Taken<T> = Result<(T, Map<String, Value>, Vec<Coercion>), ToolError>;

/// Decodes the one parameter of a tool.
fn take_in<T: DeserializeOwned + JsonSchema>(
    param: ParamDef<'static>,
    input: Value,
    mode: Coerce,
) -> Taken<T> {
    let mut args = Args::new(tool(vec![param]), input, mode)?;
    let value = args.take::<T>(0);
    args.finish()?;
    let value = value.ok_or_else(|| args.incomplete())?;
    Ok((value, args.normal().clone(), args.notes().to_vec()))
}

fn take<T: DeserializeOwned + JsonSchema>(param: ParamDef<'static>, x: Value) -> Taken<T> {
    take_in(param, json!({ "x": x }), Coerce::Lenient)
}

/// Path and code of each issue.
fn issues<T: std::fmt::Debug>(taken: Taken<T>) -> Vec<(String, IssueCode)> {
    taken.unwrap_err().arg_issues().iter().map(|issue| (issue.path.clone(), issue.code)).collect()
}

fn told(path: &str, code: IssueCode) -> Vec<(String, IssueCode)> {
    vec![(path.to_owned(), code)]
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Edit {
    #[serde(alias = "line_number")]
    line: u32,
    #[serde(default)]
    all: bool,
    text: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Size {
    width: u16,
    #[serde(default)]
    deep: bool,
}
