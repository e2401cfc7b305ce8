//! What an operator decides about a workspace: links, mounts, quotas, protected names and limits (sandbox.md §16).

use std::path::PathBuf;
use std::time::Duration;

use crate::limits::Limits;

/// Whether something is let through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// It is.
    #[default]
    Allow,
    /// It is refused.
    Deny,
}

/// Changes to the table of protected names; for operators, never from tool arguments.
#[derive(Clone, Debug, Default)]
pub struct Protect {
    /// Further secret names, or globs on one component.
    pub secret: Vec<String>,
    /// Further guarded names, or globs on one component.
    pub guarded: Vec<String>,
    /// Names of the table that are not protected here.
    pub open: Vec<String>,
}

/// The rules of one workspace.
#[derive(Clone, Debug, Default)]
pub struct WorkspacePolicy {
    /// Files with more than one name.
    pub hardlinks: Rule,
    /// What lies below a mount point inside the root.
    pub mounts: Rule,
    /// Most bytes of all files together.
    pub max_bytes: Option<u64>,
    /// Most files and directories.
    pub max_files: Option<u64>,
    /// Managed workspaces that were not opened for so long are swept.
    pub max_age: Option<Duration>,
    /// Changes to the protected names.
    pub protect: Protect,
    /// Directories that no file tool sees: the state directory, the other workspaces.
    pub sealed: Vec<PathBuf>,
    /// Files that no file tool touches under any name: the journal's.
    pub sealed_files: Vec<PathBuf>,
    /// Where recorded calls leave evidence of what they change: `effects` in the state directory. `None`: nowhere.
    pub effects: Option<PathBuf>,
    /// Files that may be read and never changed, under any name: the configuration and policy files in use.
    pub guarded_files: Vec<PathBuf>,
    /// The limits of the file tools.
    pub limits: Limits,
}

/// Most bytes of a managed workspace when the policy does not say.
pub const MANAGED_BYTES: u64 = 2 * 1_024 * 1_024 * 1_024;
/// Most files of a managed workspace when the policy does not say.
pub const MANAGED_FILES: u64 = 200_000;

impl WorkspacePolicy {
    /// This policy with the quotas of a managed workspace where it has none.
    pub(crate) fn managed(mut self) -> Self {
        self.max_bytes.get_or_insert(MANAGED_BYTES);
        self.max_files.get_or_insert(MANAGED_FILES);
        self
    }
}
