//! What a command sees around it, worked out from the policy, the workspace and this machine (sandbox.md §3, §8, §11).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::env::{self, Variables};
use super::places::{TEMPORARY, covered, system, toolchains};
use super::policy::{Network, SandboxPolicy, state_directory};
use super::scratch::Scratch;
use super::wire::{Bytes, View};
use crate::workspace::{Class, Relative, Workspace};

/// Where names are resolved, as a link on many systems to a file that the view lacks.
const RESOLVER: &str = "/etc/resolv.conf";
/// Parts of a git directory that name programs or credentials.
const GIT_FROZEN: [&str; 3] = ["hooks", "config", "config.worktree"];
/// `USER` when the program's environment has none.
const USER: &str = "user";

/// What is the same for all commands of a sandbox.
#[derive(Debug)]
pub(super) struct Ground {
    root: PathBuf,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    home: Option<PathBuf>,
    toolchains: Vec<PathBuf>,
    covered: Vec<PathBuf>,
    path: String,
    user: String,
}

/// What a call has instead of the temporary places and the home where there is no mount view.
#[derive(Debug)]
pub(super) struct Private(Scratch);

impl Ground {
    /// Looks around.
    pub(super) fn survey(policy: &SandboxPolicy, workspace: &Workspace) -> std::io::Result<Self> {
        let root = fs::canonicalize(workspace.root())?;
        let real = |paths: &[PathBuf]| paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        let home = std::env::var_os("HOME").map(PathBuf::from).and_then(|home| fs::canonicalize(home).ok());
        let own_home = home.filter(|home| !home.starts_with(&root) && can_be_emptied(home));
        let (toolchains, secrets) = own_home.as_deref().map(toolchains).unwrap_or_default();
        let mut read: Vec<PathBuf> = real(&policy.read);
        if policy.network == Network::Allow {
            read.extend(fs::canonicalize(RESOLVER).ok().filter(|file| !file.starts_with("/etc")));
        }
        let mut covered: Vec<PathBuf> = covered();
        covered.extend(secrets);
        let own = workspace.policy();
        covered.extend(policy.sealed.iter().chain(&own.sealed).cloned());
        covered.extend(fs::canonicalize(state_directory()).ok());
        let mut ground = Self {
            root,
            read,
            write: real(&policy.write),
            home: own_home,
            toolchains,
            covered,
            path: String::new(),
            user: user(),
        };
        ground.path = env::search_path(std::env::var("PATH").ok().as_deref(), |path| ground.is_safe(path));
        Ok(ground)
    }

    /// Whether programs may be looked up in a directory: it exists and no command can change it.
    fn is_safe(&self, directory: &Path) -> bool {
        let Ok(real) = fs::canonicalize(directory) else { return false };
        let below = |place: &Path| real.starts_with(place);
        let in_toolchain = self.toolchains.iter().any(|place| below(place));
        let writable = below(&self.root)
            || self.write.iter().any(|place| below(place))
            || TEMPORARY.iter().any(|place| below(Path::new(place)))
            || (self.home.as_deref().is_some_and(below) && !in_toolchain);
        real.is_dir() && !writable
    }

    /// The view of a command that starts in a directory.
    pub(super) fn view(
        &self,
        workspace: &Workspace,
        directory: &Relative,
        private: Option<&Private>,
    ) -> View {
        let bytes = |paths: &[PathBuf]| paths.iter().cloned().map(Bytes).collect::<Vec<_>>();
        let mut protected =
            Protected { workspace, root: &self.root, covered: Vec::new(), frozen: Vec::new() };
        protected.look_into(&Relative::root());
        if let Some(repository) = self.repository_around(directory) {
            protected.look_into(&repository);
        }
        // Looked up for each command: a journal comes to be with its first row.
        let there = |files: &[PathBuf]| -> Vec<PathBuf> {
            files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect()
        };
        let sealed = there(&workspace.policy().sealed_files);
        let mut guarded = there(&workspace.policy().guarded_files);
        guarded.retain(|file| file.starts_with(&self.root));
        let named = workspace.names().guarded().map(|place| self.root.join(place.as_path()));
        let held = self.ways_to(self.covered.iter().chain(&sealed).cloned().chain(named));
        let covered = [&self.covered, &protected.covered, &sealed].map(|places| bytes(places)).concat();
        let frozen = [&protected.frozen, &guarded].map(|places| bytes(places)).concat();
        View {
            root: Bytes(self.root.clone()),
            read: bytes(&self.read),
            write: bytes(&self.write),
            home: self.home.clone().map(Bytes),
            toolchains: bytes(&self.toolchains),
            held,
            covered,
            frozen,
            private: private.map(|private| Bytes(private.0.path().to_path_buf())),
        }
    }

    /// The directories between the root and places of the operator, parents first.
    fn ways_to(&self, places: impl Iterator<Item = PathBuf>) -> Vec<Bytes> {
        let mut ways = BTreeSet::new();
        for place in places {
            let above = place.ancestors().skip(1).take_while(|above| *above != self.root);
            if place.starts_with(&self.root) && place != self.root {
                ways.extend(above.map(Path::to_path_buf));
            }
        }
        ways.into_iter().map(Bytes).collect()
    }

