//! Where clients keep their settings.

use std::path::PathBuf;

use tool_core::ToolError;

use super::Env;

/// Whose settings are edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those of the user, for all projects.
    #[default]
    User,
    /// Those of the project in the current directory.
    Project,
}

/// Where the settings of the user are.
pub(super) enum Place {
    /// A file that depends on the home directory and the system.
    Below(fn(&Home) -> PathBuf),
    /// A file that this program of the client edits; it is only looked at.
    Own(&'static str, fn(&Home) -> PathBuf),
}

/// The directories that settings are found from.
pub(super) struct Home {
    home: PathBuf,
    /// The settings of Windows programs.
    app_data: Option<PathBuf>,
    /// Where Codex has been told to keep its own.
    pub(super) codex: Option<PathBuf>,
    /// Where Claude Code has been told to keep its own.
    pub(super) claude: Option<PathBuf>,
}

impl Home {
    pub(super) fn of(env: &dyn Env) -> Result<Home, ToolError> {
        let path = |name: &str| env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME").or_else(|| path("USERPROFILE")).ok_or_else(|| {
            let error = ToolError::not_configured("The home directory is not known.").code("no_home");
            error.hint("set HOME, or use --scope project")
        })?;
        Ok(Home {
            home,
            app_data: path("APPDATA"),
            codex: path("CODEX_HOME"),
            claude: path("CLAUDE_CONFIG_DIR"),
        })
    }

    /// A path below the home directory.
    pub(super) fn below(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }

    /// A path that is elsewhere on Windows, below the settings of programs, and on macOS.
    pub(super) fn by_system(&self, windows: &str, mac: &str, other: &str) -> PathBuf {
        match &self.app_data {
            Some(app_data) if cfg!(windows) => app_data.join(windows),
            _ if cfg!(target_os = "macos") => self.home.join(mac),
            _ => self.home.join(other),
        }
    }
}
