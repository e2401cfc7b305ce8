//! The protected names and what each class of them lets a file tool do (sandbox.md §3).
//!
//! A name is a sequence of components, compared without ASCII case, at any depth; what lies below it is protected too.
//! The caller asks twice: about the text of a path and about the path without links.

use globset::{GlobBuilder, GlobSet};
use tool_core::ToolError;

use super::path::Relative;
use super::policy::Protect;
use crate::limits::ECHO_CHARS;

/// How a path is protected, from the strictest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It does not exist for file tools.
    Sealed,
    /// Its name is shown, nothing else.
    Secret,
    /// Neither read nor written; it holds credentials and names programs.
    GitConfig,
    /// It is read and never changed.
    Guarded,
}

/// What a tool wants of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Show that it is there.
    List,
    /// Read its content.
    Read,
    /// Create or change it.
    Write,
}

impl Use {
    /// What it does with a file, in a word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Use::List => "list",
            Use::Read => "read",
            Use::Write => "write",
        }
    }
}

impl Class {
    /// Whether this class lets a use through.
    pub fn permits(self, wanted: Use) -> bool {
        match (self, wanted) {
            (Class::Sealed, _) | (_, Use::Write) => false,
            (_, Use::List) => true,
            (class, Use::Read) => class == Class::Guarded,
        }
    }
}

/// Secret names (sandbox.md §3).
const SECRET: [&str; 17] = [
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".ssh",
    ".gnupg",
    ".aws/credentials",
    ".config/gh",
    ".docker/config.json",
    ".kube/config",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
/// Git configuration; `**` is any number of components.
const GIT_CONFIG: [&str; 3] = [".git/config", ".git/config.worktree", ".git/modules/**/config"];
/// Guarded names.
const GUARDED: [&str; 21] = [
    ".git",
    ".gitmodules",
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".envrc",
    ".ripgreprc",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".claude",
    ".codex",
    ".cursor",
];

/// The protected names of one workspace.
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<Name>,
    /// Whether a name can begin with a byte: most components are told from all names by their first.
    beginnings: [bool; 256],
    places: Places,
}

/// What is protected by its place below the root.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) sealed: Vec<Relative>,
    /// Files in use that are read and never changed.
    pub(crate) guarded: Vec<Relative>,
    /// Links by which these are found: they are not replaced, but what is in the directories they lead to may be.
    pub(crate) links: Vec<Relative>,
    /// Directories by which these are found though they do not lie in them: they are on the way like those above.
    pub(crate) left: Vec<Relative>,
}

impl Places {
    fn is_guarded(&self, path: &Relative) -> bool {
        let is_link = |link: &Relative| lies_in(path, link) && lies_in(link, path);
        self.guarded.iter().any(|guarded| lies_in(path, guarded)) || self.links.iter().any(is_link)
    }
}

#[derive(Debug)]
struct Name {
    class: Class,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Exactly(Vec<u8>),
    Glob(GlobSet),
    AnyDepth,
}

impl Part {
    fn exactly(text: &str) -> Self {
        if text == "**" { Part::AnyDepth } else { Part::Exactly(text.as_bytes().to_vec()) }
    }

    fn matches(&self, component: &[u8]) -> bool {
        match self {
            Part::Exactly(name) => name.eq_ignore_ascii_case(component),
            Part::Glob(glob) => {
                use std::os::unix::ffi::OsStrExt;
                glob.is_match(std::ffi::OsStr::from_bytes(component))
            }
            Part::AnyDepth => true,
        }
    }
}

impl Name {
    fn listed(class: Class, text: &str) -> Self {
        Self { class, parts: text.split('/').map(Part::exactly).collect() }
    }

    /// The bytes that it can begin with; `None` for any.
    fn beginning(&self) -> Option<[u8; 2]> {
        match self.parts.first() {
            Some(Part::Exactly(name)) => {
                name.first().map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
            }
            _ => None,
        }
    }
}

impl Name {
    /// Whether these components end with the beginning of a longer name.
    fn is_begun_by(&self, components: &[&[u8]]) -> bool {
        let matches = |parts: &[Part]| {
            let start = components.len().checked_sub(parts.len());
            let tail = start.and_then(|start| components.get(start..));
            tail.is_some_and(|tail| begins(parts, tail))
        };
        (1..self.parts.len()).filter_map(|length| self.parts.get(..length)).any(matches)
    }
}

