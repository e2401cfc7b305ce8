//! The greatest number of parameters that a tool may have: the twin of the refusal of one more.

#![allow(clippy::unwrap_used, clippy::too_many_arguments, reason = "it is the number that is tested")]

use serde_json::{Map, Value, json};
use tool_core::prelude::*;
use tool_core::{Caller, Executor, Registry};

/// Adds thirty-two numbers.
#[tool(register = false)]
fn add_all(
    /// A number.
    p1: u8,
    /// A number.
    p2: u8,
    /// A number.
    p3: u8,
    /// A number.
    p4: u8,
    /// A number.
    p5: u8,
    /// A number.
    p6: u8,
    /// A number.
    p7: u8,
    /// A number.
    p8: u8,
    /// A number.
    p9: u8,
    /// A number.
    p10: u8,
    /// A number.
    p11: u8,
    /// A number.
    p12: u8,
    /// A number.
    p13: u8,
    /// A number.
    p14: u8,
    /// A number.
    p15: u8,
    /// A number.
    p16: u8,
    /// A number.
    p17: u8,
    /// A number.
    p18: u8,
    /// A number.
    p19: u8,
    /// A number.
    p20: u8,
    /// A number.
    p21: u8,
    /// A number.
    p22: u8,
    /// A number.
    p23: u8,
    /// A number.
    p24: u8,
    /// A number.
    p25: u8,
    /// A number.
    p26: u8,
    /// A number.
    p27: u8,
    /// A number.
    p28: u8,
    /// A number.
    p29: u8,
    /// A number.
    p30: u8,
    /// A number.
    p31: u8,
    /// A number.
    p32: u8,
) -> u32 {
    [
        p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22,
        p23, p24, p25, p26, p27, p28, p29, p30, p31, p32,
    ]
    .into_iter()
    .map(u32::from)
    .sum()
}

#[test]
fn thirty_two_parameters_are_taken() {
    let executor =
        Executor::standard(Registry::builder().add::<AddAllTool>().build().unwrap()).build().unwrap();
    let args: Map<String, Value> = (1..=32).map(|i| (format!("p{i}"), json!(i))).collect();
    let call = |args: &Map<String, Value>| {
        let text = Value::Object(args.clone()).to_string();
        executor.call_text_blocking("add_all", &text, &ToolContext::empty(), Caller::Test)
    };
    assert_eq!(call(&args).unwrap().structured.as_deref(), Some(&json!((1..=32).sum::<u32>())));
    let missing: Map<String, Value> = args.into_iter().filter(|(name, _)| name != "p32").collect();
    assert_eq!(call(&missing).unwrap_err().arg_issues().len(), 1);
}
