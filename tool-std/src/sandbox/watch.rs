//! Guarded places that changed while a command ran: found by comparing before and after, moved away unless what is new is
//! harmless, and put back as they were (sandbox.md §3).
//!
//! Who changed them is not known: a rename by somebody else on the host drops the mount that kept the command from writing
//! there. So nothing is lost: the new file is in the quarantine, and the former one is where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::git_directory::{named_by_file, path, runs_commands};
use super::git_programs::programs;
use super::guarded::{Guarded, Part, Place, Search};
use super::kept::{Kept, read};
use super::quarantine::Quarantine;
use super::way::{End, follow};
use crate::workspace::Relative;

/// Bytes of everything that is kept of one command's surroundings.
const KEPT_BYTES: u64 = 8_388_608;
/// What a linked worktree says of its common directory.
const USUAL_COMMON_DIRECTORY: &[u8] = b"../..";

/// What a file is, as far as a command may not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    /// Device and number.
    number: (u64, u64),
    /// When it was made, where that is known: numbers are given again.
    made: Option<SystemTime>,
    /// Size and last change, where nothing else keeps a command from writing into it.
    content: Option<(u64, i64, i64)>,
}

impl Identity {
    fn of(file: &Metadata) -> Self {
        Self { number: (file.dev(), file.ino()), made: file.created().ok(), content: None }
    }

    fn with_content(file: &Metadata) -> Self {
        let content = Some((file.len(), file.ctime(), file.ctime_nsec()));
        Self { content, ..Self::of(file) }
    }
}

/// A guarded place before the command.
#[derive(Debug)]
struct Before {
    identity: Identity,
    /// The directory that it is in.
    directory: Option<Identity>,
    kept: Option<Kept>,
}

/// What became of guarded places, by the names that results have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cleared {
    /// What was moved away.
    pub(super) quarantined: Vec<String>,
    /// Of that, where the former file was put back.
    pub(super) restored: Vec<String>,
    /// What should have been moved away and could not be.
    pub(super) left: Vec<String>,
    /// What led to more than is looked at, before the command already.
    pub(super) beyond: Vec<String>,
}

/// The guarded places around a command, as they were before it.
#[derive(Debug)]
pub(super) struct Watch {
    search: Search,
    before: BTreeMap<Vec<u8>, Before>,
    /// What could not be looked into before, or not to its end.
    unreadable: BTreeSet<Vec<u8>>,
    beyond: BTreeSet<Vec<u8>>,
    quarantine: PathBuf,
}

/// What is done about a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Stays,
    Goes,
    /// What led here goes, so this is nothing special any more.
    Released,
}

impl Watch {
    /// Notes what a search has found, and keeps what is small.
    pub(super) fn begin(search: Search, found: Guarded, quarantine: PathBuf) -> Self {
        let (unreadable, beyond) = (found.unreadable, found.beyond);
        let mut watch = Self { search, before: BTreeMap::new(), unreadable, beyond, quarantine };
        let mut room = KEPT_BYTES;
        for (path, place) in &found.places {
            let relative = relative(path);
            let kept = Kept::of(&watch.search.at(&relative), &place.metadata);
            let kept = kept.filter(|kept| kept.bytes() <= room);
            room -= kept.as_ref().map_or(0, Kept::bytes);
            let (identity, directory) = (watch.identity(place), watch.directory_of(&relative));
            watch.before.insert(path.clone(), Before { identity, directory, kept });
        }
        watch
    }

    fn identity(&self, place: &Place) -> Identity {
        let is_open = self.search.is_open || place.part.is_written();
        // What lies in a directory is watched by itself.
        match is_open && !place.metadata.is_dir() {
            true => Identity::with_content(&place.metadata),
            false => Identity::of(&place.metadata),
        }
    }

    fn directory_of(&self, path: &Relative) -> Option<Identity> {
        let metadata = self.search.at(&path.parent()?).symlink_metadata().ok()?;
        Some(Identity::of(&metadata))
    }

    /// Moves away what is new, replaced or, where no mount forbids it, written, and puts back what was there.
    pub(super) fn end(&self) -> Cleared {
        let found = self.search.run();
        let mut verdicts = BTreeMap::new();
        for path in found.places.keys() {
            self.judge(path, &found, &mut verdicts);
        }
        let goes =
            verdicts.into_iter().filter(|(_, verdict)| *verdict == Verdict::Goes).map(|(path, _)| path);
        let hidden = found.unreadable.difference(&self.unreadable).cloned();
        // What was made so large that it is not looked at is as bad as what cannot be.
        let beyond = found.beyond.difference(&self.beyond).cloned();
        let mut paths: Vec<Relative> = goes.chain(hidden).chain(beyond).map(|path| relative(&path)).collect();
        paths.sort_by(|one, other| one.components().cmp(other.components()));
        paths.dedup();
        let beyond = self.beyond.iter().map(|path| relative(path).shown()).collect();
        Cleared { beyond, ..self.clear(&paths) }
    }