/// Whether components begin with these parts.
fn begins(parts: &[Part], components: &[&[u8]]) -> bool {
    match (parts, components) {
        ([], _) => true,
        ([Part::AnyDepth, rest @ ..], _) => {
            (0..=components.len()).any(|skip| begins(rest, components.get(skip..).unwrap_or_default()))
        }
        ([part, parts @ ..], [first, rest @ ..]) => part.matches(first) && begins(parts, rest),
        (_, []) => false,
    }
}

impl Names {
    /// The table with the operator's changes.
    ///
    /// # Errors
    /// `not_configured` for a glob that is not one.
    pub(crate) fn new(protect: &Protect, places: Places) -> Result<Self, ToolError> {
        let open = |name: &str| protect.open.iter().any(|other| other.eq_ignore_ascii_case(name));
        let table = [
            (Class::Secret, &SECRET[..]),
            (Class::GitConfig, &GIT_CONFIG[..]),
            (Class::Guarded, &GUARDED[..]),
        ];
        let mut names: Vec<Name> = table
            .iter()
            .flat_map(|(class, names)| names.iter().map(move |name| (*class, *name)))
            .filter(|(_, name)| !open(name))
            .map(|(class, name)| Name::listed(class, name))
            .collect();
        for (class, added) in [(Class::Secret, &protect.secret), (Class::Guarded, &protect.guarded)] {
            for name in added {
                names.push(added_name(class, name)?);
            }
        }
        Ok(Self { beginnings: beginnings(&names), names, places })
    }

    /// How a path is protected, if it is: the strictest class that applies.
    pub(crate) fn class(&self, path: &Relative) -> Option<Class> {
        if self.places.sealed.iter().any(|sealed| lies_in(path, sealed)) {
            return Some(Class::Sealed);
        }
        let components: Vec<&[u8]> = path.components().collect();
        let by_name =
            (0..components.len()).filter_map(|start| self.class_from(components.get(start..)?)).min();
        match self.places.is_guarded(path) {
            true => Some(by_name.map_or(Class::Guarded, |class| class.min(Class::Guarded))),
            false => by_name,
        }
    }

    /// The strictest class of the names that these components begin with.
    fn class_from(&self, components: &[&[u8]]) -> Option<Class> {
        let first = components.first()?.first()?;
        if !self.beginnings.get(usize::from(*first)).is_none_or(|can| *can) {
            return None;
        }
        self.names.iter().filter(|name| begins(&name.parts, components)).map(|name| name.class).min()
    }

    /// Whether a use of a path is let through.
    pub(crate) fn permit(&self, path: &Relative, wanted: Use) -> bool {
        self.class(path).is_none_or(|class| class.permits(wanted))
    }

    /// Whether a path is a directory on the way to a protected name, such as `.aws` to `.aws/credentials`: it is not
    /// moved, copied or deleted, and nothing is moved or copied to its name.
    pub(crate) fn is_on_the_way(&self, path: &Relative) -> bool {
        let components: Vec<&[u8]> = path.components().collect();
        self.names.iter().any(|name| name.is_begun_by(&components))
            || self.places.sealed.iter().chain(self.guarded()).any(|place| lies_in(place, path))
    }

    /// The places of files in use that are read and never changed, and what leads to them.
    pub(crate) fn guarded(&self) -> impl Iterator<Item = &Relative> {
        self.places.guarded.iter().chain(&self.places.links).chain(&self.places.left)
    }

    /// How many names of a class are protected, for `doctor`.
    pub(crate) fn count(&self, class: Class) -> usize {
        self.names.iter().filter(|name| name.class == class).count()
    }
}

fn beginnings(names: &[Name]) -> [bool; 256] {
    let mut table = [false; 256];
    for (byte, can) in (0..=u8::MAX).zip(&mut table) {
        *can = names.iter().any(|name| name.beginning().is_none_or(|bytes| bytes.contains(&byte)));
    }
    table
}

fn lies_in(path: &Relative, sealed: &Relative) -> bool {
    let mut components = path.components();
    sealed.components().all(|name| components.next().is_some_and(|other| other.eq_ignore_ascii_case(name)))
}

