//! The text of an approval: agent, tool, effects and every argument, secrets hidden, nothing that a terminal would act upon.

use serde_json::Value;
use tool_core::{ApprovalRequest, Behavior, ToolDef};

/// The most bytes of the arguments that are shown.
const SHOWN_BYTES: usize = 8 * 1024;

/// What is asked before a tool runs.
pub(crate) fn approval(request: &ApprovalRequest<'_>) -> String {
    let def = request.tool.def();
    let (agent, tool) = (plain(request.agent), plain(request.tool.name()));
    let mut text = match request.question {
        Some(question) => format!("The agent {agent} wants to run {tool} once more. {}", plain(question)),
        None => format!("The agent {agent} wants to run {tool}, which {}.", effect(def.behavior)),
    };
    let args = hidden(def, request.args);
    let members = args.as_object().into_iter().flatten();
    let lines: String =
        members.map(|(name, value)| format!("\n  {}: {}", plain(name), plain(&value.to_string()))).collect();
    let kept = lines.get(..lines.floor_char_boundary(SHOWN_BYTES)).unwrap_or_default();
    text.push_str(kept);
    if kept.len() < lines.len() {
        text.push_str(&format!("\n  … {} more bytes", lines.len() - kept.len()));
    }
    text
}

fn effect(behavior: Behavior) -> &'static str {
    match behavior {
        behavior if behavior.destructive => "is destructive",
        behavior if behavior.side_effect => "has side effects",
        _ => "needs approval",
    }
}

/// The arguments with every secret as `***`.
fn hidden(def: &ToolDef<'_>, args: &Value) -> Value {
    let mut args = args.clone();
    for param in def.params.iter().filter(|param| param.keys.secret) {
        if let Some(value) = args.get_mut(param.name).filter(|value| !value.is_null()) {
            *value = Value::from("***");
        }
    }
    args
}

/// A text with control and direction characters written out.
fn plain(text: &str) -> String {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if acts(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_upon_is_written_out() {
        assert_eq!(plain("a\u{1b}[2J\u{202e}b"), "a\\u{1b}[2J\\u{202e}b");
        assert_eq!(plain("grün ✓"), "grün ✓");
    }
}
