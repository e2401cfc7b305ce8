//! Evidence of a change: written durably just before the change is made, so that later somebody can tell whether it was, and
//! undo it (files.md §13).
//!
//! One file per call under `STATE/effects`: a line of JSON and, up to a limit, the old bytes. Only calls that a journal
//! records leave evidence; [`crate::file`]'s handlers judge by it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tool_core::ToolError;

use super::open::{Handle, Refused};
use super::path::Relative;
use super::undo_bytes::make_room;
use super::{Workspace, refusal};

/// Bytes read at once.
const PIECE: usize = 65_536;

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    /// A file gets other bytes, or comes to be.
    Written,
    /// A file gets more bytes.
    Appended,
    /// A name comes to mean what another one meant.
    Moved,
    /// A name comes to mean a new file or tree.
    Copied,
    /// A name goes.
    Deleted,
    /// Directories come to be.
    Made,
}

/// What a name means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// Device and number; none of what only its content tells.
    pub(crate) id: Option<(u64, u64)>,
    /// Bytes, of a file.
    pub(crate) size: u64,
    /// SHA-256 of the bytes, where they were looked at.
    pub(crate) sha256: Option<String>,
    /// Whose it is and who may do what; none of what only its content tells.
    #[serde(default)]
    pub(crate) access: Option<Access>,
}

/// Whose a file is, and its permission bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Access {
    pub(crate) mode: u32,
    pub(crate) user: u32,
    pub(crate) group: u32,
}

impl Access {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self { mode: stat.st_mode, user: stat.st_uid, group: stat.st_gid }
    }
}

impl Seen {
    /// By its identity alone.
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            id: Some((stat.st_dev, stat.st_ino)),
            size: stat.st_size.cast_unsigned(),
            sha256: None,
            access: Some(Access::of(stat)),
        }
    }

    /// By its content alone.
    pub(crate) fn content(parts: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        parts.iter().for_each(|part| digest.update(part));
        let size = parts.iter().map(|part| part.len() as u64).sum();
        let sha256 = Some(tool_core::canonical::hex(&digest.finalize()));
        Self { id: None, size, sha256, access: None }
    }
}

/// What a change can be recognised and undone by.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Evidence {
    /// What is done.
    pub(crate) deed: Deed,
    /// Device and number of the root of the workspace.
    pub(crate) root: (u64, u64),
    /// The name that changes, in the form that path arguments accept.
    pub(crate) path: String,
    /// Where it was, of what is moved.
    pub(crate) from: Option<String>,
    /// What the name meant.
    pub(crate) before: Option<Seen>,
    /// What it will mean.
    pub(crate) after: Option<Seen>,
    /// Names of directories that come to be, or that were made for what comes to be, from the top.
    pub(crate) made: Vec<String>,
    /// What the call answers when it is done.
    pub(crate) output: Value,
    /// Old bytes that follow; none kept is less than there were.
    pub(crate) old_bytes: Option<u64>,
}

/// A change that is about to be made.
pub(crate) struct Intent<'a> {
    pub(crate) deed: Deed,
    pub(crate) path: &'a Relative,
    pub(crate) from: Option<&'a Relative>,
    pub(crate) before: Option<Seen>,
    pub(crate) after: Option<Seen>,
    pub(crate) made: Vec<Relative>,
    pub(crate) old: Option<&'a [u8]>,
    pub(crate) output: Value,
}

impl<'a> Intent<'a> {
    /// A change of a name and nothing else known.
    pub(crate) fn new(deed: Deed, path: &'a Relative, output: impl Serialize) -> Self {
        let output = serde_json::to_value(output).unwrap_or_default();
        Self { deed, path, from: None, before: None, after: None, made: Vec::new(), old: None, output }
    }
}

impl Workspace {
    /// Whether the running call leaves evidence.
    pub(crate) fn is_recorded(&self) -> bool {
        self.evidence_place().is_some()
    }

    /// Keeps evidence of a change of the running call, durably. Without a journal, nothing.
    ///
    /// # Errors
    /// `io_error`, `disk_full`: then the change must not be made.
    pub(crate) fn keep_evidence(&self, change: Intent<'_>) -> Result<(), ToolError> {
        let Some(place) = self.evidence_place() else { return Ok(()) };
        let given = change.path.shown();
        let limits = self.limits();
        let most = limits.max_edit_file_bytes.min(limits.undo_bytes);
        let old = change.old.filter(|old| old.len() as u64 <= most);
        let evidence = Evidence {
            deed: change.deed,
            root: self.root_id().map_err(|errno| refusal::system(&given, errno))?,
            path: given,
            from: change.from.map(Relative::shown),
            before: change.before,
            after: change.after,
            made: change.made.iter().map(Relative::shown).collect(),
            output: change.output,
            old_bytes: old.map(|old| old.len() as u64),
        };
        let failed = |error: io::Error| refusal::evidence(place.parent().unwrap_or(&place), &error);
        write(&place, &evidence, old.unwrap_or_default(), limits.undo_bytes).map_err(failed)
    }

