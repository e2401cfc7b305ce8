//! Two tools, and everything that keeps them right.

use tool_core::prelude::*;

/// Greets a person by name.
#[tool]
#[example("A loud greeting", { "name": "Ada", "loud": true } => "HELLO, ADA!")]
pub fn greet_person(
    /// Whom to greet.
    #[arg(positional, len = 1..=80)]
    name: &str,
    /// Shout.
    loud: bool,
) -> String {
    let text = format!("Hello, {name}!");
    if loud { text.to_uppercase() } else { text }
}

/// Adds whole numbers; nothing when the sum is too large.
#[tool]
#[example("Two numbers", { "numbers": [1, 2] } => 3)]
pub fn add_numbers(
    /// The numbers.
    #[arg(positional, len = 1..=100)]
    numbers: Vec<i32>,
) -> Option<i32> {
    numbers.iter().try_fold(0_i32, |sum, number| sum.checked_add(*number))
}

tool_set! {
    /// The tools of this crate.
    pub static TOOLS = [GreetPersonTool, AddNumbersTool];
}

#[cfg(test)]
mod tests {
    use tool_core::test::ToolKit;
    use tool_core::{Registry, RegistryError};

    #[test]
    fn the_tools_hold_what_they_promise() -> Result<(), RegistryError> {
        let registry = Registry::builder().add_set(&super::TOOLS).build()?;
        tool_core::assert_tools!(&registry, strict);
        tool_core::lock!("tools.lock", registry);
        tool_core::snapshot_tools!(&registry);
        Ok(())
    }

    #[test]
    fn a_text_is_read_as_a_number() {
        let kit = ToolKit::new(&super::TOOLS).build();
        let called = kit.tool(super::AddNumbersTool).arg("numbers", ("1", 2)).run_blocking().unwrap();
        assert_eq!(called.data(), 3);
    }
}