fn added_name(class: Class, text: &str) -> Result<Name, ToolError> {
    let is_glob = text.contains(['*', '?', '[', '{']);
    let fits = !text.is_empty() && (!is_glob || !text.contains('/'));
    if !is_glob && fits {
        return Ok(Name::listed(class, text));
    }
    GlobBuilder::new(text)
        .case_insensitive(true)
        .literal_separator(true)
        .build()
        .ok()
        .filter(|_| fits)
        .and_then(|glob| GlobSet::builder().add(glob).build().ok())
        .map(|glob| Name { class, parts: vec![Part::Glob(glob)] })
        .ok_or_else(|| {
            let shown: String = text.chars().take(ECHO_CHARS as usize).collect();
            ToolError::not_configured(format!("`{shown}` is neither a name nor a glob on one component."))
                .code("glob_invalid")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Relative {
        Relative::from_components(text.split('/').map(str::as_bytes))
    }

    fn names() -> Names {
        let places = Places {
            sealed: vec![path("state/toolbox")],
            guarded: vec![path("conf/policy.toml")],
            links: vec![path("by/link")],
            left: vec![path("in/out")],
        };
        Names::new(&Protect::default(), places).unwrap()
    }

    #[test]
    fn each_class_lets_through_what_the_table_says() {
        let rows = [
            ("state/toolbox/journal.db", [false, false, false]),
            ("sub/.netrc", [true, false, false]),
            (".git/config", [true, false, false]),
            (".git/HEAD", [true, true, false]),
            (".bashrc", [true, true, false]),
            ("conf/policy.toml", [true, true, false]),
            ("conf/policy.yaml", [true, true, true]),
            ("by/link", [true, true, false]),
            ("by/link/beside", [true, true, true]),
            ("in/out", [true, true, true]),
            ("src/main.rs", [true, true, true]),
        ];
        for (text, expected) in rows {
            let got = [Use::List, Use::Read, Use::Write].map(|wanted| names().permit(&path(text), wanted));
            assert_eq!(got, expected, "{text}");
        }
    }

    #[test]
    fn names_are_found_at_any_depth_below_and_in_any_case() {
        let rows = [
            ("a/b/.SSH/id", Some(Class::Secret)),
            (".aws/credentials", Some(Class::Secret)),
            (".aws/config", None),
            ("id_rsa.pub", None),
            ("ID_RSA", Some(Class::Secret)),
            ("x/.git/modules/m/config", Some(Class::GitConfig)),
            ("x/.git/modules/a/b/config", Some(Class::GitConfig)),
            (".git/modules/m/hooks/x", Some(Class::Guarded)),
            ("my.git/hooks/x", None),
            (".github/x.yml", None),
            ("vendor/x/.GIT/hooks/y", Some(Class::Guarded)),
            ("state", None),
            ("STATE/toolbox", Some(Class::Sealed)),
        ];
        for (text, class) in rows {
            assert_eq!(names().class(&path(text)), class, "{text}");
        }
        assert_eq!(names().class(&Relative::root()), None);
    }

    #[test]
    fn directories_on_the_way_to_a_protected_name_are_known() {
        for text in [
            ".aws",
            "x/.Config",
            "a/b/.cargo",
            ".kube",
            ".docker",
            "state",
            "state/toolbox",
            "conf",
            "by",
            "in/out",
        ] {
            assert!(names().is_on_the_way(&path(text)), "{text}");
        }
        for text in [".aws/x", "aws", ".awsx", "src", "x/state", ".config/other"] {
            assert!(!names().is_on_the_way(&path(text)), "{text}");
        }
    }

    #[test]
    fn operators_add_and_open_names() {
        let protect = Protect {
            secret: vec!["*.pem".into()],
            guarded: vec!["deploy".into()],
            open: vec![".VSCODE".into()],
        };
        let names = Names::new(&protect, Places::default()).unwrap();
        assert_eq!(names.class(&path("a/key.PEM")), Some(Class::Secret));
        assert_eq!(names.class(&path("deploy/prod.sh")), Some(Class::Guarded));
        assert_eq!(names.class(&path(".vscode/tasks.json")), None);
        let wrong = Protect { secret: vec!["a/*".into()], ..Protect::default() };
        assert_eq!(Names::new(&wrong, Places::default()).unwrap_err().code_str(), "glob_invalid");
    }

    #[test]
    fn what_is_protected_is_counted_by_class() {
        let names = names();
        assert_eq!(names.count(Class::Secret), SECRET.len());
        assert_eq!(names.count(Class::GitConfig), GIT_CONFIG.len());
        assert_eq!(names.count(Class::Guarded), GUARDED.len());
        assert_eq!(names.count(Class::Sealed), 0, "places have no name");
        let less = Protect { open: vec![SECRET[0].to_owned()], ..Protect::default() };
        let less = Names::new(&less, Places::default()).unwrap();
        assert_eq!(less.count(Class::Secret), SECRET.len() - 1);
    }
}
