//! What a log tells of a panic: its text, without the secrets of its call, on whatever thread and however early it comes.
//!
//! A program of its own, since it hears all threads.

#![allow(clippy::unwrap_used, clippy::panic, reason = "they are what is tested")]

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{BoxFuture, Call, Caller, Executor, Invocation, Layer, Next, Registry};

const SECRET: &str = "correct horse";

/// Panics with a password.
#[tool(register = false)]
fn spill(
    /// Password.
    #[arg(secret, aliases = ["pass"])]
    password: &str,
) -> String {
    panic!("cannot use {password}")
}

/// Panics with a password, later.
#[tool(register = false)]
async fn spill_later(
    /// Password.
    #[arg(secret, aliases = ["pass"])]
    password: &str,
) -> String {
    tokio::task::yield_now().await;
    panic!("cannot use {password}")
}

/// A word that no text is.
#[derive(JsonSchema)]
#[schemars(with = "String")]
struct Word;

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        panic!("cannot use {}", String::deserialize(deserializer)?)
    }
}

/// Panics with a password before it is begun.
#[tool(register = false)]
fn decode(
    /// Password.
    #[arg(secret, aliases = ["pass"])]
    password: Word,
) -> bool {
    matches!(password, Word)
}

/// Panics with what it is told, which is no secret of its own.
#[tool(register = false)]
async fn repeat(
    /// What.
    text: &str,
) -> String {
    panic!("cannot use {text}")
}

/// Tells another tool a password.
#[tool(register = false)]
async fn pass_on(
    /// Password.
    #[arg(secret, aliases = ["pass"])]
    password: &str,
    ctx: &ToolContext,
) -> ToolResult {
    ctx.call("repeat", json!({"text": password})).await
}

/// A layer that only stands in the way of the short path.
struct Through;

impl Layer for Through {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        next.run(inv)
    }
}

fn tools() -> Registry {
    let tools = Registry::builder().add::<SpillTool>().add::<SpillLaterTool>().add::<DecodeTool>();
    tools.add::<RepeatTool>().add::<PassOnTool>().build().unwrap()
}

#[test]
fn a_panic_is_told_without_the_secrets_of_its_call() {
    let log = tool_trials::Log::default();
    log.of_this_program();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let plain = Executor::standard(tools()).build().unwrap();
    let layered = Executor::standard(tools()).before("run", Through).build().unwrap();
    let ctx = ToolContext::empty();
    let mut told = 0;
    for tool in ["spill", "spill_later", "decode", "pass_on"] {
        for args in [json!({"password": SECRET}), json!({"pass": SECRET})] {
            let call = || Call::new(tool, args.clone());
            let text = args.to_string();
            let ways: [(&str, &dyn Fn() -> ToolResult); 6] = [
                ("blocking", &|| plain.call_blocking(call(), &ctx, Caller::Test)),
                ("blocking text", &|| plain.call_text_blocking(tool, &text, &ctx, Caller::Test)),
                ("inside", &|| {
                    plain.call_blocking(Call::new(tool, Value::from(text.as_str())), &ctx, Caller::Test)
                }),
                ("runtime", &|| runtime.block_on(plain.call(call(), &ctx, Caller::Test))),
                ("text", &|| runtime.block_on(plain.call_text(tool, &text, &ctx, Caller::Test))),
                ("layered", &|| runtime.block_on(layered.call(call(), &ctx, Caller::Test))),
            ];
            for (way, made) in ways {
                assert_eq!(made().unwrap_err().code_str(), "panic", "{tool} {way}");
                told += 1;
                let text = log.text();
                assert!(!text.contains(SECRET), "{tool} {way}: {text}");
                assert_eq!(
                    text.matches("cannot use [secret:password]").count(),
                    told,
                    "{tool} {way}: {text}"
                );
            }
        }
    }
    for tool in ["spill", "decode"] {
        let planned =
            runtime.block_on(plain.plan(Call::new(tool, json!({"password": SECRET})), &ctx, Caller::Test));
        assert_eq!(planned.is_err(), tool == "decode");
    }
    assert!(!log.text().contains(SECRET), "{}", log.text());
}
