//! The entries of one open directory in the order of their bytes, in batches of bounded memory.
//!
//! A directory that holds more than one batch is read again for the next: the names before it are skipped, so a
//! directory that changes meanwhile neither repeats nor loses a name that stayed.

use std::collections::BinaryHeap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, RawDir, SeekFrom, seek, statat};
use rustix::io::Errno;
use tool_core::ToolError;

/// Bytes read from the kernel at once.
const BUFFER_BYTES: usize = 32_768;

/// A name with its type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pub(crate) name: Vec<u8>,
    kind: u32,
}

impl Item {
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.kind)
    }
}

/// Why a batch was not read.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The directory could not be read.
    System(Errno),
    /// The reader said stop.
    Stopped(ToolError),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Failure::System(errno)
    }
}

/// What becomes of a name that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is one of the listing.
    Yes,
    /// It is passed over.
    No,
    /// Neither it nor what follows is read.
    Stop,
}

/// Decides for each name, in the order of the directory. Asked once per name and pass.
pub(crate) type Keep<'a> = dyn FnMut(&[u8], FileType) -> Result<Kept, ToolError> + 'a;

/// The names of a directory that are still to come.
#[derive(Debug)]
pub(crate) struct Listing {
    directory: Arc<OwnedFd>,
    after: Option<Vec<u8>>,
    batch: Vec<Item>,
    capacity: usize,
    is_complete: bool,
    /// Passes over the directory so far.
    pub(crate) passes: usize,
}

impl Listing {
    /// The names behind `after`, at most `capacity` of them in memory.
    pub(crate) fn new(directory: OwnedFd, after: Option<Vec<u8>>, capacity: usize) -> Self {
        Self {
            directory: Arc::new(directory),
            after,
            batch: Vec::new(),
            capacity: capacity.max(1),
            is_complete: false,
            passes: 0,
        }
    }

    /// The directory.
    pub(crate) fn directory(&self) -> &Arc<OwnedFd> {
        &self.directory
    }

    /// The next name; a batch is read when it is needed.
    pub(crate) fn next(&mut self, keep: &mut Keep<'_>) -> Result<Option<Item>, Failure> {
        if self.batch.is_empty() && !self.is_complete {
            self.fill(keep)?;
        }
        Ok(self.batch.pop())
    }

    /// Reads the smallest names behind the last batch.
    pub(crate) fn fill(&mut self, keep: &mut Keep<'_>) -> Result<(), Failure> {
        self.passes += 1;
        seek(&*self.directory, SeekFrom::Start(0))?;
        let mut smallest: BinaryHeap<Item> = BinaryHeap::new();
        let mut is_complete = true;
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut entries = RawDir::new(&*self.directory, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            let is_before = self.after.as_deref().is_some_and(|after| name <= after);
            if matches!(name, b"." | b"..") || is_before {
                continue;
            }
            let Some(kind) = known(&self.directory, entry.file_name(), entry.file_type()) else { continue };
            match keep(name, kind).map_err(Failure::Stopped)? {
                Kept::Yes => {}
                Kept::No => continue,
                Kept::Stop => break,
            }
            if smallest.len() >= self.capacity {
                is_complete = false;
                if smallest.peek().is_some_and(|greatest| greatest.name.as_slice() < name) {
                    continue;
                }
                smallest.pop();
            }
            smallest.push(Item { name: name.to_vec(), kind: kind.as_raw_mode() });
        }
        self.batch = smallest.into_sorted_vec();
        self.is_complete = is_complete;
        if let Some(last) = self.batch.last() {
            self.after = Some(last.name.clone());
        }
        self.batch.reverse();
        Ok(())
    }
}

/// The type of an entry; some file systems do not say it in the listing. `None` when it is gone.
fn known(directory: &OwnedFd, name: &std::ffi::CStr, kind: FileType) -> Option<FileType> {
    match kind {
        FileType::Unknown => statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
            .ok()
            .map(|stat| FileType::from_raw_mode(stat.st_mode)),
        kind => Some(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(capacity: usize, after: Option<&str>, count: usize) -> Vec<String> {
        let dir = tool_trials::directory();
        for n in 0..count {
            std::fs::write(dir.path().join(format!("f{n:03}")), "").unwrap();
        }
        let open = std::fs::File::open(dir.path()).unwrap().into();
        let mut listing = Listing::new(open, after.map(|name| name.as_bytes().to_vec()), capacity);
        let mut names = Vec::new();
        while let Some(item) = listing.next(&mut |_, _| Ok(Kept::Yes)).unwrap() {
            names.push(String::from_utf8(item.name).unwrap());
        }
        names
    }

    #[test]
    fn batches_of_any_size_give_the_same_order() {
        let all: Vec<String> = (0..25).map(|n| format!("f{n:03}")).collect();
        for capacity in [1, 2, 24, 25, 26, 1_000] {
            assert_eq!(names(capacity, None, 25), all, "capacity {capacity}");
        }
        assert_eq!(names(4, Some("f010"), 25), all[11..]);
    }
}
