//! What a walk leaves out of what it reads, and what it may spend on reading (files.md §10).

use std::time::Duration;

use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::ToolError;

use super::budget::Budget;
use super::ignores::{Ignores, Verdict};
use super::listing::Kept;
use super::path::Relative;
use super::protect::Use;
use super::walk::{GitDirectories, WalkOptions};
use super::{Workspace, temporary};

/// Names read between two looks at the clock and the call.
const NAMES_PER_LOOK: u64 = 1_024;

/// What a walk leaves out, and what it may spend.
#[derive(Debug)]
pub(super) struct Filter<'w> {
    workspace: &'w Workspace,
    hidden: bool,
    git: GitDirectories,
    sees_everything: bool,
    pub(super) skipped: Skipped,
    pub(super) budget: Budget,
    names_read: u64,
}

/// How many entries a walk passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// Names that begin with a dot.
    pub hidden: u64,
    /// Names that ignore files leave out.
    pub ignored: u64,
}

/// Whether an entry is shown, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Yes,
    Never,
    Hidden,
    Ignored,
}

impl From<Shown> for Kept {
    fn from(shown: Shown) -> Self {
        if shown == Shown::Yes { Kept::Yes } else { Kept::No }
    }
}

impl<'w> Filter<'w> {
    pub(super) fn new(workspace: &'w Workspace, options: &WalkOptions) -> Self {
        let limits = workspace.limits();
        Self {
            workspace,
            hidden: options.hidden,
            git: options.git,
            sees_everything: options.sees_everything,
            skipped: Skipped::default(),
            budget: Budget::new(
                options.entries.unwrap_or(limits.walk_entries),
                (!options.sees_everything).then(|| Duration::from_secs(limits.walk_seconds)),
            ),
            names_read: 0,
        }
    }

    /// Whether the budgets let another name be read; a name counts once, however often its directory is read.
    pub(super) fn may_read_name(&mut self, is_first_pass: bool) -> Result<bool, ToolError> {
        self.names_read += 1;
        if self.names_read.is_multiple_of(NAMES_PER_LOOK) {
            self.workspace.check()?;
            self.budget.look_at_clock();
        }
        if is_first_pass {
            self.budget.take_entry();
        }
        Ok(self.budget.spent().is_none())
    }

    /// Whether an entry of a directory is shown.
    pub(super) fn judge(
        &self,
        parent: &Relative,
        ignores: Option<&Ignores>,
        name: &[u8],
        kind: FileType,
    ) -> Shown {
        if self.sees_everything {
            return Shown::Yes;
        }
        let is_directory = kind == FileType::Directory;
        let is_skipped_git = name == b".git" && is_directory && self.git == GitDirectories::Skipped;
        let path = parent.join(name);
        if is_skipped_git
            || name.starts_with(temporary::PREFIX.as_bytes())
            || !self.workspace.names().permit(&path, Use::List)
        {
            return Shown::Never;
        }
        let verdict = ignores.map_or(Verdict::None, |ignores| ignores.verdict(path.as_bytes(), is_directory));
        match verdict {
            Verdict::Ignored => Shown::Ignored,
            Verdict::Kept => Shown::Yes,
            Verdict::None if !self.hidden && name.starts_with(b".") => Shown::Hidden,
            Verdict::None => Shown::Yes,
        }
    }

    pub(super) fn count(&mut self, shown: Shown) {
        match shown {
            Shown::Hidden => self.skipped.hidden += 1,
            Shown::Ignored => self.skipped.ignored += 1,
            Shown::Yes | Shown::Never => {}
        }
    }
}
