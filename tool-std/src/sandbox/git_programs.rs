//! Which variables of a git configuration name programs that git runs, or lead it to others (sandbox.md §3).
//!
//! One table, made of git-config(1) of git 2.47 and of what is read beside git (git-lfs, git-annex, git-svn). A file that is
//! not understood counts as naming every program.

use std::collections::BTreeSet;

use super::git_config::{Variable, parse};

/// A section, whether it matters only with or only without a subsection, its keys, and which values count; no keys means
/// every key.
struct Row(&'static str, Subsection, &'static [&'static str], Value);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subsection {
    Any,
    Without,
    With,
}

/// Which values of a variable count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Any,
    /// `!command`, where other words are git's own.
    Command,
    /// An address that a helper program is started for, `ext::command`, or that could be an option.
    Helper,
    /// A tree that is not in the workspace: git would write there.
    Outside,
}

use Subsection::{With, Without};
use Value::{Command, Helper, Outside};

/// The keys of `core`.
const CORE: [&str; 9] = [
    "alternaterefscommand",
    "askpass",
    "attributesfile",
    "editor",
    "fsmonitor",
    "gitproxy",
    "hookspath",
    "pager",
    "sshcommand",
];
/// The keys of a remote repository.
const REMOTE: [&str; 3] = ["receivepack", "uploadpack", "vcs"];
/// What extensions of git-lfs run.
const LFS: [&str; 4] = ["clean", "path", "smudge", "standalonetransferagent"];

const PROGRAMS: [Row; 39] = [
    Row("core", Subsection::Any, &CORE, Value::Any),
    Row("core", Subsection::Any, &["worktree"], Outside),
    Row("alias", Subsection::Any, &[], Value::Any),
    Row("annex", Subsection::Any, &[], Value::Any),
    Row("browser", Subsection::Any, &[], Value::Any),
    Row("credential", Subsection::Any, &[], Value::Any),
    Row("diff", Without, &["external"], Value::Any),
    Row("diff", With, &["command", "textconv"], Value::Any),
    Row("difftool", With, &[], Value::Any),
    Row("filter", Subsection::Any, &[], Value::Any),
    Row("gc", Subsection::Any, &["recentobjectshook"], Value::Any),
    Row("gpg", Subsection::Any, &[], Value::Any),
    Row("guitool", Subsection::Any, &[], Value::Any),
    Row("help", Subsection::Any, &["browser"], Value::Any),
    Row("hook", Subsection::Any, &[], Value::Any),
    Row("imap", Subsection::Any, &["tunnel"], Value::Any),
    Row("include", Subsection::Any, &[], Value::Any),
    Row("includeif", Subsection::Any, &[], Value::Any),
    Row("init", Subsection::Any, &["templatedir"], Value::Any),
    Row("instaweb", Subsection::Any, &[], Value::Any),
    Row("interactive", Subsection::Any, &["difffilter"], Value::Any),
    Row("lfs", Subsection::Any, &LFS, Value::Any),
    Row("man", Subsection::Any, &[], Value::Any),
    Row("merge", With, &["driver"], Value::Any),
    Row("mergetool", With, &[], Value::Any),
    Row("pager", Subsection::Any, &[], Value::Any),
    Row("protocol", Subsection::Any, &[], Value::Any),
    Row("remote", With, &REMOTE, Value::Any),
    Row("remote", With, &["pushurl", "url"], Helper),
    Row("sendemail", Subsection::Any, &[], Value::Any),
    Row("sequence", Subsection::Any, &[], Value::Any),
    Row("submodule", With, &["update"], Command),
    Row("submodule", With, &["url"], Helper),
    Row("svn", Subsection::Any, &[], Value::Any),
    Row("svn-remote", Subsection::Any, &[], Value::Any),
    Row("tar", With, &["command"], Value::Any),
    Row("trailer", With, &["cmd", "command"], Value::Any),
    Row("uploadpack", Subsection::Any, &["packobjectshook"], Value::Any),
    Row("url", Subsection::Any, &[], Value::Any),
];

