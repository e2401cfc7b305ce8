//! Only the ready-made program as a dependency.

use toolbox::tool_core::prelude::*;

/// Doubles a number.
#[tool]
pub fn double(
    /// The number.
    number: i64,
) -> i64 {
    number * 2
}

tool_set! {
    /// What there is.
    pub static ALL = [DoubleTool];
}

#[cfg(test)]
mod tests {
    use toolbox::tool_core::{Call, Caller, Executor, Registry, args};

    use super::*;

    #[test]
    fn a_crate_that_knows_only_the_program_has_tools_of_its_own() {
        let registry = Registry::builder().add_set(&ALL).build().unwrap();
        let executor = Executor::standard(registry).build().unwrap();
        let args = args::parse(r#"{"number": 21}"#).unwrap();
        let output = executor.call_blocking(Call::new("double", args), &ToolContext::empty(), Caller::Test);
        assert_eq!(output.unwrap().data(), double(21));
    }
}
