//! Judging a call: every rule on every value, and the one error that tells all violations.

use serde_json::{Value, json};
use tool_core::def::Hint;
use tool_core::{PolicyRequest, ToolError};

use crate::policy::{Policy, ToolPolicy};
use crate::rules::{Finding, escape, texts};
use crate::validate::{COMMAND_HINTS, DOMAIN_HINTS, PATH_HINTS};

/// Refuses a call that breaks a rule.
pub(crate) fn judge(policy: &Policy, request: &PolicyRequest<'_>) -> Result<(), ToolError> {
    let findings = findings(policy, request);
    let violations: Vec<_> =
        findings.iter().filter_map(|finding| Some((finding, finding.refusal.as_ref()?))).collect();
    let Some((first, refusal)) = violations.first() else { return Ok(()) };
    let message = format!("{}: {}: {}", request.tool.name(), first.pointer, refusal.text);
    let list: Vec<Value> =
        violations.iter().map(|(finding, refusal)| json!([refusal.code, finding.pointer])).collect();
    let error = ToolError::new(refusal.kind, message)
        .code(refusal.code)
        .detail("pointer", first.pointer.as_str())
        .detail("violations", list);
    if refusal.allowed.is_empty() {
        return Err(error);
    }
    Err(error.hint(format!("allowed: {}", refusal.allowed.join(", "))))
}

/// What each rule says, in the order of the specification's table.
pub(crate) fn findings(policy: &Policy, request: &PolicyRequest<'_>) -> Vec<Finding> {
    let none = ToolPolicy::default();
    let rules = policy.tool(request.agent, request.tool.name()).unwrap_or(&none);
    let mut findings = Vec::new();
    for (name, rule) in &rules.args {
        let given = request.given.iter().any(|given| given == name);
        findings.extend(rule.judge(name, request.args.get(name), given));
    }
    if !rules.paths.is_absent() {
        for (_, pointer, text) in hinted(request, &PATH_HINTS) {
            findings.push(rules.paths.judge_path(pointer, &text, &policy.paths));
        }
    }
    if !rules.domains.is_absent() {
        for (hint, pointer, text) in hinted(request, &DOMAIN_HINTS) {
            findings.push(rules.domains.judge_target(pointer, &text, hint));
        }
    }
    // A tool that takes recipients is closed until a list exists.
    for (_, pointer, text) in hinted(request, &[Hint::Email]) {
        findings.push(rules.recipients.judge_recipient(pointer, &text));
    }
    if !rules.commands.is_absent() {
        findings.extend(commands(rules, request));
    }
    findings
}

/// The texts of the parameters with one of these hints.
fn hinted(request: &PolicyRequest<'_>, hints: &[Hint]) -> Vec<(Hint, String, String)> {
    let mut found = Vec::new();
    for param in request.tool.def().params {
        let Some(hint) = param.keys.hint.filter(|hint| hints.contains(hint)) else { continue };
        let Some(value) = request.args.get(param.name) else { continue };
        let own = texts(&format!("/{}", escape(param.name)), value);
        found.extend(own.into_iter().map(|(pointer, text)| (hint, pointer, text)));
    }
    found
}

/// A program and its arguments stand in one parameter or in two; a shell line in one.
fn commands(rules: &ToolPolicy, request: &PolicyRequest<'_>) -> Vec<Finding> {
    let words = hinted(request, &COMMAND_HINTS);
    let (lines, words): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.0 == Hint::Shell);
    let mut findings: Vec<Finding> =
        lines.into_iter().map(|(_, pointer, line)| rules.commands.judge_line(pointer, &line)).collect();
    let mut words = words.into_iter();
    if let Some((_, pointer, program)) = words.next() {
        let args: Vec<String> = words.map(|word| word.2).collect();
        findings.push(rules.commands.judge_command(pointer, &program, &args));
    }
    findings
}
