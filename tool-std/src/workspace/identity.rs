//! Which file it is, whatever it is called: device and inode, and by which names a path of the operator leads where in
//! the tree.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::Stat;

use super::path::Relative;

/// Links of one path, as many as the system follows.
const LINKS: usize = 40;

/// Whether a file is one of those that have these names now.
pub(crate) fn is_one_of(file: &Stat, names: &[PathBuf]) -> bool {
    names
        .iter()
        .filter_map(|name| rustix::fs::stat(name).ok())
        .any(|named| (named.st_dev, named.st_ino) == (file.st_dev, file.st_ino))
}

/// Where a path of the operator leads, and by what.
#[derive(Debug, Default)]
pub(crate) struct Way {
    /// Where it ends below the root, if it does; it need not exist.
    pub(crate) place: Option<Relative>,
    /// The links below the root that it follows: whoever replaces one of them replaces what the path means.
    pub(crate) links: Vec<Relative>,
    /// The directories below the root that it enters and leaves again by `..`: the same holds for them.
    pub(crate) left: Vec<Relative>,
}

/// Follows a path of the operator as the system would, below the real root.
pub(crate) fn way(real_root: &Path, path: &Path) -> Way {
    let mut way = Way::default();
    let Ok(path) = std::path::absolute(path) else { return way };
    let mut ahead: Vec<OsString> = names(&path).collect();
    let mut here = PathBuf::from("/");
    let mut followed = 0;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            way.left.extend(below(real_root, &here));
            here.pop();
            continue;
        }
        let next = here.join(name);
        let Ok(target) = std::fs::read_link(&next) else {
            here = next;
            continue;
        };
        way.links.extend(below(real_root, &next));
        followed += 1;
        if followed > LINKS {
            return way;
        }
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        ahead.extend(names(&target));
    }
    way.place = below(real_root, &here);
    way
}

/// The names of a path, the first one last.
fn names(path: &Path) -> impl Iterator<Item = OsString> {
    let ordinary = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().rev().filter(ordinary).map(|part| part.as_os_str().to_owned())
}

/// A path without links as one below the root.
fn below(real_root: &Path, path: &Path) -> Option<Relative> {
    let inside = path.strip_prefix(real_root).ok()?;
    let relative = Relative::from_components(
        inside.as_os_str().as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()),
    );
    (!relative.is_root()).then_some(relative)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn as_many_links_are_followed_as_the_system_follows() {
        let root = tool_trials::directory();
        let at = |name: &str| root.path().join(name);
        let real_root = std::fs::canonicalize(root.path()).unwrap();
        std::fs::write(at("0"), "x").unwrap();
        for link in 1..=LINKS + 1 {
            symlink((link - 1).to_string(), at(&link.to_string())).unwrap();
        }
        let from = |link: usize| way(&real_root, &real_root.join(link.to_string()));
        let (last, beyond) = (from(LINKS), from(LINKS + 1));
        assert_eq!(last.place, Some(Relative::from_components([b"0".as_slice()])));
        assert_eq!(last.links.len(), LINKS);
        assert_eq!(beyond.place, None, "the system follows no more");
        assert!(std::fs::metadata(at(&LINKS.to_string())).is_ok());
        assert!(std::fs::metadata(at(&(LINKS + 1).to_string())).is_err());
    }

    #[test]
    fn a_path_through_a_link_that_leads_to_itself_has_no_place() {
        let root = tool_trials::directory();
        let real_root = std::fs::canonicalize(root.path()).unwrap();
        symlink("loop", real_root.join("loop")).unwrap();
        assert_eq!(way(&real_root, &real_root.join("loop")).place, None);
    }
}
