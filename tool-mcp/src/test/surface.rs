//! MCP among the surfaces on which a call must come to the same: a client of each era.

use std::sync::Arc;

use tool_core::BoxFuture;
use tool_core::def::Surface;
use tool_core::test::{Case, SurfaceUnderTest, Told, ToolKit};

use super::client::McpExt as _;
use crate::era::Era;

/// A client of each era, for [`tool_core::test::KitBuilder::surfaces`].
pub fn surfaces() -> Vec<Arc<dyn SurfaceUnderTest>> {
    Era::ALL.into_iter().map(|era| Arc::new(Client(era)) as Arc<dyn SurfaceUnderTest>).collect()
}

/// A client that speaks an era of the protocol.
struct Client(Era);

impl SurfaceUnderTest for Client {
    fn name(&self) -> String {
        self.0.dialect().to_string()
    }

    fn call<'a>(&'a self, kit: &'a ToolKit, case: &'a Case<'a>) -> BoxFuture<'a, Option<Told>> {
        Box::pin(async move {
            let offered = kit.registry().get(case.tool);
            let offered = offered.is_none_or(|entry| entry.def().surfaces.contains(Surface::Mcp));
            if !offered || !case.args.is_object() {
                return None;
            }
            Some(kit.mcp(self.0).await.call(case.tool, case.args.clone()).await.told())
        })
    }
}