    fn clear(&self, paths: &[Relative]) -> Cleared {
        let mut cleared = Cleared::default();
        let mut gone: Vec<&Relative> = Vec::new();
        let mut quarantine = Quarantine::new(&self.search.workspace, &self.search.root, &self.quarantine);
        for path in paths {
            // What lies in something that was moved went with it.
            if gone.iter().any(|above| path.starts_with(above)) {
                continue;
            }
            // A directory that commands start in cannot be moved.
            let taken = match self.search.is_around(path) {
                true => Err(std::io::ErrorKind::PermissionDenied.into()),
                false => quarantine.take(path),
            };
            match taken {
                Ok(true) => {
                    gone.push(path);
                    cleared.quarantined.push(path.shown());
                    if self.put_back(path, &quarantine) {
                        cleared.restored.push(path.shown());
                    }
                }
                // Another command's end was first.
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, path = path.shown(), "a protected path could not be moved away");
                    cleared.left.push(path.shown());
                }
            }
        }
        cleared
    }

    /// Puts back what was there, if it still is the same directory.
    fn put_back(&self, path: &Relative, quarantine: &Quarantine<'_>) -> bool {
        let Some(Before { directory, kept: Some(kept), .. }) = self.before.get(path.as_bytes()) else {
            return false;
        };
        if *directory != self.directory_of(path) {
            return false;
        }
        let done = quarantine.put_back(path, kept);
        if let Err(error) = &done {
            tracing::warn!(%error, path = path.shown(), "a protected file could not be put back");
        }
        done.is_ok()
    }

    fn judge(&self, path: &[u8], found: &Guarded, verdicts: &mut BTreeMap<Vec<u8>, Verdict>) -> Verdict {
        if let Some(verdict) = verdicts.get(path) {
            return *verdict;
        }
        let Some(place) = found.places.get(path) else { return Verdict::Stays };
        let led = match &place.via {
            Some(via) => self.judge(via, found, verdicts),
            None => Verdict::Stays,
        };
        let before = self.before.get(path);
        let verdict = if led != Verdict::Stays {
            Verdict::Released
        } else if before.is_some_and(|before| before.identity == self.identity(place))
            || self.is_harmless(path, place, before.and_then(|before| before.kept.as_ref()))
        {
            Verdict::Stays
        } else {
            Verdict::Goes
        };
        verdicts.insert(path.to_vec(), verdict);
        verdict
    }

    /// Whether what is new does nothing that what was there before did not.
    fn is_harmless(&self, path: &[u8], place: &Place, before: Option<&Kept>) -> bool {
        let (is_kept_out, path) = (self.was_frozen(path), self.search.at(&relative(path)));
        if let Some(before) = before
            && Kept::of(&path, &place.metadata).is_some_and(|now| now.is_like(before))
        {
            return true;
        }
        let text = || place.metadata.is_file().then(|| read(&path)).flatten();
        match &place.part {
            Part::Name | Part::Link => false,
            Part::Hooks => true,
            Part::Hook => is_kept_out,
            Part::Config(git) => {
                let named = |text: &[u8]| programs(text, |tree| self.is_inside(git, tree));
                let known = before.and_then(Kept::text).and_then(named).unwrap_or_default();
                text().and_then(|text| named(&text)).is_some_and(|now| now.is_subset(&known))
            }
            Part::CommonDirectory { of_worktree } => {
                *of_worktree && text().is_some_and(|text| text.trim_ascii_end() == USUAL_COMMON_DIRECTORY)
            }
            Part::Todo => text().is_some_and(|todo| !runs_commands(&todo)),
            // What it names below the root is looked at by itself.
            Part::GitFile => text().is_some_and(|text| self.names_inside(&path, &text)),
        }
    }

    /// Whether a place lies in a directory that was frozen for the command, and still is the same: somebody else wrote there.
    fn was_frozen(&self, path: &[u8]) -> bool {
        let directory = relative(path).parent().unwrap_or_default();
        let before = self.before.get(directory.as_bytes());
        !self.search.is_open
            && before.is_some_and(|before| Some(before.identity) == self.directory_of(&relative(path)))
    }

    /// Whether a `.git` that is a file names a directory below the root.
    fn names_inside(&self, file: &Path, text: &[u8]) -> bool {
        let named = named_by_file(text).zip(file.parent());
        named.is_some_and(|(named, directory)| {
            let way = follow(&self.search.root, &Relative::root(), &directory.join(named));
            matches!(way.end, End::Inside(_))
        })
    }

    /// Whether a tree that a configuration names is below the root, where commands may change it anyway.
    fn is_inside(&self, git: &Relative, tree: &[u8]) -> bool {
        let end = follow(&self.search.root, git, &path(tree)).end;
        matches!(end, End::Inside(_)) || end == End::Outside(self.search.root.clone())
    }
}

fn relative(path: &[u8]) -> Relative {
    Relative::from_components(path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()))
}
