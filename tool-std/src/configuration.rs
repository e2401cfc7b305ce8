//! The rules of the workspace and of the sandbox, from the tables of an operator's settings (sandbox.md §16).
//!
//! `[sandbox]` and `[workspace]`, beside the limits; a key that is none of theirs is refused, so that no misspelt rule is believed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{ArgIssue, ToolError, args};

use crate::limits::Limits;
use crate::sandbox::policy::state_directory;
use crate::sandbox::{Mode, Network, NetworkGuard, SandboxPolicy};
use crate::workspace::{Protect, Rule, WorkspacePolicy};

/// The names of the tables.
pub const TABLES: [&str; 2] = ["sandbox", "workspace"];

/// What the tables say.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Of the workspace.
    pub workspace: WorkspacePolicy,
    /// Of commands.
    pub sandbox: SandboxPolicy,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct SandboxTable {
    mode: Mode,
    network: Network,
    network_guard: Option<NetworkGuard>,
    read: Vec<Place>,
    write: Vec<Place>,
    env: BTreeMap<String, String>,
    helper: Option<PathBuf>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct WorkspaceTable {
    hardlinks: Rule,
    mounts: Rule,
    max_bytes: Option<u64>,
    max_files: Option<u64>,
    max_age: Option<Age>,
    protect: ProtectTable,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ProtectTable {
    secret: Vec<String>,
    guarded: Vec<String>,
    open: Vec<String>,
}

impl Rules {
    /// Reads the tables; `table` gives each by its name. The limits hold for both.
    ///
    /// # Errors
    /// `not_configured`/`settings_invalid` for what is no rule.
    pub fn read<'a>(table: impl Fn(&str) -> Option<&'a Value>, limits: &Limits) -> Result<Self, ToolError> {
        let SandboxTable { mode, network, network_guard, read, write, env, helper } =
            parsed("sandbox", table("sandbox"))?;
        let sandbox = SandboxPolicy {
            mode,
            network,
            network_guard,
            read: read.into_iter().map(|place| place.0).collect(),
            write: write.into_iter().map(|place| place.0).collect(),
            env: env.into_iter().collect(),
            helper,
            limits: limits.clone(),
            ..SandboxPolicy::default()
        };
        let WorkspaceTable { hardlinks, mounts, max_bytes, max_files, max_age, protect } =
            parsed("workspace", table("workspace"))?;
        let ProtectTable { secret, guarded, open } = protect;
        let protect = Protect { secret, guarded, open };
        let state = state_directory();
        let workspace = WorkspacePolicy {
            hardlinks,
            mounts,
            max_bytes,
            max_files,
            max_age: max_age.map(|age| age.0),
            protect,
            limits: limits.clone(),
            effects: Some(state.join("effects")),
            sealed: vec![state],
            ..WorkspacePolicy::default()
        };
        Ok(Self { workspace, sandbox })
    }
}

/// Everything that is wrong with one of the [`TABLES`], by the name of the table.
///
/// # Errors
/// None that a table could cause.
pub fn misfits(name: &str, table: &Value) -> Result<Vec<ArgIssue>, ToolError> {
    match name {
        "sandbox" => args::misfits::<SandboxTable>(table),
        "workspace" => args::misfits::<WorkspaceTable>(table),
        _ => Ok(Vec::new()),
    }
}

fn parsed<T: Default + DeserializeOwned>(name: &str, table: Option<&Value>) -> Result<T, ToolError> {
    let Some(table) = table else { return Ok(T::default()) };
    let invalid = |why: String| ToolError::not_configured(why).code("settings_invalid");
    let lines: Vec<String> = misfits(name, table)?.iter().map(|issue| format!("[{name}]{issue}")).collect();
    if !lines.is_empty() {
        return Err(invalid(lines.join("\n")));
    }
    T::deserialize(table).map_err(|error| invalid(format!("[{name}]: {error}.")))
}

/// A place of the file system that means the same wherever the program is started: an absolute path.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "PathBuf")]
struct Place(PathBuf);

impl TryFrom<PathBuf> for Place {
    type Error = &'static str;

    fn try_from(path: PathBuf) -> Result<Self, Self::Error> {
        if path.is_absolute() {
            Ok(Self(path))
        } else {
            Err("an absolute path was expected, such as /srv/data")
        }
    }
}

impl JsonSchema for Place {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Place".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^/"})
    }
}

/// A length of time in a settings file: a whole number of seconds, minutes, hours or days, such as `30d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Age(Duration);

/// What an [`Age`] is written like.
const AGE: &str = "^[1-9][0-9]{0,8}[smhd]$";

impl TryFrom<String> for Age {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        const UNITS: [(&str, u64); 4] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)];
        let read = UNITS.iter().find_map(|(unit, seconds)| {
            let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
            number.checked_mul(*seconds).filter(|seconds| *seconds > 0)
        });
        read.map(|seconds| Age(Duration::from_secs(seconds)))
            .ok_or_else(|| "a whole number with s, m, h or d was expected, such as 30d".to_owned())
    }
}

impl JsonSchema for Age {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Age".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": AGE})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(tables: &Value) -> Result<Rules, ToolError> {
        Rules::read(|name| tables.get(name), &Limits { max_args: 9, ..Limits::default() })
    }

    #[test]
    fn every_table_changes_its_rules() {
        let rules = read(&json!({
            "sandbox": {
                "network": "allow", "network_guard": "tokens", "mode": "best_effort", "env": {"A": "b"}, "read": ["/srv"],
            },
            "workspace": {"hardlinks": "deny", "max_bytes": 5, "max_age": "30d", "protect": {"secret": ["x"]}},
        }))
        .unwrap();
        assert_eq!((rules.sandbox.network, rules.sandbox.mode), (Network::Allow, Mode::BestEffort));
        assert!(rules.sandbox.guards_tokens());
        assert_eq!(rules.sandbox.read, [PathBuf::from("/srv")]);
        assert_eq!((rules.workspace.hardlinks, rules.workspace.max_bytes), (Rule::Deny, Some(5)));
        assert_eq!(rules.workspace.max_age, Some(Duration::from_secs(30 * 86_400)));
        assert_eq!((rules.workspace.limits.max_args, rules.sandbox.limits.max_args), (9, 9));
        assert_eq!(read(&json!({})).unwrap().sandbox.network, Network::Deny);
    }

    #[test]
    fn what_is_no_rule_is_refused_with_its_table() {
        for (tables, code, part) in [
            (
                json!({"sandbox": {"netwrok": "allow"}}),
                "settings_invalid",
                "[sandbox]/netwrok: unknown; did you mean `network`?",
            ),
            (json!({"sandbox": {"network": "on"}}), "settings_invalid", "[sandbox]/network: expected"),
            (json!({"sandbox": {"read": ["srv"]}}), "settings_invalid", "[sandbox]/read/0: expected"),
            (
                json!({"sandbox": {"write": ["/srv", "~/x"]}}),
                "settings_invalid",
                "[sandbox]/write/1: expected",
            ),
            (json!({"workspace": {"max_age": "30"}}), "settings_invalid", "[workspace]/max_age: expected"),
            (json!({"workspace": {"max_age": "0d"}}), "settings_invalid", "[workspace]/max_age: expected"),
            (
                json!({"workspace": {"protect": {"all": []}}}),
                "settings_invalid",
                "[workspace]/protect/all: unknown",
            ),
        ] {
            let error = read(&tables).unwrap_err();
            assert_eq!((error.kind().as_str(), error.code_str()), ("not_configured", code));
            assert!(error.message().contains(part), "{error}");
        }
    }
}
