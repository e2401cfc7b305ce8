//! A policy's domains hold for each address that is reached, not only for the one in the arguments. (calls.md §4)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::sync::Arc;

use serde_json::json;
use tool_core::http::{Http, Request};
use tool_core::prelude::*;
use tool_core::test::{CallResult, ToolKit};
use tool_core::{ErrorKind, Registry};
use tool_policy::{Paths, Policy, Syntax};

/// Fetches a page.
#[tool(register = false, open_world)]
async fn fetch_page(
    /// Its address.
    #[arg(hint = "url")]
    url: &str,
    #[ctx] http: &dyn Http,
) -> Result<String, ToolError> {
    http.send(Request::get(url)?).await?.success()?.text().await
}

const POLICY: &str = r#"
version = 1
[agents.operator]
tools = ["*"]
[agents.operator.tool_config]
fetch_page = { allowed_domains = ["x.example", "*.x.example"] }
"#;

/// Fetches a page that another one leads to.
fn redirected(to: &'static str) -> CallResult {
    let registry = Registry::builder().add::<FetchPageTool>().build().unwrap();
    let policy = Policy::load("policy.toml", POLICY, Syntax::Toml, &registry, Paths::new("/")).unwrap();
    let policy = Arc::new(policy);
    let kit = ToolKit::of(registry)
        .executor(move |builder| builder.policy(policy.clone()))
        .http(move |h| h.get("https://x.example/").redirect(to))
        .http(move |h| if to.contains("x.example") { h.get(to).bytes("there") } else { h })
        .build();
    kit.call_blocking("fetch_page", json!({"url": "https://x.example/"}))
}

#[test]
fn a_redirect_leads_to_no_domain_that_the_policy_does_not_allow() {
    let refused = redirected("https://evil.test/").unwrap_err();
    assert_eq!((refused.kind(), refused.code_str()), (ErrorKind::Denied, "domain_not_allowed"));
    assert_eq!(redirected("https://a.x.example/").unwrap().data(), "there");
}
