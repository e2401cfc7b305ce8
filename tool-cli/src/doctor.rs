//! What `doctor` tells: checks with what to do about each, limits, and sections of what a program provides.
//!
//! A program adds what it knows with [`crate::Cli::probe`]; the rest is found out in `inspect`.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_core::contract::{Finding, Level};

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
    /// Those of the model APIs, as people see them.
    pub(crate) provider_limits: Vec<Check>,
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

    /// The form for programs. Its status is the worst of the checks and of what is wrong with the tools.
    pub(crate) fn to_json(&self, lints: &[Finding]) -> Value {
        let worst = lints.iter().map(status_of).max().unwrap_or_default().max(self.status());
        let mut report = json!({"status": worst, "checks": self.checks});
        if let Some(object) = report.as_object_mut() {
            object.extend(self.sections.clone());
            object.insert("lints".to_owned(), lints.iter().map(Finding::to_json).collect());
            object.insert("limits".to_owned(), json!(self.limits));
        }
        report
    }

    /// A row for each line, as a table has them.
    pub(crate) fn rows(&self, lints: &[Finding], limits: bool) -> Value {
        self.lines(lints, limits).iter().map(|line| json!(line)).collect()
    }

    /// The page for people: a line for each check, with what to do below it, and how many ended how.
    pub(crate) fn page(&self, lints: &[Finding], limits: bool) -> String {
        let lines = self.lines(lints, limits);
        let named = self.checks.iter().map(|check| check.name.chars().count());
        let width = named.filter(|width| *width <= NAME_WIDTH).max().unwrap_or_default();
        let mut page: String = lines.iter().map(|line| line.on_page(width)).collect();
        let of = |status: Status| lines.iter().filter(|line| line.status == status).count();
        let count = |status: Status| format!("{} {}", of(status), status.as_str());
        page.push_str(&[Status::Ok, Status::Warn, Status::Fail].map(count).join(", "));
        page.push('\n');
        page
    }

    /// Everything that people are told.
    fn lines(&self, lints: &[Finding], limits: bool) -> Vec<Check> {
        let none = lints.is_empty().then(|| Check::ok("tools", "nothing found"));
        let providers = self.provider_limits.iter().filter(|_| limits).cloned();
        let limits = self.limits.iter().filter(|_| limits).map(|limit| {
            let check = Check::ok(format!("limit {}", limit.name), limit.value.to_string());
            Check { advice: Some(limit.meaning.clone()), ..check.from(limit.from.clone()) }
        });
        self.checks
            .iter()
            .cloned()
            .chain(none)
            .chain(lints.iter().map(of_lint))
            .chain(limits)
            .chain(providers)
            .collect()
    }
}

/// The longest line on which a value stands beside its name.
const PAGE_WIDTH: usize = 80;

/// The longest name that others are aligned with.
const NAME_WIDTH: usize = 28;

impl Status {
    /// The word of the status.
    fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Fail => "fail",
        }
    }
}

impl Check {
    /// The check on the page, with its name in a column of this width.
    fn on_page(&self, width: usize) -> String {
        let (status, name, value) = (self.status.as_str(), &self.name, &self.value);
        let source = self.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
        let advice = self.advice.as_ref().map(|advice| format!("      {advice}\n")).unwrap_or_default();
        let line = format!("{status:4}  {name:width$}  {value}{source}");
        if line.chars().count() > PAGE_WIDTH {
            return format!("{status:4}  {name}\n      {value}{source}\n{advice}");
        }
        format!("{line}\n{advice}")
    }
}

/// Something wrong with a tool as a check of it.
fn of_lint(finding: &Finding) -> Check {
    let parts = [&finding.id, &finding.tool, &finding.path].map(String::as_str);
    let named: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Check { status: status_of(finding), ..Check::ok(named.join(" "), finding.text.clone()) }
}

/// The status of what is wrong with a tool, as a line of the report.
fn status_of(finding: &Finding) -> Status {
    match finding.level {
        Level::Error => Status::Fail,
        Level::Warning => Status::Warn,
    }
}
