//! The tools as rig's typed tools in its tool set, which is what its agents dispatch through.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use repair::arguments::Arguments;
use repair::{Answer, Subject, with_each};
use rig_agent::tool::ToolSet;
use rig_core::schemars::generate::SchemaSettings;
use rig_core::tool::{PortableTool, ToolContext, ToolExecutionError};
use serde_json::Value;
use tokio::runtime::Runtime;

/// A tool that gives its arguments back, once it has checked their bounds.
struct Echo<T>(PhantomData<fn() -> T>);

/// What a tool's own check says.
#[derive(Debug)]
struct Wrong(String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Wrong {}

impl<T: Arguments> PortableTool for Echo<T> {
    const NAME: &'static str = T::NAME;
    type Args = T;
    type Output = Value;
    type Error = Wrong;

    fn description(&self) -> String {
        T::DESCRIPTION.to_owned()
    }

    fn parameters(&self) -> Value {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
    }

    fn map_error(&self, error: Wrong) -> ToolExecutionError {
        ToolExecutionError::invalid_args(error.0)
    }

    async fn call(&self, arguments: T) -> Result<Value, Wrong> {
        arguments.check().map_err(Wrong)?;
        serde_json::to_value(&arguments).map_err(|error| Wrong(error.to_string()))
    }
}

/// rig.
pub struct Rig {
    name: &'static str,
    runtime: Runtime,
    tools: ToolSet,
}

impl Rig {
    /// Tools whose structs drop keys that they do not have.
    pub fn loose() -> Result<Rig, Box<dyn Error>> {
        let mut tools = ToolSet::default();
        macro_rules! add {
            ($arguments:ty) => {
                tools.add_tool(Echo::<$arguments>(PhantomData))
            };
        }
        with_each!(loose, add);
        Rig::of("rig 0.44", tools)
    }

    /// Tools whose structs deny them.
    pub fn strict() -> Result<Rig, Box<dyn Error>> {
        let mut tools = ToolSet::default();
        macro_rules! add {
            ($arguments:ty) => {
                tools.add_tool(Echo::<$arguments>(PhantomData))
            };
        }
        with_each!(strict, add);
        Rig::of("rig 0.44, `deny_unknown_fields`", tools)
    }

    fn of(name: &'static str, tools: ToolSet) -> Result<Rig, Box<dyn Error>> {
        Ok(Rig { name, runtime: tokio::runtime::Builder::new_current_thread().build()?, tools })
    }
}

impl Subject for Rig {
    fn name(&self) -> &str {
        self.name
    }

    fn schema(&self, tool: &str) -> Value {
        let mut definitions = self.tools.tool_definitions().into_iter();
        definitions.find(|one| one.name == *tool).map(|one| one.parameters).unwrap_or_default()
    }

    fn call(&mut self, tool: &str, text: &str) -> Answer {
        let mut context = ToolContext::new();
        let result = self.runtime.block_on(self.tools.execute(tool, text, &mut context));
        match result.is_error() {
            true => Answer::Refused(result.output().render()),
            false => Answer::Ran(result.output().as_json().cloned().unwrap_or_default()),
        }
    }
}
