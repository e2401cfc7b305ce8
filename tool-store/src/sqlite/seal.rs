//! The sealed head: number and hash of the chain's end, in a file beside the database. (journal.md §9)
//!
//! A chain alone cannot show a lost tail. Two slots with checksums are written in turn, so that a torn write leaves the other
//! one. A thread of its own writes them: callers do not wait for it, and a seal that lags behind says nothing false.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest as _, Sha256};
use tool_core::journal::chain::Head;
use tool_core::journal::{JournalError, Result};

use super::backend::TURN;

/// The size of a slot.
const SLOT: usize = 128;

/// What a slot begins with.
const MAGIC: &[u8; 8] = b"TOOLSEAL";

/// It is synced at least after so many entries…
const SYNC_ENTRIES: u64 = 64;

/// … or this much time.
const SYNC_TIME: Duration = Duration::from_secs(1);

/// The sealed head of a journal; `None` when it never was sealed.
pub(crate) fn read(file: &File) -> Option<Head> {
    slots(file).into_iter().flatten().max_by_key(|head| head.n)
}

fn slots(file: &File) -> [Option<Head>; 2] {
    [0, SLOT].map(|at| {
        let mut slot = [0; SLOT];
        file.read_exact_at(&mut slot, at as u64).ok()?;
        decode(&slot)
    })
}

fn encode(head: Head) -> [u8; SLOT] {
    let mut slot = [0; SLOT];
    let content: Vec<u8> = [&MAGIC[..], &head.n.to_le_bytes(), &head.hash].concat();
    let sum = Sha256::digest(&content);
    for (byte, value) in slot.iter_mut().zip(content.iter().chain(sum.iter())) {
        *byte = *value;
    }
    slot
}

fn decode(slot: &[u8; SLOT]) -> Option<Head> {
    let (content, rest) = slot.split_at_checked(48)?;
    if !content.starts_with(MAGIC) || rest.get(..32)? != Sha256::digest(content).as_slice() {
        return None;
    }
    let n = u64::from_le_bytes(content.get(8..16)?.try_into().ok()?);
    Some(Head { n, hash: content.get(16..48)?.try_into().ok()? })
}

/// Opens the file of a seal.
pub(crate) fn open(journal: &Path) -> Result<File> {
    let path = journal.with_extension("seal");
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
    file.map_err(|error| JournalError::unavailable(format!("{}: {error}", path.display())))
}

/// The turn of one process to open a journal, until it is dropped: a lock of its own on the file of the seal.
pub(crate) fn turn(journal: &Path) -> Result<File> {
    let file = open(journal)?;
    let began = Instant::now();
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if began.elapsed() < TURN_MAX => thread::sleep(TURN),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(JournalError::unavailable(
                    "Another process has been opening the journal for too long.",
                ));
            }
            Err(errno) => return Err(JournalError::unavailable(std::io::Error::from(errno).to_string())),
        }
    }
}

/// How long other processes may take to open a journal.
const TURN_MAX: Duration = Duration::from_secs(10);

/// The thread that writes the seal.
#[derive(Debug)]
pub(crate) struct Sealer {
    heads: Option<Sender<Head>>,
    thread: Option<JoinHandle<()>>,
}

impl Sealer {
    pub(crate) fn start(file: File) -> Result<Sealer> {
        let (heads, received) = channel();
        let thread = thread::Builder::new().name("journal-seal".to_owned());
        let thread = thread.spawn(move || serve(&file, &received));
        let thread = thread.map_err(|error| JournalError::unavailable(error.to_string()))?;
        Ok(Sealer { heads: Some(heads), thread: Some(thread) })
    }

    /// Seals a committed head.
    pub(crate) fn seal(&self, head: Head) {
        if let Some(heads) = &self.heads {
            let _ = heads.send(head);
        }
    }
}

impl Drop for Sealer {
    fn drop(&mut self) {
        drop(self.heads.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(file: &File, heads: &Receiver<Head>) {
    let mut synced = read(file).unwrap_or_default().n;
    let mut written = synced;
    let mut since = Instant::now();
    loop {
        let wait = if written == synced { Duration::from_secs(3600) } else { SYNC_TIME };
        let head = match heads.recv_timeout(wait) {
            // Only the newest matters.
            Ok(head) => Some(heads.try_iter().last().unwrap_or(head)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let _ = file.sync_data();
                return;
            }
        };
        if let Some(head) = head {
            fail::fail_point!("seal.before_write");
            if let Err(error) = write(file, head) {
                tracing::error!(target: "toolbox::journal", %error, "the journal's seal was not written");
                continue;
            }
            if written == synced {
                since = Instant::now();
            }
            written = written.max(head.n);
        }
        let due = written - synced >= SYNC_ENTRIES || (written > synced && since.elapsed() >= SYNC_TIME);
        if due && file.sync_data().is_ok() {
            synced = written;
        }
    }
}

/// Writes the older slot, never backwards, under the lock that other processes take too.
fn write(file: &File, head: Head) -> std::io::Result<()> {
    flock(file, FlockOperation::LockExclusive)?;
    let [first, second] = slots(file).map(|slot| slot.map_or(0, |head| head.n));
    let result = if head.n > first.max(second) {
        file.write_all_at(&encode(head), if first <= second { 0 } else { SLOT as u64 })
    } else {
        Ok(())
    };
    flock(file, FlockOperation::Unlock)?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_slot_leaves_the_other_one() {
        let folder = tool_trials::directory();
        let file = open(&folder.path().join("journal.db")).unwrap();
        assert_eq!(read(&file), None);
        let heads = [1, 2, 3].map(|n| Head { n, hash: [n as u8; 32] });
        for head in heads {
            write(&file, head).unwrap();
        }
        assert_eq!(read(&file), Some(heads[2]));
        file.write_all_at(b"torn", 60).unwrap();
        assert_eq!(read(&file), Some(heads[1]));
        write(&file, heads[0]).unwrap();
        assert_eq!(read(&file), Some(heads[1]), "a seal never goes backwards");
    }
}
