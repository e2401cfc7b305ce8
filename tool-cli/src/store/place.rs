//! Where the journal of a program is: where a variable says, else among the person's state.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::io::Io;
use crate::settings::Owner;

/// Where the journal of a program is, and what lies there.
#[derive(Clone, Debug)]
pub struct Place {
    prefix: String,
    path: Option<PathBuf>,
    named: bool,
}

impl Place {
    /// `DEMO_JOURNAL`, else `demo/journal.db` in the state directory (XDG Base Directory Specification 0.8). A relative
    /// directory does not count, and the variables are those of the run, not of the process.
    pub(crate) fn of(io: &Io, owner: Owner<'_>) -> Place {
        let prefix = owner.prefix.to_owned();
        match io.var(format!("{prefix}_JOURNAL")).filter(|path| !path.is_empty()) {
            Some(path) if path == OsStr::new("off") => Place { prefix, path: None, named: true },
            Some(path) => Place { prefix, path: Some(io.cwd.join(path)), named: true },
            None => {
                let absolute = |name: &str| io.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
                let state =
                    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
                let path = state.map(|state| state.join(owner.name).join("journal.db"));
                Place { prefix, path, named: false }
            }
        }
    }

    /// Its path; `None` where there is to be none.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The same once something is there. A seal without its journal tells of one, as it does to [`tool_store::LazyJournal`].
    pub fn existing(&self) -> Option<&Path> {
        self.path().filter(|path| path.exists() || path.with_extension("seal").exists())
    }

    /// Whether somebody chose the place, or that there be none.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// The files of the journal, which no tool may touch: closing one drops the locks that this program has on it.
    pub fn files(&self) -> Vec<PathBuf> {
        self.path().map(tool_store::sqlite::protected).unwrap_or_default()
    }

    /// Why there is none, where there is none.
    pub fn why_none(&self) -> String {
        match self.named {
            true => format!("{}_JOURNAL is off", self.prefix),
            false => "neither XDG_STATE_HOME nor HOME is an absolute path".to_owned(),
        }
    }

    /// The variable of this program with that ending.
    pub(crate) fn variable(&self, ending: &str) -> String {
        format!("{}_{ending}", self.prefix)
    }

    /// The variable that gives what keyed digests are made with.
    pub(crate) fn key_variable(&self) -> String {
        self.variable("JOURNAL_KEY")
    }
}

/// What is read of the environment, and what it says.
pub(crate) fn variables(prefix: &str, name: &str) -> Vec<(String, String)> {
    let path = format!("Path of the journal, or off [default: {name}/journal.db in XDG_STATE_HOME]");
    let rows = [
        ("_JOURNAL", path.as_str()),
        ("_JOURNAL_KEY", "What keyed digests in the journal are made with, 64 hex digits"),
        ("_RUN", "The run that calls belong to"),
        ("_NODE", "The step of that run"),
        ("_ITERATION", "The round of that step"),
        ("_ATTEMPT", "The attempt of that run [default: the next one]"),
    ];
    let state = ("XDG_STATE_HOME", "Where the state directory is, else $HOME/.local/state");
    let rows = rows.map(|(ending, text)| (format!("{prefix}{ending}"), text.to_owned()));
    rows.into_iter().chain([(state.0.to_owned(), state.1.to_owned())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(env: &[(&str, &str)]) -> Place {
        let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let io = Io { env, ..Io::detached("/here") };
        let owner = Owner { name: "my-demo", prefix: "MY_DEMO", limits: None, tables: &[], keys: &[] };
        Place::of(&io, owner)
    }

    #[test]
    fn a_variable_names_the_place_or_turns_it_off() {
        let path = |env: &[(&str, &str)]| place(env).path().map(Path::to_owned);
        let home = ("HOME", "/h");
        assert_eq!(path(&[home]), Some("/h/.local/state/my-demo/journal.db".into()));
        assert_eq!(path(&[home, ("XDG_STATE_HOME", "/s")]), Some("/s/my-demo/journal.db".into()));
        assert_eq!(path(&[home, ("XDG_STATE_HOME", "s")]), Some("/h/.local/state/my-demo/journal.db".into()));
        assert_eq!(path(&[home, ("MY_DEMO_JOURNAL", "")]), Some("/h/.local/state/my-demo/journal.db".into()));
        assert_eq!(path(&[home, ("MY_DEMO_JOURNAL", "j.db")]), Some("/here/j.db".into()));
        assert_eq!(path(&[("MY_DEMO_JOURNAL", "/j.db")]), Some("/j.db".into()));
        assert_eq!(path(&[home, ("MY_DEMO_JOURNAL", "off")]), None);
        assert_eq!(path(&[("HOME", "h")]), None);
    }

    #[test]
    fn why_there_is_none_names_what_to_change() {
        assert_eq!(place(&[("MY_DEMO_JOURNAL", "off")]).why_none(), "MY_DEMO_JOURNAL is off");
        assert!(place(&[]).why_none().contains("HOME"));
    }
}
