//! What a command sees around it, worked out from the policy, the workspace and this machine (sandbox.md §3, §8, §11).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::env::{self, Variables};
use super::guarded::{Guarded, Rule};
use super::places::{TEMPORARY, covered, secrets, system, toolchains};
use super::policy::{Network, SandboxPolicy, state_directory};
use super::scratch::Scratch;
use super::way::links_on;
use super::wire::{Bytes, View};
use crate::workspace::{Relative, Workspace};

/// Where names are resolved, as a link on many systems to a file that the view lacks.
const RESOLVER: &str = "/etc/resolv.conf";
/// `USER` when the program's environment has none.
const USER: &str = "user";

/// What is the same for all commands of a sandbox.
#[derive(Debug)]
pub(super) struct Ground {
    root: PathBuf,
    /// Links by which root and home are found, and what they lead to.
    links: Vec<(PathBuf, PathBuf)>,
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
        let named_home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let home = named_home.as_deref().and_then(|home| fs::canonicalize(home).ok());
        let own_home = home.filter(|home| !home.starts_with(&root) && can_be_emptied(home));
        let toolchains = own_home.as_deref().map(toolchains).unwrap_or_default();
        let secrets = own_home.iter().flat_map(|home| secrets(home, &toolchains, workspace.names()));
        let mut read: Vec<PathBuf> = real(&policy.read);
        if policy.network == Network::Allow {
            read.extend(fs::canonicalize(RESOLVER).ok().filter(|file| !file.starts_with("/etc")));
        }
        let mut covered: Vec<PathBuf> = covered();
        covered.extend(secrets);
        let named = named_home.iter().map(PathBuf::as_path).chain([workspace.root()]);
        let mut links: Vec<(PathBuf, PathBuf)> =
            named.filter(|path| path.is_absolute()).flat_map(links_on).collect();
        links.sort();
        links.dedup();
        let own = workspace.policy();
        covered.extend(policy.sealed.iter().chain(&own.sealed).cloned());
        covered.extend(fs::canonicalize(state_directory()).ok());
        let mut ground = Self {
            root,
            links,
            read,
            write: real(&policy.write),
            home: own_home,
            toolchains,
            covered,
            path: String::new(),
            user: user(),
        };
        ground.path = env::search_path(std::env::var("PATH").ok().as_deref(), |path| ground.usable(path));
        Ok(ground)
    }

    /// The directory in the view in which programs may be looked up: it exists and no command can change it.
    fn usable(&self, directory: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(directory).ok().filter(|real| real.is_dir())?;
        let below = |place: &Path| real.starts_with(place);
        let in_toolchain = self.toolchains.iter().any(|place| below(place));
        let writable = below(&self.root)
            || self.write.iter().any(|place| below(place))
            || TEMPORARY.iter().any(|place| below(Path::new(place)))
            || (self.home.as_deref().is_some_and(below) && !in_toolchain);
        // The system's own links are in the view, as `/bin` often is one.
        let is_system = system(Path::new("/")).iter().any(|place| directory.starts_with(place));
        (!writable).then(|| if is_system { directory.to_path_buf() } else { real })
    }

    /// The view of a command, with what is guarded around it.
    pub(super) fn view(&self, workspace: &Workspace, guarded: &Guarded, private: Option<&Private>) -> View {
        let bytes = |paths: &[PathBuf]| paths.iter().cloned().map(Bytes).collect::<Vec<_>>();
        // Looked up for each command: a journal comes to be with its first row.
        let there = |files: &[PathBuf]| -> Vec<PathBuf> {
            files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect()
        };
        let sealed = there(&workspace.policy().sealed_files);
        let mut operators = there(&workspace.policy().guarded_files);
        operators.retain(|file| file.starts_with(&self.root));
        let at = |path: &Relative| self.root.join(path.as_path());
        let named = workspace.names().guarded().map(at);
        let held = self.ways_to(
            self.covered
                .iter()
                .chain(&sealed)
                .cloned()
                .chain(named)
                .chain(guarded.led_to().map(|path| at(&path))),
        );
        let (covered, frozen) = guarded.covered_and_frozen();
        // What commands start in is neither, whatever leads to it.
        let outside = |rule: Rule| {
            let of_rule = guarded.outside.iter().filter(move |(_, other)| *other == rule);
            of_rule.map(|(path, _)| path.clone()).filter(|path| !self.root.starts_with(path))
        };
        let own = |paths: Vec<Relative>, rule: Rule| -> Vec<PathBuf> {
            paths.iter().map(at).chain(outside(rule)).collect()
        };
        let covered = own(covered, Rule::Cover);
        let frozen = own(frozen, Rule::Freeze);
        let covered = [&self.covered, &covered, &sealed].map(|places| bytes(places)).concat();
        let frozen = [&frozen, &operators].map(|places| bytes(places)).concat();
        View {
            root: Bytes(self.root.clone()),
            links: self.links.iter().map(|(link, to)| (Bytes(link.clone()), Bytes(to.clone()))).collect(),
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

    /// The places that commands may change.
    pub(super) fn changed(&self) -> Vec<&Path> {
        std::iter::once(&self.root).chain(&self.write).map(PathBuf::as_path).collect()
    }

    /// The workspace, without links.
    pub(super) fn root(&self) -> &Path {
        &self.root
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

/// Whether a home may be an empty one in the view: not when it is a part of the system, as for many daemons.
fn can_be_emptied(home: &Path) -> bool {
    home.parent().is_some() && !system(Path::new("/")).iter().any(|place| home.starts_with(place))
}

fn user() -> String {
    let mut named = ["USER", "LOGNAME"].iter().filter_map(|name| std::env::var(name).ok());
    named.find(|name| !name.is_empty()).unwrap_or_else(|| USER.to_owned())
}
