//! What `doctor` tells of the workspace and of the sandbox for commands.

use std::path::Path;

use serde_json::json;
use tool_cli::doctor::{Check, Limit, Probe};
use tool_cli::{Settings, Source};
use tool_core::ToolError;
use tool_std::Workspace;
use tool_std::limits::Row;
use tool_std::sandbox::Report;
use tool_std::sandbox::layers::Layer;
use tool_std::workspace::{Class, Rule};

use crate::call_limits::CallLimits;

/// How far commands are kept from protected names (sandbox.md §3).
const DEEPER: &str = "kept from commands from the root down to where they start, and looked at afterwards where somebody else \
                      renamed a file into their place meanwhile; deeper from file tools alone";

/// The limits of calls, and what becomes of side effects that cannot be audited.
pub(crate) fn calls(settings: &Settings) -> Result<Probe, ToolError> {
    let required = crate::audit::is_required(settings);
    let section = json!({
        "audit_required": required,
        "telemetry": tool_core::TELEMETRY_CONVENTIONS,
    });
    let value = match required {
        true => "required: without it no side effect runs",
        false => "not required: calls run without it",
    };
    let from = settings.source_of_member(crate::audit::TABLE, "required").unwrap_or(Source::Default);
    let checks = vec![Check::ok("audit", value).from(from.to_string())];
    Ok(Probe { section, checks, limits: CallLimits::of(settings).rows() })
}

/// Root, rules and limits of the file tools.
pub(crate) fn workspace(settings: &Settings) -> Result<Probe, ToolError> {
    let workspace = crate::workspace(settings)?;
    let root = workspace.root().display().to_string();
    let policy = workspace.policy();
    let warnings = warnings(&workspace, settings);
    let section = json!({
        "root": root,
        "opener": workspace.resolver().as_str(),
        "managed": workspace.is_managed(),
        "hardlinks": word(policy.hardlinks),
        "mounts": word(policy.mounts),
        "quota": policy.max_bytes,
        "max_files": policy.max_files,
        "used": workspace.usage().map(|used| json!({"bytes": used.bytes, "files": used.files})),
        "protected": {"secret": workspace.protected(Class::Secret), "guarded": workspace.protected(Class::Guarded)},
        "warnings": warnings,
    });
    let mut checks = match warnings.as_slice() {
        [] => vec![Check::ok("workspace", root)],
        some => {
            let advice = "name a directory of its own with --root";
            some.iter().map(|warning| Check::warn("workspace", *warning, advice)).collect()
        }
    };
    let [secret, guarded] = [Class::Secret, Class::Guarded].map(|class| workspace.protected(class));
    checks.push(Check::ok("protected names", format!("{secret} secret, {guarded} guarded: {DEEPER}")));
    checks.push(quota(&workspace));
    Ok(Probe { section, checks, limits: limits(workspace.limits().rows()) })
}

/// How much the workspace may hold, and holds.
fn quota(workspace: &Workspace) -> Check {
    let Some(used) = workspace.usage() else { return Check::ok("quota", "none") };
    let policy = workspace.policy();
    let rows = [(used.bytes, policy.max_bytes, "bytes"), (used.files, policy.max_files, "files")];
    let part = |(used, most, what): &(u64, Option<u64>, &str)| match most {
        Some(most) => format!("{used} of {most} {what}"),
        None => format!("{used} {what} without a limit"),
    };
    let value = rows.iter().map(part).collect::<Vec<_>>().join(", ");
    match rows.iter().any(|(used, most, _)| most.is_some_and(|most| *used >= most)) {
        true => {
            let advice = "delete what is not needed, or raise max_bytes or max_files in [workspace]";
            Check::warn("quota", value, advice)
        }
        false => Check::ok("quota", value),
    }
}

/// What of the machine is open to tools although it hardly should be.
fn warnings(workspace: &Workspace, settings: &Settings) -> Vec<&'static str> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let root = real(workspace.root());
    let home =
        settings.variable("HOME").is_some_and(|home| !home.is_empty() && root == real(Path::new(&home)));
    let all = root.parent().is_none();
    let rows = [(all, "the root is the root of the file system"), (home, "the root is the home directory")];
    rows.into_iter().filter(|row| row.0).map(|row| row.1).collect()
}

fn word(rule: Rule) -> &'static str {
    match rule {
        Rule::Allow => "allow",
        Rule::Deny => "deny",
    }
}

/// What confines commands here, and the limits of a command.
pub(crate) fn sandbox(settings: &Settings) -> Result<Probe, ToolError> {
    let workspace = crate::workspace(settings)?;
    let sandbox = crate::sandbox(settings, &workspace)?;
    let report = sandbox.report();
    let check = match report.refusal() {
        Some(why) => {
            let advice = "run it on Linux with user namespaces, outside of a container that forbids them";
            Check::fail("sandbox", why, advice)
        }
        None if report.gaps().is_empty() => Check::ok("sandbox", report.level()),
        None => {
            let value = format!("{}: {}", report.level(), report.gaps().join("; "));
            Check::warn("sandbox", value, "commands run; know what is not covered")
        }
    };
    // One table has the limits of both: what the workspace told is not told again.
    let told = workspace.limits().rows();
    let own = sandbox.policy().limits.rows().into_iter().filter(|row| !told.contains(row)).collect();
    let limits = limits(own);
    let checks = std::iter::once(check).chain(layers(report)).collect();
    Ok(Probe { section: report.to_json(), checks, limits })
}

/// The layers that work here, and of each that does not, why and what that leaves open.
fn layers(report: &Report) -> Vec<Check> {
    let layers = report.layers();
    let shown = |layer: &Layer| match layers.version(*layer) {
        Some(version) => format!("{} (version {version})", layer.as_str()),
        None => layer.as_str().to_owned(),
    };
    let working: Vec<String> = layers.working().iter().map(shown).collect();
    let missing = Layer::ALL.into_iter().filter_map(|layer| {
        let why = layers.why_missing(layer)?;
        let open = report.open(layer);
        let open =
            if open.is_empty() { "nothing, other layers do the same".to_owned() } else { open.join("; ") };
        Some(Check::ok(format!("no layer {}", layer.as_str()), format!("{why}. Open: {open}")))
    });
    std::iter::once(Check::ok("layers", working.join(", "))).chain(missing).collect()
}

fn limits(rows: Vec<Row>) -> Vec<Limit> {
    rows.into_iter()
        .map(|row| Limit {
            name: row.name.to_owned(),
            value: row.value,
            default: row.default,
            from: if row.value == row.default { "default".to_owned() } else { "program".to_owned() },
            meaning: row.meaning.to_owned(),
        })
        .collect()
}
