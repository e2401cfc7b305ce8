//! The command line among the surfaces on which a call must come to the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use tool_core::BoxFuture;
use tool_core::def::Surface;
use tool_core::test::{Case, SurfaceUnderTest, TemporaryDirectory, Told, ToolKit};

use super::run::{CliExt as _, CliOutput};
use crate::flags::Table;
use crate::schema;

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
            let called =
                |input| kit.cli([&["call", case.tool, "--input", input], OPTIONS.as_slice()].concat());
            // Everybody on the machine can read the words of a command line: what is secret comes another way.
            let run = if secrets(kit, case.tool).is_empty() {
                called(&args)
            } else {
                called("-").stdin(args.clone())
            };
            Some(told(&run.await))
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
            let folder = TemporaryDirectory::new().ok()?;
            let files = secret_files(kit, case.tool, args, folder.path())?;
            let mut words = kit.program().command_line(case.tool, args).ok()?;
            let mut file = None;
            // Behind `--` everything is a value.
            for word in words.iter_mut().take_while(|word| *word != "--") {
                // A command line that is made of arguments has a placeholder there.
                match file.take() {
                    Some(file) => word.clone_from(file),
                    None => file = files.get(word),
                }
            }
            let options = OPTIONS.iter().map(|word| (*word).to_owned());
            Some(told(&kit.cli(options.chain(words)).await))
        })
    }
}

/// The options of a tool that name files of secrets, and the parameters that these are.
fn secrets(kit: &ToolKit, tool: &str) -> BTreeMap<String, String> {
    let table = kit.registry().get(tool).and_then(|entry| {
        let def = entry.def();
        Some(Table::new(def, &schema::canonical(def).ok()?))
    });
    let params = table.into_iter().flat_map(|table| table.params).filter(|param| param.secret);
    params.filter_map(|param| Some((param.usage()?, param.name))).collect()
}

/// Writes each secret argument into a file of its own: the files by the options that name them. `None` where one is no text, or a
/// text that the file cannot tell from another.
fn secret_files(
    kit: &ToolKit,
    tool: &str,
    args: &Map<String, Value>,
    folder: &Path,
) -> Option<BTreeMap<String, String>> {
    let written = |(nth, (option, name)): (usize, (String, String))| {
        let value = args.get(&name)?;
        // One line end at the end of the file is no part of the secret.
        let text = value.as_str().filter(|text| !text.ends_with('\r')).map(|text| format!("{text}\n"));
        let file = folder.join(nth.to_string());
        let written = text.is_some_and(|text| std::fs::write(&file, text).is_ok());
        Some(written.then(|| (option, file.display().to_string())))
    };
    secrets(kit, tool).into_iter().enumerate().filter_map(written).collect()
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
