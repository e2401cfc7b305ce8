//! The command line among the surfaces on which a call must come to the same.

use std::sync::Arc;

use serde_json::Value;
use tool_core::BoxFuture;
use tool_core::def::Surface;
use tool_core::test::{Case, SurfaceUnderTest, Told, ToolKit};

use super::run::{CliExt as _, CliOutput};

/// How a result is to be written: the envelope, so that success and failure look the same.
const OPTIONS: [&str; 3] = ["--envelope", "-o", "json"];

/// The ways to call a tool on the command line, for [`tool_core::test::KitBuilder::surfaces`]: the arguments as one object, and,
/// where they fit, as options and words.
pub fn surfaces() -> Vec<Arc<dyn SurfaceUnderTest>> {
    vec![Arc::new(Input), Arc::new(Words)]
}

/// Arguments as one object.
struct Input;

impl SurfaceUnderTest for Input {
    fn name(&self) -> String {
        "command line, --input".to_owned()
    }

    fn call<'a>(&'a self, kit: &'a ToolKit, case: &'a Case<'a>) -> BoxFuture<'a, Option<Told>> {
        Box::pin(async move {
            if !is_offered(kit, case.tool) {
                return None;
            }
            let args = case.args.to_string();
            let words = [&["call", case.tool, "--input", &args], OPTIONS.as_slice()].concat();
            Some(told(&kit.cli(words).await))
        })
    }
}

/// Arguments as a person types them.
struct Words;

impl SurfaceUnderTest for Words {
    fn name(&self) -> String {
        "command line, words".to_owned()
    }

    fn call<'a>(&'a self, kit: &'a ToolKit, case: &'a Case<'a>) -> BoxFuture<'a, Option<Told>> {
        Box::pin(async move {
            let args = case.args.as_object().filter(|_| case.fits && is_offered(kit, case.tool))?;
            let own = kit.program().command_line(case.tool, args).ok()?;
            let words = OPTIONS.iter().map(|word| (*word).to_owned()).chain(own);
            Some(told(&kit.cli(words).await))
        })
    }
}

fn is_offered(kit: &ToolKit, tool: &str) -> bool {
    kit.registry().get(tool).is_none_or(|entry| entry.def().surfaces.contains(Surface::Cli))
}

fn told(output: &CliOutput) -> Told {
    let mut envelope = output.document().unwrap_or_default();
    // The option of each issue is said here alone.
    if let Some(error) = envelope.get_mut("error").and_then(Value::as_object_mut)
        && let Some(details) = error.get_mut("details").and_then(Value::as_object_mut)
        && details.remove("flags").is_some()
        && details.is_empty()
    {
        error.remove("details");
    }
    Told::of_envelope(&envelope).exit(output.code())
}
