//! What `doctor` finds out by itself: settings, secrets, capabilities, terminal. Nothing is changed by looking.

use std::collections::BTreeMap;

use tool_core::def::{CapabilityDef, SecretDef};
use tool_core::{ErrorKind, Registry, ToolContext, ToolError};

use crate::dialects;
use crate::doctor::{Check, Report};
use crate::fault::Fault;
use crate::limits;
use crate::session::Session;
use crate::settings::Settings;

impl Session<'_> {
    /// The report of the program as it would run now.
    pub(crate) fn inspect(&self, settings: &Settings, registry: &Registry) -> Report {
        let mut report = Report::default();
        report.checks.push(self.identity(registry));
        report.checks.extend(self.settings_checks(settings, registry));
        report.checks.push(self.terminal());
        // Without a root there is no workspace either: what is to be done is said once.
        let rootless = settings.check_root().is_err();
        let follows = |error: &ToolError| rootless && error.kind() == ErrorKind::NotFound;
        let made = self.cli.context_of(settings, &self.io).map(|builder| builder.build());
        let fallback = || ToolContext::builder().secrets(settings.secrets()).build();
        let ctx = made.as_ref().ok().cloned().unwrap_or_else(fallback);
        report.checks.extend(secrets(registry, &ctx));
        match &made {
            Ok(ctx) => report.checks.extend(capabilities(registry, ctx)),
            Err(error) if follows(error) => {}
            Err(error) => report.checks.push(broken("context", error)),
        }
        report.limits = limits::all(settings);
        report.provider_limits = dialects::limits();
        report.sections.insert("dialects".to_owned(), dialects::section(registry));
        #[cfg(feature = "store")]
        match self.journal_probe(settings) {
            Ok(probe) => report.add("journal", probe),
            Err(error) => report.checks.push(broken("journal", &error)),
        }
        for (name, probe) in &self.cli.probes {
            match probe(settings) {
                Ok(probe) => report.add(name, probe),
                Err(error) if follows(&error) => {}
                Err(error) => report.checks.push(broken(name, &error)),
            }
        }
        for set in settings.all_limits() {
            for limit in report.limits.iter_mut().filter(|limit| limit.name == set.name) {
                limit.from = set.source.to_string();
            }
        }
        report
    }

    fn identity(&self, registry: &Registry) -> Check {
        let version = if self.cli.version.is_empty() { "no version" } else { &self.cli.version };
        let value = format!("{version}, {} tools", registry.len());
        if cfg!(panic = "abort") {
            let advice =
                "build it with panic = \"unwind\", so that a panic of a tool is an error of its call";
            return Check::warn(&self.cli.name, format!("{value}, panic = abort"), advice);
        }
        Check::ok(&self.cli.name, value)
    }

    fn settings_checks(&self, settings: &Settings, registry: &Registry) -> Vec<Check> {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        let mut checks: Vec<Check> = settings
            .sources()
            .iter()
            .map(|setting| Check::ok(setting.name, shown(&setting.value)).from(setting.source.to_string()))
            .collect();
        for check in checks.iter_mut().filter(|check| check.name == "config") {
            let nowhere = settings.usual_file.as_ref().filter(|_| settings.file.is_none());
            if let (Some(file), Some("default")) = (nowhere, check.source.as_deref()) {
                check.value = format!("none at {}", file.display());
            }
        }
        let policy = self.policy_alone(registry, settings).map(|_| ());
        for (name, found) in [("root", settings.check_root()), ("policy", policy)] {
            let check = checks.iter_mut().find(|check| check.name == name);
            if let (Err(error), Some(check)) = (found, check) {
                *check = broken(name, &error).from(check.source.take().unwrap_or_default());
            }
        }
        let wrong = |mistake: &String| {
            let advice = "correct the file, or name another one with --config; --config '' uses none";
            Check::fail("config", mistake.clone(), advice)
        };
        if !settings.mistakes.is_empty() {
            checks.retain(|check| check.name != "config");
        }
        checks.extend(settings.mistakes.iter().map(wrong));
        for fault in &settings.misread {
            let check = self.misread(fault);
            checks.retain(|other| other.name != check.name);
            checks.push(check);
        }
        checks
    }

    /// A variable whose text is none of the texts that it may have.
    fn misread(&self, fault: &Fault) -> Check {
        let source = fault.flag.clone().unwrap_or_default();
        let variable = source.trim_start_matches('$');
        let setting = variable.strip_prefix(&format!("{}_", self.cli.prefix())).unwrap_or(variable);
        let issue = &fault.issue;
        let hint = issue.hint.as_ref().map(|hint| format!("{hint}; ")).unwrap_or_default();
        let advice = format!("{hint}correct {variable}, or unset it");
        let told = format!("expected {}, got {}", issue.expected, issue.got);
        Check::fail(setting.to_lowercase(), told, advice).from(source)
    }

    fn terminal(&self) -> Check {
        let tty = self.io.tty;
        let named = [("stdin", tty.stdin), ("stdout", tty.stdout), ("stderr", tty.stderr)];
        let mut terminals: Vec<&str> = named.iter().filter(|row| row.1).map(|row| row.0).collect();
        terminals.extend(self.io.terminal.is_some().then_some("controlling terminal"));
        let width = self.io.width.map(|width| format!(", {width} columns")).unwrap_or_default();
        match terminals.as_slice() {
            [] => Check::ok("terminal", format!("none{width}")),
            some => Check::ok("terminal", format!("{}{width}", some.join(", "))),
        }
    }
}

