//! What a failed assertion shows of a call: its arguments, with every secret hidden.

use serde_json::Value;

use crate::call::redact::{Form, KnownSecrets, redact};
use crate::call::texts;
use crate::registry::ToolEntry;

/// Characters of arguments that a message shows.
const SHOWN: usize = 2_000;

/// The arguments of a call as text, without its secrets and those that are known.
pub(super) fn args(tool: &ToolEntry, args: &Value, secrets: &KnownSecrets) -> String {
    let schema = tool.def().input_schema().map_or(Value::Bool(true), |input| input.schema().clone());
    let mut args = args.clone();
    let params = tool.def().params;
    let hides_some =
        params.iter().any(|param| param.keys.secret) && !params.iter().any(|param| param.keys.flatten);
    for (name, value) in args.as_object_mut().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        // What has another name may be a secret under a misspelt one.
        let known = params.iter().find(|param| param.names().any(|own| own == name));
        if known.map_or(hides_some, |param| param.keys.secret) {
            *value = Value::from("***");
        }
    }
    cut(&redact(&args, &schema, secrets, Form::Journal).value)
}

/// The same where there is no such tool.
pub(super) fn unknown_args(args: &Value, secrets: &KnownSecrets) -> String {
    cut(&redact(args, &Value::Bool(true), secrets, Form::Journal).value)
}

/// The secrets of a call: the texts of its secret arguments.
pub(super) fn secrets_of(tool: &ToolEntry, args: &Value, known: &KnownSecrets) -> KnownSecrets {
    let secret = tool.def().params.iter().filter(|param| param.keys.secret);
    let named = secret.flat_map(|param| param.names().filter_map(|name| Some((name, args.get(name)?))));
    let mut found = Vec::new();
    for (name, value) in named {
        texts(name, value, &mut found);
    }
    known.with(found)
}

fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
