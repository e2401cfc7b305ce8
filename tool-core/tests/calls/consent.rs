//! Consent that is given later, and what it is bound to.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, ApprovalRequest, Approver, BoxFuture, Call, Caller, Decision, DynTool, Executor, Registry,
};

use crate::scene::{Calls, Rows, audited, registry};

/// Answers what it is told to, and remembers nothing.
struct Says(Decision);

impl Approver for Says {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(self.0.clone()))
    }

    fn name(&self) -> &str {
        "flag"
    }
}

#[tokio::test]
async fn a_parked_question_is_decided_later_and_the_same_call_then_passes() {
    use tool_core::{ApprovalId, ApprovalState, Approvals, MemoryApprovals};
    let approvals = Arc::new(MemoryApprovals::default());
    let rows = Rows::default();
    let executor = Executor::standard(registry())
        .approve(ApprovalLevel::SideEffect)
        .approvals(approvals.clone(), [7; 32])
        .audit(audited(&rows))
        .build()
        .unwrap();
    let calls = Calls::default();
    let id = ApprovalId("ap_1".to_owned());
    let ctx = |decision| ToolContext::builder().provide(calls.clone()).approver(Says(decision)).build();
    let parked = ctx(Decision::Pending(id.clone()));
    let call = async |ctx: &ToolContext| {
        executor.call(Call::new("risky", json!({})), ctx, Caller::Llm).await.unwrap_err()
    };
    let error = call(&parked).await;
    assert_eq!((error.code_str(), &error.details()["approval_id"]), ("approval_pending", &json!("ap_1")));
    assert_eq!(call(&parked).await.code_str(), "approval_pending");
    assert!(approvals.decide(&id, ApprovalState::Once).unwrap());
    rows.take();
    assert_eq!(call(&parked).await.code_str(), "unavailable", "it ran");
    assert_eq!(rows.take()[0].decision["approval_id"], "ap_1");
    assert_eq!(call(&parked).await.code_str(), "approval_pending", "once is once");
    assert!(approvals.decide(&id, ApprovalState::Denied { reason: Some("no".to_owned()) }).unwrap());
    assert_eq!(call(&parked).await.code_str(), "approval_denied");
    assert_eq!(calls.0.load(Ordering::SeqCst), 1);

    let always = ctx(Decision::AllowAlways);
    assert_eq!(call(&always).await.code_str(), "unavailable");
    assert_eq!(rows.take().last().unwrap().decision["approved_by"], "flag");
    let known = approvals.list().unwrap();
    assert!(approvals.revoke(&known[0].id).unwrap());
    assert_eq!(call(&ctx(Decision::Deny { reason: None })).await.code_str(), "approval_denied");
}

#[test]
fn consent_is_bound_to_tenant_agent_tool_definition_and_every_argument() {
    use tool_core::approval_hash;
    let registry = registry();
    let hash = |tenant: &str, agent: &str, tool: &str, args: Value| {
        approval_hash(tenant, agent, registry.get(tool).unwrap(), &args, &[1; 32])
    };
    let base = hash("", "bot", "rows", json!({"count": 1}));
    assert_eq!(base, hash("", "bot", "rows", json!({"count": 1.0})));
    let others = [
        hash("t", "bot", "rows", json!({"count": 1})),
        hash("", "bos", "rows", json!({"count": 1})),
        hash("", "bot", "flaky", json!({"count": 1})),
        hash("", "bot", "rows", json!({"count": 2})),
    ];
    assert!(!others.contains(&base));
    let secret = |password: &str| hash("", "bot", "leak", json!({"password": password}));
    assert_ne!(secret("a"), secret("b"));
    let described = |text: &str| {
        let tool = DynTool::builder("t").description(text).handler_sync(|_, _| Ok(ToolOutput::default()));
        let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
        approval_hash("", "bot", registry.get("t").unwrap(), &json!({}), &[1; 32])
    };
    assert_ne!(described("Deletes."), described("Deletes!"), "an edited description asks again");
    assert_eq!(described("Deletes."), described("Deletes."));
}
