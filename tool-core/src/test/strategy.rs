//! The values of a schema as a strategy of proptest, which makes what fails smaller.

use std::collections::VecDeque;
use std::sync::Arc;

use jsonschema::Validator;
use proptest::prelude::Rng as _;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::values::PATIENCE;
use crate::args::validator;
use crate::schema::Values;

/// [`values`](super::values) for `proptest!`: values of a schema, and of one for which a test fails a smaller one that still does:
/// without what may be left out, with shorter texts and lists, and with numbers nearer to zero, as far as the schema lets them.
///
/// Needs the feature `proptest`.
///
/// ```
/// use proptest::prelude::*;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}}});
/// proptest!(|(args in tool_core::test::strategy(&schema))| {
///     prop_assert!(args["limit"].as_i64().is_none_or(|limit| limit >= 1));
/// });
/// ```
pub fn strategy(schema: &Value) -> SchemaStrategy {
    SchemaStrategy { schema: schema.clone(), judge: validator(schema).ok().map(Arc::new) }
}

/// What [`strategy`] gives.
#[derive(Clone, Debug)]
pub struct SchemaStrategy {
    schema: Value,
    judge: Option<Arc<Validator>>,
}

impl Strategy for SchemaStrategy {
    type Tree = Shrinking;
    type Value = Value;

    /// A value, from the numbers of the runner.
    ///
    /// # Errors
    /// Where the schema is none, and where too few of what is tried satisfies it.
    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let judge = self.judge.clone().ok_or("the schema is not valid")?;
        let mut values = Values::new(runner.rng().next_u64());
        let value = (0..PATIENCE).map(|_| values.of(&self.schema)).find(|value| judge.is_valid(value));
        let failing = value.ok_or("no value that was tried satisfies the schema")?;
        Ok(Shrinking { judge, failing, trying: None, waiting: None })
    }
}

/// A value on its way to a smaller one.
#[derive(Debug)]
pub struct Shrinking {
    judge: Arc<Validator>,
    /// The smallest value so far for which the test fails.
    failing: Value,
    /// The one that is tried instead.
    trying: Option<Value>,
    /// What is tried after that; `None` before anything was.
    waiting: Option<VecDeque<Value>>,
}

impl Shrinking {
    /// Tries the next smaller value, if there is one.
    fn try_next(&mut self) -> bool {
        let waiting = self.waiting.get_or_insert_with(|| smaller(&self.failing).into());
        self.trying = std::iter::from_fn(|| waiting.pop_front()).find(|value| self.judge.is_valid(value));
        self.trying.is_some()
    }
}

impl ValueTree for Shrinking {
    type Value = Value;

    fn current(&self) -> Value {
        self.trying.as_ref().unwrap_or(&self.failing).clone()
    }

    fn simplify(&mut self) -> bool {
        if let Some(value) = self.trying.take() {
            (self.failing, self.waiting) = (value, None);
        }
        self.try_next()
    }

    fn complicate(&mut self) -> bool {
        // The test held for what was tried.
        self.trying.is_some() && self.try_next()
    }
}

/// Values that are like one and smaller, the smallest first.
fn smaller(value: &Value) -> Vec<Value> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec![json!(false)],
        Value::Number(_) => smaller_numbers(value),
        Value::String(text) => smaller_texts(text),
        Value::Array(items) => {
            let half = items.len().div_ceil(2);
            let cuts = [items.get(..half), items.get(half..)].into_iter().flatten();
            let cuts = cuts.filter(|cut| cut.len() < items.len()).map(|cut| json!(cut));
            let without = (0..items.len()).map(|i| {
                let mut items = items.clone();
                items.remove(i);
                Value::Array(items)
            });
            let inside = items.iter().enumerate().flat_map(|(i, item)| {
                smaller(item).into_iter().map(move |item| {
                    let mut items = items.clone();
                    items.splice(i..=i, [item]);
                    Value::Array(items)
                })
            });
            cuts.chain(without).chain(inside).collect()
        }
        Value::Object(members) => {
            let without = members.keys().map(|name| {
                let mut members = members.clone();
                members.remove(name);
                Value::Object(members)
            });
            let inside = members.iter().flat_map(|(name, member)| {
                smaller(member).into_iter().map(move |member| {
                    let mut members = members.clone();
                    members.insert(name.clone(), member);
                    Value::Object(members)
                })
            });
            without.chain(inside).collect()
        }
    }
}

/// Nearer to zero: zero, the half, and the next.
fn smaller_numbers(value: &Value) -> Vec<Value> {
    if let Some(number) = value.as_i64() {
        let mut nearer = vec![0, number / 2, number - number.signum()];
        nearer.dedup();
        return nearer.into_iter().filter(|other| *other != number).map(Value::from).collect();
    }
    // A fraction ends at the whole number before it; what is beyond those of 64 bits at its half.
    let Some(number) = value.as_f64() else { return Vec::new() };
    let nearer = match format!("{:.0}", number.trunc()).parse::<i64>() {
        Ok(0) => None,
        Ok(whole) => Some(json!(whole)),
        Err(_) => Some(json!(number / 2.0)),
    };
    [json!(0)].into_iter().chain(nearer).collect()
}

/// The beginning of a text: nothing, the half, all but its end.
fn smaller_texts(text: &str) -> Vec<Value> {
    let length = text.chars().count();
    let mut lengths = vec![0, length / 2, length.saturating_sub(1)];
    lengths.dedup();
    let cuts = lengths.into_iter().filter(|cut| *cut < length);
    cuts.map(|cut| text.chars().take(cut).collect::<String>().into()).collect()
}
