//! What the commands tell of: the program and its own tools.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tool_core::{Registry, ToolDef};

use crate::doctor::Report;
use crate::session::Session;
use crate::settings::Settings;
use crate::sight::Sight;

/// The program, as a capability of its commands.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    #[cfg(any(feature = "completions", feature = "man"))]
    pub(crate) version: String,
    /// What it is for.
    pub(crate) about: String,
    /// Prefix of its variables.
    pub(crate) prefix: String,
    /// Columns of the terminal.
    pub(crate) columns: usize,
    /// Variables that the program reads itself.
    pub(crate) variables: Vec<(&'static str, &'static str)>,
    /// What the groups are for.
    pub(crate) groups: BTreeMap<String, String>,
    /// The tools.
    pub(crate) registry: Registry,
    /// The secrets that are declared and not set.
    pub(crate) missing: BTreeSet<String>,
    /// Whether a table for people is wanted, for which no schema needs to be built.
    pub(crate) brief: bool,
    /// The variable SOURCE_DATE_EPOCH.
    #[cfg(feature = "man")]
    pub(crate) source_date: Option<String>,
    /// What `doctor` tells.
    pub(crate) report: Option<Report>,
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// Where a command puts the files that it writes.
    pub(crate) directory: Option<PathBuf>,
    /// The commands that the program adds.
    pub(crate) commands: Vec<&'static ToolDef<'static>>,
    /// What decides who sees which tool, for the commands that tell of it.
    pub(crate) sight: Option<Sight>,
}

impl Session<'_> {
    /// What a command may tell of. Only `doctor` has everything inspected.
    pub(crate) fn program(&self, settings: &Settings, registry: &Registry, command: Option<&str>) -> Program {
        let people = settings.format.map_or(self.io.tty.stdout, |format| !format.is_structured());
        Program {
            name: self.cli.name.clone(),
            #[cfg(any(feature = "completions", feature = "man"))]
            version: self.cli.version.clone(),
            about: self.cli.about.clone(),
            prefix: self.cli.prefix(),
            columns: self.columns(),
            variables: self.cli.variables.clone(),
            groups: self.cli.groups.clone(),
            registry: registry.clone(),
            missing: self.missing_secrets(registry, Some(settings)),
            brief: people && settings.select.is_none() && !settings.envelope,
            #[cfg(feature = "man")]
            source_date: self.io.var("SOURCE_DATE_EPOCH").and_then(|text| text.to_str()).map(str::to_owned),
            report: (command == Some("doctor")).then(|| self.inspect(settings, registry)),
            cwd: self.io.cwd.clone(),
            directory: settings.directory.clone(),
            commands: self.cli.commands.clone(),
            sight: None,
        }
    }
}
