//! What an operator decides about commands: mode, network, places, environment and limits (sandbox.md §16).
//!
//! Nothing here ever comes from tool arguments, agents or files of the workspace.

use std::path::{Path, PathBuf};

use tool_core::ToolError;

use super::env::Variables;
use super::layers::Layer;
use crate::limits::Limits;

/// What happens where a guarantee cannot be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Commands are refused.
    #[default]
    Enforce,
    /// Commands run with what works, and every result says so.
    BestEffort,
    /// Commands run without confinement, with limits and a built environment only.
    Off,
}

/// What commands reach of the network.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nothing.
    #[default]
    Deny,
    /// A loopback of their own.
    Loopback,
    /// Everything the program reaches, less raw sockets.
    Allow,
}

impl Network {
    /// The word of the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Loopback => "loopback",
            Self::Allow => "allow",
        }
    }
}

impl Mode {
    /// The word of the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::BestEffort => "best_effort",
            Self::Off => "off",
        }
    }
}

/// The early refusal of commands that would want the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkGuard {
    /// By the tokens of the command (sandbox.md §14).
    Tokens,
    /// None; the sandbox alone decides.
    Off,
}

/// The rules of one sandbox.
#[derive(Clone, Debug, Default)]
pub struct SandboxPolicy {
    /// What happens where a guarantee cannot be given.
    pub mode: Mode,
    /// What commands reach of the network.
    pub network: Network,
    /// The early check; `None`: tokens while the network is denied.
    pub network_guard: Option<NetworkGuard>,
    /// Further directories that commands read.
    pub read: Vec<PathBuf>,
    /// Further directories that commands change.
    pub write: Vec<PathBuf>,
    /// Further variables of commands.
    pub env: Variables,
    /// A helper program; `None`: the program itself.
    pub helper: Option<PathBuf>,
    /// Directories that no command sees, wherever they are: the state directory, the other workspaces.
    pub sealed: Vec<PathBuf>,
    /// Where protected names go that a command made; `None`: `quarantine` in the state directory.
    pub quarantine: Option<PathBuf>,
    /// Layers to do without, so that each fallback can be tested; it can only take away.
    pub missing: Vec<Layer>,
    /// The limits of commands.
    pub limits: Limits,
}

impl SandboxPolicy {
    /// Whether commands are looked at by the network guard.
    pub fn guards_tokens(&self) -> bool {
        match self.network_guard {
            Some(guard) => guard == NetworkGuard::Tokens,
            None => self.network == Network::Deny,
        }
    }

    /// Where protected names go that a command made.
    pub(super) fn quarantine(&self) -> PathBuf {
        self.quarantine.clone().unwrap_or_else(|| state_directory().join("quarantine"))
    }

    /// Refuses a writable place that holds what no command may see.
    ///
    /// # Errors
    /// `not_configured`/`write_refused`.
    pub(super) fn check(&self) -> Result<(), ToolError> {
        let sealed: Vec<PathBuf> = self.sealed.iter().cloned().chain([state_directory()]).collect();
        let holds_sealed = |place: &&PathBuf| {
            let real = without_links(place);
            sealed.iter().any(|sealed| sealed.starts_with(place) || without_links(sealed).starts_with(&real))
        };
        match self.write.iter().find(holds_sealed) {
            Some(place) => {
                let message =
                    format!("sandbox.write must not hold the state directory: {}.", place.display());
                Err(ToolError::not_configured(message).code("write_refused"))
            }
            None => Ok(()),
        }
    }
}

/// A path with its links followed, as far as it is there.
fn without_links(path: &Path) -> PathBuf {
    let mut above = path.ancestors();
    above
        .find_map(|above| {
            let rest = path.strip_prefix(above).ok()?;
            Some(std::fs::canonicalize(above).ok()?.join(rest))
        })
        .unwrap_or_else(|| path.to_path_buf())
}

/// `$XDG_STATE_HOME/toolbox` (XDG Base Directory Specification 0.8), or a place for temporary files without a home.
pub(crate) fn state_directory() -> PathBuf {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    state.unwrap_or_else(std::env::temp_dir).join("toolbox")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_follows_the_network_unless_the_operator_says_otherwise() {
        let mut policy = SandboxPolicy::default();
        assert!(policy.guards_tokens());
        policy.network = Network::Loopback;
        assert!(!policy.guards_tokens());
        policy.network_guard = Some(NetworkGuard::Tokens);
        assert!(policy.guards_tokens());
    }

    #[test]
    fn a_writable_place_around_the_state_directory_is_refused_and_one_beside_it_is_not() {
        let sealed = vec![PathBuf::from("/home/u/.local/state/toolbox")];
        let with = |write: &str| SandboxPolicy {
            sealed: sealed.clone(),
            write: vec![PathBuf::from(write)],
            ..SandboxPolicy::default()
        };
        assert_eq!(with("/home/u/.local").check().unwrap_err().code_str(), "write_refused");
        assert!(with("/home/u/.cache").check().is_ok());
    }

    #[test]
    fn the_usual_state_directory_is_kept_from_writable_places_whatever_links_lead_there() {
        let base = tool_trials::directory();
        let link = base.path().join("link");
        let above = state_directory().parent().unwrap().to_path_buf();
        std::os::unix::fs::symlink(above.ancestors().find(|above| above.exists()).unwrap(), &link).unwrap();
        for (write, refused) in [(above, true), (link, true), (base.path().to_path_buf(), false)] {
            let policy = SandboxPolicy { write: vec![write.clone()], ..SandboxPolicy::default() };
            let code = policy.check().err().map(|error| error.code_str().to_owned());
            assert_eq!(code.as_deref(), refused.then_some("write_refused"), "{}", write.display());
        }
    }
}
