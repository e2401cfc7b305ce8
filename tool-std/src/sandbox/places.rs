//! The places of the view: which directories a command sees, where, and how (sandbox.md §8).
//!
//! One table of system places, and the list of mounts that follows from it and a plan; parents come before children.

use std::collections::VecDeque;
use std::ffi::CStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::wire::View;
use crate::workspace::{Class, Names, Relative};

/// Read-only parts of the system, if they exist.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/opt", "/etc", "/nix/store", "/gnu/store"];
/// Names in `/` that begin so are parts of the system too.
const LIBRARIES: &str = "lib";
/// Covered in the system: directory, and how a name in it begins and ends.
const COVERED: [(&str, &str, &str); 6] = [
    ("/etc", "shadow", ""),
    ("/etc", "gshadow", ""),
    ("/etc", "sudoers", ""),
    ("/etc/ssh", "", "_key"),
    ("/etc/ssl", "private", ""),
    ("/etc", "krb5.keytab", ""),
];
/// Directories of the home that hold programs.
const TOOLCHAINS: [&str; 14] = [
    ".cargo",
    ".rustup",
    ".pyenv",
    ".nvm",
    ".volta",
    ".asdf",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".deno",
    ".bun",
    ".sdkman",
    ".ghcup",
    "go",
];
/// How deep, and among how many entries, secret names are looked for in each of them: what people put there lies at the top,
/// packages with keys for their tests at the bottom.
const SECRETS_DEPTH: usize = 2;
const SECRETS_ENTRIES: usize = 4_096;

/// The devices of the view.
pub(super) const SYSTEM_DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Places for files that end with the call.
pub(super) const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

const LARGE: &CStr = c"mode=1777,size=256m";
const SMALL: &CStr = c"mode=1777,size=64m";
const HOME: &CStr = c"mode=0700,size=256m";
const DEV: &CStr = c"mode=0755,size=64k";

/// How a place appears in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Link(PathBuf),
    Tmpfs(&'static CStr),
    Proc,
    ReadOnly,
    Writable,
}

/// One place of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) target: PathBuf,
    pub(super) kind: Kind,
}

impl Mount {
    fn new(target: impl Into<PathBuf>, kind: Kind) -> Self {
        Self { target: target.into(), kind }
    }

    /// A system place: a link stays one.
    fn system(target: PathBuf, old: &Path) -> Option<Self> {
        let at = old.join(target.strip_prefix("/").ok()?);
        let metadata = at.symlink_metadata().ok()?;
        let kind = if metadata.is_symlink() { Kind::Link(fs::read_link(at).ok()?) } else { Kind::ReadOnly };
        Some(Self { target, kind })
    }
}

/// Every place of a view, parents first; `old` is where the system's root is now.
pub(super) fn mounts(view: &View, old: &Path) -> Vec<Mount> {
    let mut mounts: Vec<Mount> =
        system(old).into_iter().filter_map(|path| Mount::system(path, old)).collect();
    mounts.extend([
        Mount::new("/tmp", Kind::Tmpfs(LARGE)),
        Mount::new("/var/tmp", Kind::Tmpfs(LARGE)),
        Mount::new("/dev", Kind::Tmpfs(DEV)),
        Mount::new("/dev/shm", Kind::Tmpfs(SMALL)),
        Mount::new("/proc", Kind::Proc),
    ]);
    mounts.extend(view.links.iter().filter_map(|(link, to)| {
        let places = view.read.iter().chain(&view.write).chain(&view.toolchains).chain([&view.root]);
        let is_there = places.map(|place| &**place).any(|place| link.starts_with(place));
        let is_system = system(old).iter().any(|place| link.starts_with(place));
        (!is_there && !is_system).then(|| Mount::new(&**link, Kind::Link(to.to_path_buf())))
    }));
    mounts.extend(view.home.iter().map(|home| Mount::new(&**home, Kind::Tmpfs(HOME))));
    let read = view.read.iter().chain(&view.toolchains);
    mounts.extend(read.map(|place| Mount::new(&**place, Kind::ReadOnly)));
    mounts.extend(view.write.iter().map(|place| Mount::new(&**place, Kind::Writable)));
    mounts.push(Mount::new(&*view.root, Kind::Writable));
    mounts.sort_by_key(|mount| mount.target.components().count());
    mounts
}

/// The system places below a root.
pub(super) fn system(root: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let names =
        fs::read_dir(root).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.file_name());
    let libraries = names.filter(|name| name.to_string_lossy().starts_with(LIBRARIES));
    places.extend(libraries.map(|name| Path::new("/").join(name)));
    places
}

/// The places of the system that are covered.
pub(super) fn covered() -> Vec<PathBuf> {
    let row = |(directory, start, end): &(&str, &str, &str)| {
        let names = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
        let (start, end) = (start.to_string(), end.to_string());
        names.map(|entry| entry.path()).filter(move |path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&start) && name.ends_with(&end)
        })
    };
    COVERED.iter().flat_map(row).collect()
}

/// The toolchain directories of a home that exist.
pub(super) fn toolchains(home: &Path) -> Vec<PathBuf> {
    let paths = TOOLCHAINS.iter().map(|name| home.join(name));
    paths.filter(|path| path.symlink_metadata().is_ok_and(|found| !found.is_symlink())).collect()
}

/// What in the toolchain directories of a home is secret by its name, and what links of such names lead to.
pub(super) fn secrets(home: &Path, toolchains: &[PathBuf], names: &Names) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for toolchain in toolchains {
        let mut entries = 0;
        let mut directories = VecDeque::from([(toolchain.clone(), 0)]);
        while let Some((directory, depth)) = directories.pop_front() {
            for entry in fs::read_dir(&directory).into_iter().flatten().filter_map(Result::ok) {
                entries += 1;
                if entries > SECRETS_ENTRIES {
                    directories.clear();
                    break;
                }
                let path = entry.path();
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_secret(home, &path, names) {
                    found.extend(fs::canonicalize(&path));
                } else if is_directory && depth + 1 < SECRETS_DEPTH {
                    directories.push_back((path, depth + 1));
                }
            }
        }
    }
    found
}

/// Whether a path below a home has a secret name.
fn is_secret(home: &Path, path: &Path, names: &Names) -> bool {
    let components = path.strip_prefix(home).into_iter().flat_map(Path::components);
    let relative = Relative::from_components(components.map(|component| component.as_os_str().as_bytes()));
    names.class(&relative) == Some(Class::Secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::wire::Bytes;

    #[test]
    fn parents_are_mounted_before_what_lies_in_them_and_the_workspace_over_an_empty_place() {
        let view = View {
            root: Bytes("/tmp/w".into()),
            links: vec![(Bytes("/link".into()), Bytes("/tmp/w".into()))],
            read: vec![],
            write: vec![],
            home: Some(Bytes("/home/u".into())),
            toolchains: vec![Bytes("/home/u/.cargo".into())],
            held: vec![],
            covered: vec![],
            frozen: vec![],
            private: None,
        };
        let mounts = mounts(&view, Path::new("/"));
        let place = |path: &str| mounts.iter().position(|mount| mount.target == Path::new(path)).unwrap();
        assert!(place("/tmp") < place("/tmp/w"));
        assert!(place("/home/u") < place("/home/u/.cargo"));
        assert!(place("/dev") < place("/dev/shm"));
        assert_eq!(mounts[place("/link")].kind, Kind::Link("/tmp/w".into()));
        assert_eq!(mounts[place("/tmp/w")].kind, Kind::Writable);
    }
}