    /// The evidence that a call left, with the old bytes where they are still kept.
    pub(crate) fn evidence(&self, key: &str) -> io::Result<Option<(Evidence, Option<Vec<u8>>)>> {
        let Some(place) = self.policy().effects.as_ref().map(|effects| effects.join(file_name(key))) else {
            return Ok(None);
        };
        let mut text = Vec::new();
        match File::open(place) {
            Ok(mut file) => file.read_to_end(&mut text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let line = text.iter().position(|byte| *byte == b'\n').ok_or(io::ErrorKind::InvalidData)?;
        let old = text.split_off(line + 1);
        let evidence: Evidence = serde_json::from_slice(&text)?;
        let is_kept = evidence.old_bytes == Some(old.len() as u64);
        Ok(Some((evidence, is_kept.then_some(old))))
    }

    /// Whether evidence is about this tree.
    pub(crate) fn is_about(&self, evidence: &Evidence) -> bool {
        self.root_id().is_ok_and(|root| root == evidence.root)
    }

    /// What a path means now; nothing where nothing is, or a link leads elsewhere on the way.
    ///
    /// # Errors
    /// Of what is there and cannot be looked at.
    pub(crate) fn seen_now(&self, path: &Relative) -> Result<Option<Handle>, Errno> {
        match self.opener().handle(path.as_path()) {
            Ok(handle) if handle.relative == *path => Ok(Some(handle)),
            Ok(_) | Err(Refused::System(Errno::NOENT | Errno::NOTDIR)) => Ok(None),
            Err(Refused::System(errno)) => Err(errno),
            Err(Refused::Mount) => Err(Errno::XDEV),
        }
    }

    /// What something is now, with its content where that could be kept.
    ///
    /// # Errors
    /// What the system refuses.
    pub(crate) fn seen(&self, file: &Handle) -> io::Result<Seen> {
        let seen = Seen::of(&file.stat);
        let is_small = seen.size <= self.limits().max_edit_file_bytes;
        match file.kind() == FileType::RegularFile && is_small && self.is_recorded() {
            true => Ok(Seen { sha256: Some(self.digest(file, u64::MAX)?.0), ..seen }),
            false => Ok(seen),
        }
    }

    /// The SHA-256 of the first bytes of a file, and how many there were.
    ///
    /// # Errors
    /// What the system refuses.
    pub(crate) fn digest(&self, file: &Handle, most: u64) -> io::Result<(String, u64)> {
        let mut open = file.reopen(OFlags::RDONLY)?.take(most);
        let (mut digest, mut buffer, mut total) = (Sha256::new(), vec![0; PIECE], 0);
        loop {
            match open.read(&mut buffer) {
                Ok(0) => return Ok((tool_core::canonical::hex(&digest.finalize()), total)),
                Ok(read) => {
                    digest.update(buffer.get(..read).unwrap_or_default());
                    total += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn root_id(&self) -> Result<(u64, u64), Errno> {
        let stat = rustix::fs::fstat(self.opener().root())?;
        Ok((stat.st_dev, stat.st_ino))
    }

    /// Where the evidence of the running call goes.
    fn evidence_place(&self) -> Option<PathBuf> {
        let effects = self.policy().effects.as_ref()?;
        let call = self.call.as_ref()?;
        call.running().is_some_and(|running| running.is_recorded()).then(|| {
            let key = call.idempotency_key();
            effects.join(file_name(key))
        })
    }
}

/// The name of a call's evidence: its key, or a digest of a key that a caller chose.
fn file_name(key: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    match key.starts_with("tk1_") && key.bytes().all(is_plain) {
        true => key.to_owned(),
        false => format!("x_{}", tool_core::canonical::hex(&Sha256::digest(key))),
    }
}

/// Removes the evidence of calls that are in no journal any more, by their keys; says how many there were.
///
/// # Errors
/// What the system refuses.
pub fn forget_evidence<'k>(effects: &Path, keys: impl IntoIterator<Item = &'k str>) -> io::Result<usize> {
    let mut gone = 0;
    for key in keys {
        match fs::remove_file(effects.join(file_name(key))) {
            Ok(()) => gone += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(gone)
}

/// Writes a file that is there whole, or not at all; older ones give up their old bytes for it.
fn write(place: &Path, evidence: &Evidence, old: &[u8], undo_bytes: u64) -> io::Result<()> {
    let mut line = serde_json::to_vec(evidence)?;
    line.push(b'\n');
    let folder = place.parent().unwrap_or(place);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if !old.is_empty() {
        make_room(folder, old.len() as u64, undo_bytes)?;
    }
    let name = super::temporary::random_name()?;
    let temporary = folder.join(name);
    let written = write_new(&temporary, &line, old).and_then(|()| fs::rename(&temporary, place));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    File::open(folder)?.sync_all()
}

fn write_new(place: &Path, line: &[u8], old: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place)?;
    file.write_all(line)?;
    file.write_all(old)?;
    file.sync_all()
}
