//! Where a link leads: every further link on the way, and the end, which has no link in it.
//!
//! Read-only and by names: what is found is guarded, and nothing is opened by it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::workspace::Relative;

/// Links that the kernel follows at most (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// The way from a link to what it leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Links below the root, in the order in which they are followed; the first is not among them.
    pub(super) links: Vec<Relative>,
    pub(super) end: End,
}

/// Where a way ends; there need not be anything.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Below the root.
    Inside(Relative),
    /// Elsewhere; the root itself and what it lies in are elsewhere too.
    Outside(PathBuf),
    /// Links lead to each other.
    Nowhere,
}

/// Follows a path that is written in a directory, both of which may be what commands made of them.
pub(super) fn follow(root: &Path, directory: &Relative, target: &Path) -> Way {
    let mut links = Vec::new();
    let mut reached = if directory.is_root() { root.to_path_buf() } else { root.join(directory.as_path()) };
    // The components that are still to come, the next one last.
    let mut rest = components(target);
    let mut followed = 0;
    while let Some(part) = rest.pop() {
        match part.as_slice() {
            b"/" => reached = PathBuf::from("/"),
            b".." => drop(reached.pop()),
            name => {
                let next = reached.join(OsStr::from_bytes(name));
                let Ok(to) = fs::read_link(&next) else {
                    reached = next;
                    continue;
                };
                followed += 1;
                if followed > MOST_LINKS {
                    return Way { links, end: End::Nowhere };
                }
                links.extend(below(root, &next));
                rest.extend(components(&to));
            }
        }
    }
    let end = below(root, &reached).map_or(End::Outside(reached), End::Inside);
    Way { links, end }
}

/// The links on an absolute path, each with what it leads to, all of them without links before their last name.
pub(super) fn links_on(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut reached = PathBuf::new();
    for component in path.components() {
        let next = reached.join(component);
        reached = match next.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => match fs::canonicalize(&next) {
                Ok(real) => {
                    found.push((next, real.clone()));
                    real
                }
                Err(_) => return found,
            },
            _ => fs::canonicalize(&next).unwrap_or(next),
        };
    }
    found
}

/// The path below the root, unless it is the root or lies elsewhere.
fn below(root: &Path, path: &Path) -> Option<Relative> {
    let rest = path.strip_prefix(root).ok()?;
    let names = rest.components().map(|component| component.as_os_str().as_bytes());
    Some(Relative::from_components(names)).filter(|path| !path.is_root())
}

/// The components of a path, the last one first.
fn components(path: &Path) -> Vec<Vec<u8>> {
    let names = path.components().rev().filter(|component| *component != Component::CurDir);
    names.map(|component| component.as_os_str().as_bytes().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn relative(text: &str) -> Relative {
        Relative::from_components(text.split('/').map(str::as_bytes))
    }

    #[test]
    fn every_link_on_the_way_is_told_and_the_end_has_none() {
        let directory = tool_trials::directory();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("root");
        fs::create_dir_all(root.join("dot/files")).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        symlink("dot", root.join("d")).unwrap();
        symlink("files", root.join("dot/f")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let inside = |path: &str| End::Inside(relative(path));
        for (from, target, links, end) in [
            ("", "dot/files/bashrc", vec![], inside("dot/files/bashrc")),
            ("", "d/f/bashrc", vec!["d", "dot/f"], inside("dot/files/bashrc")),
            ("sub", "../d/./files", vec!["d"], inside("dot/files")),
            ("sub", "../not/there", vec![], inside("not/there")),
            ("", "../out", vec![], End::Outside(base.join("out"))),
            ("", ".", vec![], End::Outside(root.clone())),
            ("", "loop/x", vec!["loop"; MOST_LINKS], End::Nowhere),
        ] {
            let way = follow(&root, &relative(from), Path::new(target));
            let links: Vec<Relative> = links.into_iter().map(relative).collect();
            assert_eq!(way, Way { links, end }, "{from} {target}");
        }
        let absolute = follow(&root, &Relative::root(), &root.join("d/f"));
        assert_eq!(absolute.end, inside("dot/files"));
    }

    #[test]
    fn links_on_a_path_are_told_without_links_before_them() {
        let directory = tool_trials::directory();
        let base = directory.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("var/home/u")).unwrap();
        symlink("var/home", base.join("home")).unwrap();
        symlink("u", base.join("var/home/me")).unwrap();
        let found = links_on(&base.join("home/me/p"));
        let expected = [("home", "var/home"), ("var/home/me", "var/home/u")];
        assert_eq!(found, expected.map(|(link, to)| (base.join(link), base.join(to))));
        assert_eq!(links_on(&base.join("var/home/u")), []);
    }
}
