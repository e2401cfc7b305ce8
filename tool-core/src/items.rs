//! A list as a result, whose elements somebody may see as they come. (cli.md §8, emitted items)
//!
//! The list is written element by element while the tool runs; what the call gives back is the same whether anybody watches.
//! Of a call that fails before its end, what it emitted is kept in the error, unless it has been seen already.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::call::{CallScope, scrub_json};
use crate::context::ToolContext;
use crate::convert::{IntoOutput, written};
use crate::error::ToolError;
use crate::output::{ToolOutput, ToolResult};
use crate::structured::Structured;

/// The most bytes of a list that is emitted, as compact JSON.
pub const ITEMS_BYTES: usize = 64 * 1024 * 1024;

/// The most bytes of what a failed call emitted that its error keeps, in whole elements.
const PARTIAL_BYTES: usize = 64 * 1024;

/// Receives the elements of a call's list as they come. It must not block.
pub trait ItemSink: Send + Sync {
    /// Takes the next element, without known secrets.
    fn item(&self, ctx: &ToolContext, item: &Value);

    /// Whether who takes elements shows them to the caller, who then needs neither another try of the call nor the elements in
    /// its error. One that only notes them, as a test does, says no.
    fn shows(&self) -> bool {
        true
    }
}

/// The elements of a list that is a tool's result; made by [`ToolContext::items`], its schema is that of `Vec<T>`.
///
/// On the command line `-o jsonl` prints each element as it comes; every other surface gets the list when the tool ends.
///
/// ```
/// use tool_core::prelude::*;
///
/// /// Counts.
/// #[tool(register = false)]
/// fn count(
///     /// How far.
///     #[arg(positional)]
///     to: u32,
///     ctx: &ToolContext,
/// ) -> Result<Items<u32>, ToolError> {
///     let mut numbers = ctx.items();
///     for number in 1..=to {
///         numbers.push(number)?;
///     }
///     Ok(numbers)
/// }
///
/// let counted = count(3, &ToolContext::empty()).unwrap();
/// assert_eq!(counted.to_value(), serde_json::json!([1, 2, 3]));
/// ```
pub struct Items<T> {
    ctx: ToolContext,
    emitted: Arc<Emitted>,
    sink: Option<Arc<dyn ItemSink>>,
    of: PhantomData<fn(T)>,
}

impl ToolContext {
    /// A list to be the call's result, of which each element can be seen when it is pushed. The first list of a call is the one
    /// that is watched; those of the calls within it are not.
    pub fn items<T>(&self) -> Items<T> {
        let emitted = Arc::<Emitted>::default();
        let call = self.running();
        if let Some(call) = call {
            call.begin_items(&emitted);
        }
        let is_outermost = call.is_none_or(|call| call.parent().is_none());
        let sink = if is_outermost { self.item_sink() } else { None };
        Items { ctx: self.clone(), emitted, sink, of: PhantomData }
    }
}

impl<T> Items<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.emitted.list().count
    }

    /// Whether there is none yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list so far, for tests of the function.
    pub fn to_value(&self) -> Value {
        Structured::written(self.emitted.list().closed()).into_value()
    }
}

impl<T: Serialize> Items<T> {
    /// Adds an element, and shows it to whoever watches.
    ///
    /// # Errors
    /// `cancelled` or `timeout` when the call should end: the element is not added. `failed`, code `too_many_items`, when the
    /// list would be longer than [`ITEMS_BYTES`]. `internal` for what cannot be written as JSON, as for any result.
    pub fn push(&mut self, item: T) -> Result<(), ToolError> {
        self.ctx.check()?;
        let text = written(item)?;
        self.emitted.list().add(&text)?;
        if let Some(sink) = self.sink.as_ref().filter(|sink| self.is_watched(sink.shows())) {
            sink.item(&self.ctx, &self.visible(text));
        }
        Ok(())
    }

    /// Whether this is the list that is watched; if so, it counts as shown where it is.
    fn is_watched(&self, is_shown: bool) -> bool {
        let is_watched = self.ctx.running().is_none_or(|call| call.emits(&self.emitted));
        if is_watched && is_shown {
            self.emitted.set_shown();
        }
        is_watched
    }

    /// An element as it may leave the call.
    fn visible(&self, text: String) -> Value {
        let item = Structured::written(text).into_value();
        match self.ctx.running().and_then(CallScope::known_secrets) {
            Some(secrets) => scrub_json(item, secrets),
            None => item,
        }
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T: Serialize + JsonSchema> IntoOutput for Items<T> {
    /// The list; who has seen its elements needs nothing more.
    fn into_output(self) -> ToolResult {
        let list = Structured::written(self.emitted.list().closed());
        let trailer = self.emitted.is_shown().then(String::new);
        Ok(ToolOutput { structured: Some(list), trailer, ..ToolOutput::default() })
    }

    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<Vec<T>>())
    }
}

/// What a call has emitted.
#[derive(Default)]
pub(crate) struct Emitted {
    list: Mutex<List>,
    is_shown: AtomicBool,
}

/// A list in writing, without its brackets.
#[derive(Default)]
struct List {
    text: String,
    count: usize,
    /// Where the elements end that an error keeps.
    kept: usize,
}

impl Emitted {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that somebody sees elements of it.
    pub(crate) fn set_shown(&self) {
        self.is_shown.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has seen elements of it.
    pub(crate) fn is_shown(&self) -> bool {
        self.is_shown.load(Ordering::Relaxed)
    }

    /// The first elements as a list, and how many there are in all; `None` where there are none.
    pub(crate) fn first(&self) -> Option<(Value, usize)> {
        let list = self.list();
        let kept = list.text.get(..list.kept)?;
        (list.count > 0).then(|| (Structured::written(format!("[{kept}]")).into_value(), list.count))
    }
}

impl List {
    fn add(&mut self, item: &str) -> Result<(), ToolError> {
        // With the brackets around all and the comma in front.
        if self.text.len() + item.len() + 3 > ITEMS_BYTES {
            return Err(too_many(self.count));
        }
        if self.count > 0 {
            self.text.push(',');
        }
        self.text.push_str(item);
        self.count += 1;
        if self.text.len() <= PARTIAL_BYTES {
            self.kept = self.text.len();
        }
        Ok(())
    }

    fn closed(&self) -> String {
        format!("[{}]", self.text)
    }
}

#[cold]
fn too_many(count: usize) -> ToolError {
    let most = ITEMS_BYTES / (1024 * 1024);
    ToolError::failed(format!("The result is longer than {most} MiB; it ends after {count} elements."))
        .code("too_many_items")
        .hint("ask for less, or for one part after the other")
}
