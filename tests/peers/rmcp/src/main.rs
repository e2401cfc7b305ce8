//! The tools for rmcp: methods of a server with one struct of parameters each, called through its router as its service does.

mod parameters;

use parameters::{Measure, Order, Payment, Receipt, Reserve, Sum};
use question::{Listed, Peer};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolRequestParams, CallToolResponse, NumberOrString};
use rmcp::service::{RequestContext, RunningService, serve_directly};
use rmcp::{RoleServer, ServerHandler, tool, tool_router};

#[derive(Clone)]
struct Shop;

#[tool_router]
impl Shop {
    /// Reserves seats.
    #[tool]
    fn reserve(&self, Parameters(Reserve { event, seats }): Parameters<Reserve>) -> Result<String, String> {
        if !(1..=10).contains(&seats) {
            return Err(format!("seats must be from 1 to 10, not {seats}"));
        }
        Ok(format!("{seats} seats for {event}"))
    }

    /// Orders an item.
    #[tool]
    fn order(&self, Parameters(order): Parameters<Order>) -> Result<Json<Receipt>, String> {
        let Order { customer, item, quantity, price, express, tags, address, payment } = order;
        if !(1..=100).contains(&quantity) {
            return Err(format!("quantity must be from 1 to 100, not {quantity}"));
        }
        let fee = f64::from(u8::from(express)) * 5.0 + f64::from(u8::from(payment == Payment::Invoice));
        let total = f64::from(quantity) * price + fee + tags.len() as f64;
        let to = if address.zip.is_some() { address.street } else { address.city };
        Ok(Json(Receipt { item, total, to: format!("{customer}, {to}") }))
    }

    /// Measures a text.
    #[tool]
    fn measure(&self, Parameters(Measure { text }): Parameters<Measure>) -> String {
        format!("{} bytes", text.len())
    }

    /// Adds numbers.
    #[tool]
    fn sum(&self, Parameters(Sum { numbers }): Parameters<Sum>) -> String {
        format!("{} numbers, {}", numbers.len(), numbers.iter().sum::<f64>())
    }
}

impl ServerHandler for Shop {}

struct Rmcp {
    router: ToolRouter<Shop>,
    /// What makes contexts of requests; nothing is sent through it.
    running: RunningService<RoleServer, Shop>,
    id: i64,
}

impl Peer for Rmcp {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        let args = serde_json::from_str(args).map_err(|error| error.to_string())?;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        self.id += 1;
        let context = RequestContext::new(NumberOrString::Number(self.id), self.running.peer().clone());
        let context = ToolCallContext::new(self.running.service(), params, context);
        let response = self.router.call(context).await.map_err(|error| error.message.into_owned())?;
        let CallToolResponse::Complete(result) = response else { return Err("it asks back".to_owned()) };
        let text =
            result.content.into_iter().next().and_then(|block| block.as_text().map(|text| text.text.clone()));
        let text = text.unwrap_or_default();
        if result.is_error == Some(true) { Err(text) } else { Ok(text) }
    }
}

impl Listed for Rmcp {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&self.router.list_all()).unwrap_or_default()
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let _inside = runtime.enter();
    let (_client, server) = tokio::io::duplex(1 << 10);
    let running = serve_directly(Shop, tokio::io::split(server), None);
    question::ask(Rmcp { router: Shop::tool_router(), running, id: 0 });
}
