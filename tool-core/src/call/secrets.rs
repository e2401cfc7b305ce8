//! What an executor and its calls know of what must not leave.

use serde_json::Value;

use super::redact::KnownSecrets;
use super::{CallScope, Executor};
use crate::def::ToolDef;
use crate::secret::Secret;

impl Executor {
    /// What must not leave: what results, or else audit rows, are cleared of.
    pub(crate) fn known_secrets(&self) -> Option<&KnownSecrets> {
        let shape = self.inner().shape.as_ref().map(|shape| &*shape.secrets);
        let audit = || self.inner().outside.as_ref()?.audit.as_ref().map(|audit| &*audit.settings.secrets);
        shape.or_else(audit)
    }

    /// A secret that a call was handed: from now on nothing may let it out.
    pub(super) fn learn(&self, name: &str, secret: &Secret) {
        let audit = self.inner().outside.as_ref().and_then(|outside| outside.audit.as_ref());
        let audit = audit.map(|audit| &audit.settings.secrets);
        let shape = self.inner().shape.as_ref().map(|shape| &shape.secrets);
        for known in [shape, audit].into_iter().flatten() {
            known.learn(name, secret.expose());
        }
    }

    /// What must not leave a call: also its own secret arguments.
    pub(super) fn keep_secrets(&self, tool: &ToolDef<'_>, args: &Value, scope: &CallScope) {
        let mut secret = Vec::new();
        for param in tool.params.iter().filter(|param| param.keys.secret) {
            texts(param.name, args.get(param.name).unwrap_or(&Value::Null), &mut secret);
        }
        if !secret.is_empty() {
            let none = KnownSecrets::default();
            let known = scope.parent().and_then(CallScope::known_secrets).or_else(|| self.known_secrets());
            scope.keep_secrets(known.unwrap_or(&none).with(secret));
        }
    }
}

/// Whether a tool is given secrets as arguments.
pub(super) fn takes_secrets(tool: &ToolDef<'_>) -> bool {
    tool.params.iter().any(|param| param.keys.secret)
}

/// The texts of a value, all under one name.
pub(crate) fn texts<'a>(name: &'a str, value: &'a Value, found: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::String(text) => found.push((name, text)),
        Value::Array(items) => items.iter().for_each(|item| texts(name, item, found)),
        Value::Object(members) => members.values().for_each(|member| texts(name, member, found)),
        _ => {}
    }
}