/// The variables of a configuration that name programs; `None` when it is not understood. `is_inside` says of a tree
/// that git is to work on whether commands may change it anyway.
pub(super) fn programs(text: &[u8], is_inside: impl Fn(&[u8]) -> bool) -> Option<BTreeSet<Variable>> {
    let mut variables = parse(text)?;
    variables.retain(|variable| PROGRAMS.iter().any(|row| row.applies(variable, &is_inside)));
    Some(variables.into_iter().collect())
}

/// The files that a configuration includes, as they are written there.
pub(super) fn includes(text: &[u8]) -> Vec<Vec<u8>> {
    let variables = parse(text).unwrap_or_default().into_iter();
    variables
        .filter(|variable| {
            matches!(variable.section.as_str(), "include" | "includeif") && variable.key == "path"
        })
        .filter_map(|variable| variable.value)
        .collect()
}

impl Row {
    fn applies(&self, variable: &Variable, is_inside: impl Fn(&[u8]) -> bool) -> bool {
        let Row(section, subsection, keys, value) = self;
        let placed = match subsection {
            Subsection::Any => true,
            Without => variable.subsection.is_none(),
            With => variable.subsection.is_some(),
        };
        let text = variable.value.as_deref().unwrap_or_default();
        *section == variable.section
            && placed
            && (keys.is_empty() || keys.contains(&variable.key.as_str()))
            && match value {
                Value::Any => true,
                Command => text.trim_ascii_start().starts_with(b"!"),
                Helper => text.starts_with(b"-") || text.windows(2).any(|pair| pair == b"::"),
                Outside => !is_inside(text),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &[u8]) -> bool {
        programs(text, |tree| tree == b"../in").is_none_or(|found| !found.is_empty())
    }

    #[test]
    fn keys_that_name_programs_are_found_in_every_spelling() {
        for text in [
            "[core]\n\tpager = x",
            "[CORE] HooksPath=x",
            "[alias]\n a = !x",
            "[diff \"a]b\"]\ncommand = x",
            "[diff]\n external = x",
            "[diff.x]\ntextconv = x",
            "[merge.x]\ndriver = x",
            "[includeIf \"gitdir:/\"]\npath = x",
            "[credential \"https://x\"]\n\thelper = x",
            "[user]\n[core] askPass = x",
            "\u{feff}[core]\nfsmonitor = x",
            "[core]fsmonitor=\"touch X; echo ]\"",
            "[core] ; ]\nfsmonitor = x",
            "[core]\nworktree = /home",
            "[remote \"o\"]\nurl = ext::sh -c x",
            "[remote \"o\"]\nurl = --upload-pack=x",
            "[submodule \"s\"]\nupdate = !x",
            "[lfs \"customtransfer.x\"]\npath = x",
            "[core",
        ] {
            assert!(named(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn every_row_of_the_table_finds_a_variable_and_is_found_by_no_other_section() {
        for Row(section, subsection, keys, value) in &PROGRAMS {
            let quoted = if *subsection == With { " \"s\"" } else { "" };
            let value = match value {
                Command => "!x",
                Helper => "ext::x",
                Value::Any | Outside => "/x",
            };
            let key = keys.first().unwrap_or(&"path");
            assert!(named(format!("[{section}{quoted}]\n{key} = {value}").as_bytes()), "{section}.{key}");
            assert!(!named(format!("[other{quoted}]\n{key} = {value}").as_bytes()), "{section}.{key}");
        }
    }

    #[test]
    fn what_git_itself_writes_names_none() {
        for text in [
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
            "[remote \"origin\"]\n\turl = /x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[remote \"origin\"]\n\turl = git@example.org:a/b.git\n[branch \"main\"]\n\tmerge = refs/heads/main\n",
            "[diff]\n\talgorithm = histogram\n[merge]\n\tconflictStyle = diff3\n",
            "[submodule \"s\"]\n\tactive = true\n\turl = ../s\n\tupdate = rebase\n",
            "[core]\n\tworktree = ../in\n",
            "[lfs]\n\trepositoryformatversion = 0\n",
            "",
        ] {
            assert!(!named(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn included_files_are_told() {
        let text = b"[include]\npath = a\n[includeIf \"onbranch:x\"]\n\tpath = \"~/b\"\n[core]\nbare";
        assert_eq!(includes(text), [b"a".to_vec(), b"~/b".to_vec()]);
        assert_eq!(includes(b"[include"), Vec::<Vec<u8>>::new());
    }
}