    /// The directories whose names are protected around a command: the root, and the git repository around its directory.
    pub(super) fn watched(&self, directory: &Relative) -> Vec<Relative> {
        std::iter::once(Relative::root()).chain(self.repository_around(directory)).collect()
    }

    /// The places that commands may change.
    pub(super) fn changed(&self) -> Vec<&Path> {
        std::iter::once(&self.root).chain(&self.write).map(PathBuf::as_path).collect()
    }

    /// The workspace, without links.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the nearest git repository around a directory, if it is not the root, which is looked at anyway.
    fn repository_around(&self, directory: &Relative) -> Option<Relative> {
        let mut candidate = directory.clone();
        while !candidate.is_root() {
            if self.root.join(candidate.as_path()).join(".git").symlink_metadata().is_ok() {
                return Some(candidate);
            }
            candidate = candidate.parent()?;
        }
        None
    }

    /// Adds what the sandbox sets in the environment.
    pub(super) fn set(&self, variables: &mut Variables, directory: &Relative, private: Option<&Private>) {
        let (home, temporary) = match (private, &self.home) {
            (Some(private), _) => (private.home(), private.temporary()),
            (None, Some(home)) => (home.clone(), PathBuf::from("/tmp")),
            (None, None) => (self.fallback_home(), PathBuf::from("/tmp")),
        };
        let directory = match directory.is_root() {
            true => self.root.clone(),
            false => self.root.join(directory.as_path()),
        };
        env::set(
            variables,
            &env::Places {
                home: &home,
                temporary: &temporary,
                directory: &directory,
                user: &self.user,
                path: &self.path,
            },
        );
    }

    /// The home when it lies in the workspace, or is none.
    fn fallback_home(&self) -> PathBuf {
        let home = std::env::var_os("HOME").and_then(|home| fs::canonicalize(home).ok());
        home.filter(|home| home.starts_with(&self.root)).unwrap_or_else(|| PathBuf::from("/tmp"))
    }
}

impl Private {
    /// Makes the directories of one call, in none of the places that other calls change.
    pub(super) fn make(changed: &[&Path]) -> std::io::Result<Self> {
        let private = Self(Scratch::make("call", changed)?);
        fs::create_dir(private.home())?;
        fs::create_dir(private.temporary())?;
        Ok(private)
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn temporary(&self) -> PathBuf {
        self.0.path().join("tmp")
    }
}

/// The protected names that exist directly in a directory, sorted by what is done about them.
struct Protected<'a> {
    workspace: &'a Workspace,
    root: &'a Path,
    covered: Vec<PathBuf>,
    frozen: Vec<PathBuf>,
}

impl Protected<'_> {
    fn look_into(&mut self, directory: &Relative) {
        for name in names(&self.root.join(directory.as_path())) {
            let entry = directory.join(&name);
            match name.as_slice() {
                b".git" => self.look_at_git(&entry),
                _ => {
                    self.look_at(&entry);
                    // Longer names, such as `.aws/credentials`, begin with a dot.
                    if name.starts_with(b".") {
                        let below = names(&self.root.join(entry.as_path()));
                        below.iter().for_each(|name| self.look_at(&entry.join(name)));
                    }
                }
            }
        }
    }

    fn look_at(&mut self, path: &Relative) {
        let place = self.root.join(path.as_path());
        let already = |places: &[PathBuf]| places.iter().any(|other| place.starts_with(other));
        if already(&self.covered) || already(&self.frozen) {
            return;
        }
        match self.workspace.names().class(path) {
            Some(Class::Sealed | Class::Secret) => self.covered.push(place),
            Some(Class::GitConfig | Class::Guarded) => self.frozen.push(place),
            None => {}
        }
    }

    /// Of a git directory what names programs is frozen; a `.git` that is a file leads elsewhere and is frozen itself.
    fn look_at_git(&mut self, git: &Relative) {
        let place = self.root.join(git.as_path());
        if !place.is_dir() {
            self.frozen.push(place);
            return;
        }
        self.frozen.extend(GIT_FROZEN.iter().map(|name| place.join(name)).filter(|path| path.exists()));
        let modules = names(&place.join("modules"));
        let configs = modules
            .iter()
            .map(|name| self.root.join(git.join(b"modules").join(name).join(b"config").as_path()));
        self.frozen.extend(configs.filter(|path| path.exists()));
    }
}

/// The names in a directory, in order; none for what is no directory, or a link.
pub(super) fn names(directory: &Path) -> Vec<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    if directory.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Vec::new();
    }
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<Vec<u8>> = entries.map(|entry| entry.file_name().into_vec()).collect();
    names.sort_unstable();
    names
}

/// Whether a home may be an empty one in the view: not when it is a part of the system, as for many daemons.
fn can_be_emptied(home: &Path) -> bool {
    home.parent().is_some() && !system(Path::new("/")).iter().any(|place| home.starts_with(place))
}

fn user() -> String {
    let mut named = ["USER", "LOGNAME"].iter().filter_map(|name| std::env::var(name).ok());
    named.find(|name| !name.is_empty()).unwrap_or_else(|| USER.to_owned())
}