/// An error as a check: what to do about it is its hint.
fn broken(name: &str, error: &ToolError) -> Check {
    let advice = error.hint_str().unwrap_or("see what the message names").to_owned();
    Check::fail(name, error.message(), advice)
}

/// Every declared secret, with the tools that cannot do without it.
fn secrets(registry: &Registry, ctx: &ToolContext) -> Vec<Check> {
    let mut uses: BTreeMap<&str, Vec<(&str, &SecretDef<'_>)>> = BTreeMap::new();
    for entry in registry.iter() {
        for secret in entry.def().secrets {
            uses.entry(secret.key).or_default().push((entry.name(), secret));
        }
    }
    let check = |(key, uses): (&str, Vec<(&str, &SecretDef<'_>)>)| {
        let name = format!("secret {key}");
        let needed: Vec<&str> = uses.iter().filter(|row| !row.1.optional).map(|row| row.0).collect();
        let label = uses.iter().find_map(|row| row.1.label.or(row.1.description));
        let what = label.map(|label| format!(" ({label})")).unwrap_or_default();
        match (ctx.has_secret(key), needed.as_slice()) {
            (true, _) => Check::ok(name, "set"),
            (false, []) => Check::ok(name, "not set, optional"),
            (false, tools) => Check::warn(
                name,
                "not set",
                format!("set {key}{what}; {} cannot run without it", tools.join(", ")),
            ),
        }
    };
    uses.into_iter().map(check).collect()
}

/// Every capability that a tool asks for.
fn capabilities(registry: &Registry, ctx: &ToolContext) -> Vec<Check> {
    let mut uses: BTreeMap<&str, Vec<(&str, &CapabilityDef)>> = BTreeMap::new();
    for entry in registry.iter() {
        for capability in entry.def().capabilities {
            uses.entry(capability.short_name()).or_default().push((entry.name(), capability));
        }
    }
    let check = |(short, uses): (&str, Vec<(&str, &CapabilityDef)>)| {
        let name = format!("capability {short}");
        let lacks = uses.iter().filter(|(_, capability)| !ctx.provides((capability.id)()));
        let needed: Vec<&str> = lacks.clone().filter(|row| !row.1.optional).map(|row| row.0).collect();
        match (lacks.count(), needed.as_slice()) {
            (0, _) => Check::ok(name, "provided"),
            (_, []) => Check::ok(name, "not provided, optional"),
            (_, tools) => {
                let advice =
                    format!("provide it with Cli::context; {} cannot run without it", tools.join(", "));
                Check::fail(name, "not provided", advice)
            }
        }
    };
    uses.into_iter().map(check).collect()
}
