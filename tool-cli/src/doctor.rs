//! What `doctor` tells: checks with what to do about each, limits, and sections of what a program provides.
//!
//! A program adds what it knows with [`crate::Cli::probe`]; the rest is found out in `inspect`.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// How a check ended, best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should be.
    #[default]
    Ok,
    /// Something does not work, or works worse; the rest does.
    Warn,
    /// Calls will be refused.
    Fail,
}

/// One line of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Check {
    /// How it ended.
    pub status: Status,
    /// What was looked at, such as `secret SMTP_URL`.
    pub name: String,
    /// What was found.
    pub value: String,
    /// Who decided it: `option`, `$VARIABLE`, `FILE:LINE` or `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// One limit as it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Its name, which is its key in the settings file if it has one.
    pub name: String,
    /// What holds.
    pub value: u64,
    /// What holds when nothing is configured.
    pub default: u64,
    /// Who decided it.
    pub from: String,
    /// What it bounds.
    pub meaning: String,
}

/// What a program finds out about a part of itself.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Everything that is known, for programs; null for nothing.
    pub section: Value,
    /// What is right or wrong.
    pub checks: Vec<Check>,
    /// Its limits.
    pub limits: Vec<Limit>,
}

/// The whole report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) checks: Vec<Check>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) sections: Map<String, Value>,
}

impl Check {
    /// A check that found something as it should be.
    pub fn ok(name: impl Into<String>, value: impl Into<String>) -> Check {
        Check { name: name.into(), value: value.into(), ..Check::default() }
    }

    /// A check that found something wrong without which the rest works.
    pub fn warn(name: impl Into<String>, value: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { status: Status::Warn, advice: Some(advice.into()), ..Check::ok(name, value) }
    }

    /// A check that found something that makes calls fail.
    pub fn fail(name: impl Into<String>, value: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { status: Status::Fail, advice: Some(advice.into()), ..Check::ok(name, value) }
    }

    /// The same with who decided it.
    #[must_use]
    pub fn from(mut self, source: impl Into<String>) -> Check {
        self.source = Some(source.into());
        self
    }
}

impl Limit {
    /// A limit that nobody can change.
    pub fn fixed(name: impl Into<String>, value: u64, meaning: impl Into<String>) -> Limit {
        let from = "default".to_owned();
        Limit { name: name.into(), value, default: value, from, meaning: meaning.into() }
    }
}

impl Report {
    /// Takes over what a program has found out about a part.
    pub(crate) fn add(&mut self, name: &str, probe: Probe) {
        self.checks.extend(probe.checks);
        self.limits.extend(probe.limits);
        if !probe.section.is_null() {
            self.sections.insert(name.to_owned(), probe.section);
        }
    }

    /// The worst of all checks.
    pub(crate) fn status(&self) -> Status {
        self.checks.iter().map(|check| check.status).max().unwrap_or_default()
    }

    /// The form for programs.
    pub(crate) fn to_json(&self) -> Value {
        let mut report = json!({"status": self.status(), "checks": self.checks});
        if let Some(object) = report.as_object_mut() {
            object.extend(self.sections.clone());
            object.insert("limits".to_owned(), json!(self.limits));
        }
        report
    }

    /// The rows for people, with the limits if they are asked for.
    pub(crate) fn rows(&self, limits: bool) -> Value {
        let row = |status: Value, check: &str, value: Value, from: &str, advice: &str| json!({"status": status, "check": check, "value": value, "from": from, "advice": advice});
        let checks = self.checks.iter().map(|check| {
            let text = |part: &Option<String>| part.clone().unwrap_or_default();
            let (from, advice) = (text(&check.source), text(&check.advice));
            row(json!(check.status), &check.name, json!(check.value), &from, &advice)
        });
        let limits = self.limits.iter().filter(|_| limits).map(|limit| {
            let name = format!("limit {}", limit.name);
            row(json!(Status::Ok), &name, json!(limit.value.to_string()), &limit.from, &limit.meaning)
        });
        checks.chain(limits).collect()
    }
}
