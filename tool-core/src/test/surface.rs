//! A way to call a tool from outside, for tests that compare them.

use serde_json::Value;

use super::called::CallResult;
use super::kit::ToolKit;
use crate::def::BoxFuture;

/// A surface that [`ToolKit::everywhere`] calls through. Crates with a surface have one of their own.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::{Case, SurfaceUnderTest, Told, ToolKit};
/// use tool_core::{BoxFuture, Caller};
///
/// /// Sends arguments as the text of an object.
/// struct AsText;
///
/// impl SurfaceUnderTest for AsText {
///     fn name(&self) -> String {
///         "text".to_owned()
///     }
///
///     fn call<'a>(&'a self, kit: &'a ToolKit, case: &'a Case<'a>) -> BoxFuture<'a, Option<Told>> {
///         Box::pin(async move {
///             let result = kit.call(case.tool, json!(case.args.to_string())).await;
///             Some(Told::of(&result))
///         })
///     }
/// }
/// ```
pub trait SurfaceUnderTest: Send + Sync {
    /// What it is called when it differs.
    fn name(&self) -> String;

    /// Makes a call with a kit that nothing else uses; `None` where the surface does not offer the tool, or cannot say such
    /// arguments.
    fn call<'a>(&'a self, kit: &'a ToolKit, case: &'a Case<'a>) -> BoxFuture<'a, Option<Told>>;
}

/// A call that is made on every surface.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// The arguments, as a caller of the executor gives them.
    pub args: &'a Value,
    /// Whether the arguments are those of the tool, just as they stand.
    pub fits: bool,
}

/// What a surface told of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The data, or the error in its one JSON form.
    pub result: Result<Value, Value>,
    /// The exit status, on a surface that has one.
    pub exit: Option<u8>,
}

impl Told {
    /// What a call told directly.
    pub fn of(result: &CallResult) -> Told {
        let result = match result {
            Ok(output) => Ok(output.data()),
            Err(error) => Err(error.to_json()),
        };
        Told { result, exit: None }
    }

    /// What an envelope says, `{"ok", "data"}` or `{"ok", "error"}`.
    pub fn of_envelope(envelope: &Value) -> Told {
        let member = |name: &str| envelope.get(name).cloned().unwrap_or_default();
        let ok = envelope.get("ok").and_then(Value::as_bool).unwrap_or_default();
        Told { result: if ok { Ok(member("data")) } else { Err(member("error")) }, exit: None }
    }

    /// The same with an exit status.
    #[must_use]
    pub fn exit(self, status: u8) -> Told {
        Told { exit: Some(status), ..self }
    }
}
