//! `args.PARAM`: what a value may be, whatever it stands for.

use serde_json::{Number, Value};
use tool_core::canonical;

use super::{Finding, Refusal, escape, shown};

/// The rules for one parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArgRules {
    pub(crate) one_of: Option<Vec<Value>>,
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
    pub(crate) max_bytes: Option<usize>,
    pub(crate) forbid: bool,
    pub(crate) require: bool,
}

impl ArgRules {
    /// Judges the value of a parameter, and whether the caller gave it.
    pub(crate) fn judge(&self, param: &str, value: Option<&Value>, given: bool) -> Vec<Finding> {
        let pointer = format!("/{}", escape(param));
        let finding = |rule: &str, refusal: Option<Refusal>| Finding {
            rule: format!("args.{param}.{rule}"),
            pointer: pointer.clone(),
            refusal,
        };
        let refused = |wrong: bool, code, text: String| wrong.then(|| Refusal::denied(code, text));
        let mut findings = Vec::new();
        if self.forbid {
            findings.push(finding("forbid", refused(given, "arg_forbidden", "must not be given".to_owned())));
        }
        if self.require {
            findings.push(finding("require", refused(!given, "arg_required", "must be given".to_owned())));
        }
        let Some(value) = value.filter(|value| !value.is_null()) else { return findings };
        if let Some(one_of) = &self.one_of {
            let found = one_of.iter().any(|one| canonical::equal(one, value));
            let allowed: Vec<String> = one_of.iter().take(super::HINTS).map(Value::to_string).collect();
            let text = format!("{} is not one of {}", shown_value(value), allowed.join(", "));
            let refusal = refused(!found, "arg_not_allowed", text);
            findings.push(finding("one_of", refusal.map(|refusal| Refusal { allowed, ..refusal })));
        }
        for (rule, bound, wrong) in [("min", &self.min, -1), ("max", &self.max, 1)] {
            let Some(bound) = bound else { continue };
            let beyond = value.as_number().map(|value| compare(value, bound)) == Some(wrong);
            let side = if wrong < 0 { "below" } else { "above" };
            let text = format!("{} is {side} {bound}", shown_value(value));
            findings.push(finding(rule, refused(beyond, "arg_out_of_range", text)));
        }
        if let Some(max) = self.max_bytes {
            let bytes = value.as_str().map_or_else(|| canonical::text(value).len(), str::len);
            let text = format!("{bytes} bytes are more than {max}");
            findings.push(finding("max_bytes", refused(bytes > max, "arg_too_large", text)));
        }
        findings
    }
}

fn shown_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string().chars().take(80).collect(), shown)
}

/// -1, 0 or 1. Whole numbers are compared as such.
pub(crate) fn compare(a: &Number, b: &Number) -> i32 {
    let order = match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64().zip(b.as_f64()).and_then(|(a, b)| a.partial_cmp(&b)),
    };
    order.map_or(0, |order| order as i32)
}
