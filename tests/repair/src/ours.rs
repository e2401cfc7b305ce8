//! The twelve tools as functions of this project, and calls of them as a model makes them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Caller, Executor, Registry, RegistryError, envelope};

use crate::arguments::loose::{Attachment, Condition, Edit, Guest, Order, Party, Point, Shape};
use crate::arguments::{Encoding, Method, Priority, Room, Seating};
use crate::subject::{Answer, Subject};

/// Reads lines of a file.
#[tool(register = false)]
fn read_text(
    /// Which file.
    path: &str,
    /// The first line.
    #[arg(range = 1.., default = 1)]
    start: u32,
    /// Most lines.
    #[arg(range = 1..=10_000, default = 200)]
    limit: u32,
    /// How it is encoded.
    encoding: Option<Encoding>,
) -> Value {
    json!({"path": path, "start": start, "limit": limit, "encoding": encoding})
}

/// Searches files.
#[tool(register = false)]
fn search_code(
    /// What to look for.
    pattern: &str,
    /// Where.
    #[arg(required)]
    paths: &[String],
    /// Whether case counts.
    case_sensitive: bool,
    /// Lines around a match.
    #[arg(range = ..=20)]
    context: Option<u8>,
    /// Extensions of files.
    file_types: &[String],
) -> Value {
    json!({
        "pattern": pattern, "paths": paths, "case_sensitive": case_sensitive, "context": context,
        "file_types": file_types,
    })
}

/// Files an issue.
#[tool(register = false)]
fn create_issue(
    /// In a few words.
    title: &str,
    /// In many.
    body: Option<&str>,
    /// Labels.
    labels: &[String],
    /// How urgent it is.
    priority: Option<Priority>,
    /// The number of the milestone.
    milestone: Option<u64>,
) -> Value {
    json!({"title": title, "body": body, "labels": labels, "priority": priority, "milestone": milestone})
}

/// Draws a shape.
#[tool(register = false)]
fn draw_shape(
    /// What.
    shape: Shape,
    /// Where.
    at: Point,
    /// In which color.
    #[arg(long = "paint")]
    color: Option<&str>,
    /// Whether it is filled.
    filled: bool,
) -> Value {
    json!({"shape": shape, "at": at, "color": color, "filled": filled})
}

/// Sends a message.
#[tool(register = false)]
fn send_email(
    /// To whom.
    #[arg(required)]
    to: &[String],
    /// Copies.
    cc: &[String],
    /// The subject.
    subject: &str,
    /// The text.
    body: &str,
    /// Files.
    attachments: Vec<Attachment>,
) -> Value {
    json!({"to": to, "cc": cc, "subject": subject, "body": body, "attachments": attachments})
}

/// Asks a server.
#[tool(register = false)]
fn http_request(
    /// Where.
    url: &str,
    /// What.
    method: Option<Method>,
    /// Header fields.
    #[arg(default = BTreeMap::new())]
    headers: BTreeMap<String, String>,
    /// How long to wait, in seconds.
    #[arg(long = "wait", range = 0.1..=300.0, default = 30.0)]
    timeout: f64,
    /// Whether to follow redirects.
    follow: bool,
) -> Value {
    json!({"url": url, "method": method, "headers": headers, "timeout": timeout, "follow": follow})
}

/// Books a table.
#[tool(register = false)]
fn book_table(
    /// Who.
    guest: Guest,
    /// How many.
    party: Party,
    /// The day, such as 2026-12-24.
    date: &str,
    /// Where.
    seating: Option<Seating>,
) -> Value {
    json!({"guest": guest, "party": party, "date": date, "seating": seating})
}

/// Changes lines of a file.
#[tool(register = false)]
fn apply_edits(
    /// Which file.
    path: &str,
    /// The changes, in order.
    #[arg(required)]
    edits: Vec<Edit>,
    /// Whether to tell only.
    dry_run: bool,
) -> Value {
    json!({"path": path, "edits": edits, "dry_run": dry_run})
}

/// Sets how warm a room is.
#[tool(register = false)]
fn set_thermostat(
    /// Which room.
    room: Room,
    /// How warm.
    #[arg(range = 5.0..=30.0)]
    celsius: f64,
    /// For how long.
    hours: Option<u8>,
    /// Whether the fan runs.
    fan: bool,
) -> Value {
    json!({"room": room, "celsius": celsius, "hours": hours, "fan": fan})
}

/// Moves a file.
#[tool(register = false)]
fn move_file(
    /// Which file.
    source: &str,
    /// Where to.
    target: &str,
    /// Whether a file there may go.
    overwrite: bool,
) -> Value {
    json!({"source": source, "target": target, "overwrite": overwrite})
}

/// Reads rows of a table.
#[tool(register = false)]
fn query_table(
    /// Which table.
    table: &str,
    /// Which columns; all where none is named.
    columns: &[String],
    /// Which rows.
    filter: Vec<Condition>,
    /// In which order.
    order: Option<Order>,
    /// Most rows.
    #[arg(range = 1..=1000, default = 100)]
    limit: u32,
) -> Value {
    json!({"table": table, "columns": columns, "filter": filter, "order": order, "limit": limit})
}

/// Draws a diagram of points.
#[tool(register = false)]
fn plot_points(
    /// Above it.
    title: &str,
    /// The points, each `[x, y]`.
    #[arg(required)]
    points: Vec<(f64, f64)>,
    /// Its width in pixels.
    #[arg(range = 64..=4096, default = 640)]
    width: u32,
    /// Its height in pixels.
    #[arg(range = 64..=4096, default = 480)]
    height: u32,
    /// Whether the scale is logarithmic.
    logarithmic: bool,
) -> Value {
    json!({"title": title, "points": points, "width": width, "height": height, "logarithmic": logarithmic})
}

/// The tools.
///
/// # Errors
/// None: they are these.
pub fn registry() -> Result<Registry, RegistryError> {
    let tools = Registry::builder().add::<ApplyEditsTool>().add::<BookTableTool>().add::<CreateIssueTool>();
    let tools = tools.add::<DrawShapeTool>().add::<HttpRequestTool>().add::<MoveFileTool>();
    let tools = tools.add::<PlotPointsTool>().add::<QueryTableTool>().add::<ReadTextTool>();
    tools.add::<SearchCodeTool>().add::<SendEmailTool>().add::<SetThermostatTool>().build()
}

/// This project.
#[derive(Debug)]
pub struct Ours {
    executor: Executor,
}

impl Ours {
    /// Builds the tools.
    ///
    /// # Errors
    /// Those of [`Executor::standard`]: none.
    pub fn new() -> Result<Ours, ToolError> {
        Ok(Ours { executor: Executor::standard(registry()?).build()? })
    }
}

impl Subject for Ours {
    fn name(&self) -> &str {
        "this"
    }

    fn schema(&self, tool: &str) -> Value {
        let schema = self.executor.registry().get(tool).and_then(|tool| tool.def().input_schema().ok());
        schema.map(|schema| schema.schema().clone()).unwrap_or_default()
    }

    fn call(&mut self, tool: &str, text: &str) -> Answer {
        let result = self.executor.call_text_blocking(tool, text, &ToolContext::empty(), Caller::Llm);
        match &result {
            Ok(output) => Answer::Ran(output.data()),
            // What every dialect, and MCP, shows a model.
            Err(_) => Answer::Refused(envelope(tool, &result).to_string()),
        }
    }
}
