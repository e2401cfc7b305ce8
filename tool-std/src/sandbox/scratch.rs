//! Directories of the sandbox's own outside the workspace, with names that nobody else has; removed when dropped.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::rand::{GetRandomFlags, getrandom};

use super::places::TEMPORARY;

/// How every name of the sandbox's own begins.
const PREFIX: &str = "toolbox-";

/// A new directory among the temporary files, in none of the places that commands may change.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one that only this user reaches, and that is below none of these places.
    pub(super) fn make(what: &str, changed: &[&Path]) -> io::Result<Self> {
        let name = unique(what)?;
        let mut refused = io::Error::other("every place for temporary files is one that commands may change");
        for place in temporary() {
            if changed.iter().any(|changed| place.starts_with(changed)) {
                continue;
            }
            let path = place.join(&name);
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Removes what programs that were killed left behind.
    pub(super) fn sweep() {
        for stale in temporary().iter().flat_map(|place| left_behind(place)) {
            let _ = fs::remove_dir_all(stale);
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The places for temporary files: the one that is set, and those of the system.
fn temporary() -> Vec<PathBuf> {
    let system = TEMPORARY.iter().map(PathBuf::from);
    let places = std::iter::once(std::env::temp_dir()).chain(system);
    places.filter_map(|place| fs::canonicalize(place).ok()).collect()
}

/// A name that has not been used before; it says whose it is.
pub(super) fn unique(what: &str) -> io::Result<String> {
    let mut random = [0; 8];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(format!("{PREFIX}{what}-{}-{:016x}", std::process::id(), u64::from_ne_bytes(random)))
}

/// What programs that were killed left behind in a directory, of this user's.
pub(super) fn left_behind(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.filter(|entry| entry.file_name().to_str().and_then(maker).is_some_and(is_gone)).filter_map(
        move |entry| {
            let metadata = entry.metadata().ok()?;
            (metadata.is_dir() && metadata.uid() == user).then(|| entry.path())
        },
    )
}

/// The process that made a name.
fn maker(name: &str) -> Option<u32> {
    let mut parts = name.strip_prefix(PREFIX)?.rsplit('-').skip(1);
    parts.next()?.parse().ok()
}

fn is_gone(process: u32) -> bool {
    !Path::new("/proc").join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_directories_of_one_program_are_two_and_both_are_removed() {
        let (one, other) = (Scratch::make("test", &[]).unwrap(), Scratch::make("test", &[]).unwrap());
        let paths = [one.path().to_owned(), other.path().to_owned()];
        assert_ne!(paths[0], paths[1]);
        fs::write(paths[0].join("file"), "").unwrap();
        assert!(left_behind(&std::env::temp_dir()).all(|path| !paths.contains(&path)));
        drop((one, other));
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn a_place_that_commands_may_change_holds_none_of_them() {
        let usual = fs::canonicalize(std::env::temp_dir()).unwrap();
        let elsewhere = Scratch::make("test", &[&usual]).unwrap();
        assert!(elsewhere.path().is_dir() && !elsewhere.path().starts_with(&usual));
        let nowhere = Scratch::make("test", &[Path::new("/")]).unwrap_err().to_string();
        assert!(nowhere.contains("every place"), "{nowhere}");
    }

    #[test]
    fn what_a_dead_program_made_is_left_behind_and_what_is_no_name_of_ours_is_not() {
        let directory = tool_trials::directory();
        let dead = u32::MAX;
        for name in
            [format!("toolbox-call-{dead}-00"), "toolbox-notes".to_owned(), format!("other-{dead}-00")]
        {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        let left: Vec<PathBuf> = left_behind(directory.path()).collect();
        assert_eq!(left, [directory.path().join(format!("toolbox-call-{dead}-00"))]);
    }
}
