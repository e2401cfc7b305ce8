//! Tools whose commands and options meet, as only a hand can write them: the macro refuses what is reserved.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tool_core::args::Args;
use tool_core::def::{
    Cache, CliDef, Doc, Handler, Origin, ParamDef, ParamKeys, ParamKind, Run, SchemaSource, Source,
};
use tool_core::{ToolDef, ToolError, ToolOutput};

/// Whether any tool ran.
pub(crate) static RAN: AtomicBool = AtomicBool::new(false);

/// One that meets nothing.
pub(crate) fn fine() -> &'static ToolDef<'static> {
    tool("list_files", "file", 9, vec![option("limit", Some('n'))])
}

/// It among others that meet four times.
pub(crate) fn all() -> [&'static ToolDef<'static>; 6] {
    [
        fine(),
        tool("read_file", "file", 1, vec![]),
        tool("file_read", "file", 2, vec![]),
        tool("send_mail", "mail", 3, vec![]),
        tool("mail_send", "mail", 4, vec![]),
        tool("draw", "shape", 5, vec![option("format", None), option("outline", Some('o'))]),
    ]
}

fn enter(_: &mut Args<'_>) -> Result<Run, ToolError> {
    Ok(Run::blocking(|_| {
        RAN.store(true, Ordering::Relaxed);
        Ok(ToolOutput::text("ran"))
    }))
}

fn tool(
    name: &'static str,
    group: &'static str,
    line: u32,
    params: Vec<ParamDef<'static>>,
) -> &'static ToolDef<'static> {
    let cache: &'static Cache = Box::leak(Box::default());
    const SOURCE: Source<'static> =
        Source { krate: "shop", version: "1.0.0", module: "shop::tools", file: "src/tools.rs" };
    let origin = Origin { source: &SOURCE, line };
    let base = ToolDef::new(name, Doc::Text("A tool."), Handler::Sync(enter), origin, cache);
    Box::leak(Box::new(ToolDef { group: Some(group), params: Box::leak(params.into()), ..base }))
}

fn option(name: &'static str, short: Option<char>) -> ParamDef<'static> {
    let schema = SchemaSource::Given(Box::leak(Box::new(json!({"type": "string"}))));
    let base = ParamDef::new(name, Doc::Text("Text."), ParamKind::Optional, schema);
    let keys = ParamKeys::NONE.cli(CliDef { short, ..CliDef::NONE });
    ParamDef { keys: Box::leak(Box::new(keys)), ..base }
}
