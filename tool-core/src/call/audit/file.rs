//! Audit rows as JSON Lines in a file that only its owner reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::{AuditRow, AuditSink};
use crate::error::ToolError;

/// Bytes of a file before it is put aside.
const ROTATE_AT: u64 = 64 * 1024 * 1024;

/// How many files that were put aside are kept.
const KEPT: usize = 10;

/// How long rows are kept.
const KEPT_FOR: Duration = Duration::from_secs(90 * 24 * 3_600);

/// How much longer the oldest row of the file may stay, so that the file is not written anew every day.
const SLACK: Duration = Duration::from_secs(24 * 3_600);

/// Bytes that are looked at for the first or the last row of a file.
const LOOK: u64 = 64 * 1024;

/// A file of rows, one a line. `audit.jsonl` is put aside as `audit.jsonl.1`, that as `audit.jsonl.2`, up to 10.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    rotate_at: u64,
    open: Mutex<Option<File>>,
    /// Whether this process has looked for rows that are too old.
    looked: AtomicBool,
}

impl JsonLines {
    /// Rows in a file, which is made when the first is written.
    pub fn new(path: impl Into<PathBuf>) -> JsonLines {
        let looked = AtomicBool::new(false);
        JsonLines { path: path.into(), rotate_at: ROTATE_AT, open: Mutex::new(None), looked }
    }

    /// Puts the file aside at another size.
    #[must_use]
    pub fn rotate_at(self, bytes: u64) -> JsonLines {
        JsonLines { rotate_at: bytes, ..self }
    }

    /// Reads the rows back, the newest first, as long as `go_on` wants more. A line that is torn or no row is passed over.
    ///
    /// # Errors
    /// `unavailable` for a file that is there and cannot be read.
    pub fn newest_first(&self, mut go_on: impl FnMut(Value) -> bool) -> Result<(), ToolError> {
        for path in self.files() {
            let text = match fs::read(&path) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    return Err(ToolError::unavailable("Audit rows could not be read.").source(error));
                }
            };
            let rows = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
            for row in rows {
                if !go_on(row) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The file and those that are put aside, there or not.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(self.path.clone()).chain((1..=KEPT).map(|number| self.aside(number)))
    }

    fn aside(&self, number: usize) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }

    fn rotate(&self) -> io::Result<()> {
        for number in (1..KEPT).rev() {
            let from = self.aside(number);
            if from.exists() {
                fs::rename(from, self.aside(number + 1))?;
            }
        }
        fs::rename(&self.path, self.aside(1))
    }

    /// Removes rows that are older than they are kept: files that were put aside as a whole, of the file itself its
    /// beginning. Asked once per process, since a command line writes one row and ends.
    fn forget(&self, now_ms: u64) -> io::Result<()> {
        let before = now_ms.saturating_sub(millis(KEPT_FOR));
        for number in (1..=KEPT).rev() {
            let path = self.aside(number);
            match File::open(&path) {
                Ok(mut file) => match last_at(&mut file)? {
                    Some(at) if at < before => fs::remove_file(path)?,
                    _ => break,
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let mut file = match OpenOptions::new().read(true).append(true).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let oldest = now_ms.saturating_sub(millis(KEPT_FOR + SLACK));
        if first_at(&mut file)?.is_none_or(|at| at >= oldest) {
            return Ok(());
        }
        file.lock()?;
        let written = self.rewrite(&mut file, before);
        file.unlock()?;
        written
    }

    /// Puts a file without the rows before a time in place of the one that is open and locked.
    fn rewrite(&self, file: &mut File, before: u64) -> io::Result<()> {
        if !is_at(file, &self.path)? {
            return Ok(());
        }
        let mut next = self.path.clone().into_os_string();
        next.push(".next");
        let next = PathBuf::from(next);
        // What a process has left that was killed here.
        match fs::remove_file(&next) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut kept = BufWriter::new(create(&next)?);
        file.seek(SeekFrom::Start(0))?;
        let mut lines = BufReader::new(&*file);
        let mut line = Vec::new();
        while {
            line.clear();
            lines.read_until(b'\n', &mut line)? > 0
        } {
            // A line that is no row has no age.
            if at_of(&line).is_none_or(|at| at >= before) {
                kept.write_all(&line)?;
            }
        }
        kept.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(next, &self.path)
    }

    fn append(&self, line: &str) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let written = self.append_to(&mut open, line);
        if written.is_err() {
            // The file is opened anew next time.
            *open = None;
        }
        written
    }

    fn append_to(&self, open: &mut Option<File>, line: &str) -> io::Result<()> {
        loop {
            let file = match open.as_mut() {
                Some(file) => file,
                None => open.insert(create(&self.path)?),
            };
            // Other processes append to it and put it aside, too.
            file.lock()?;
            let written = self.append_locked(file, line);
            file.unlock()?;
            match written? {
                true => return Ok(()),
                false => *open = None,
            }
        }
    }

    /// False where the line belongs into a new file: this one is full, or was put aside.
    fn append_locked(&self, file: &mut File, line: &str) -> io::Result<bool> {
        if !is_at(file, &self.path)? {
            return Ok(false);
        }
        let size = file.metadata()?.len();
        if size > 0 && size + line.len() as u64 > self.rotate_at {
            self.rotate()?;
            return Ok(false);
        }
        // A line that was torn by a kill takes no other with it.
        let mut text = Vec::with_capacity(line.len() + 1);
        if size > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                text.push(b'\n');
            }
        }
        text.extend_from_slice(line.as_bytes());
        file.write_all(&text)?;
        Ok(true)
    }
}

/// When the call of a line began.
fn at_of(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(line).ok()?.get("at_ms")?.as_u64()
}

/// When the call of the first line began.
fn first_at(file: &mut File) -> io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(0))?;
    let mut line = Vec::new();
    BufReader::new(file.take(LOOK)).read_until(b'\n', &mut line)?;
    Ok(at_of(&line))
}

/// When the call of the last line began.
fn last_at(file: &mut File) -> io::Result<Option<u64>> {
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(LOOK)))?;
    let mut tail = Vec::new();
    file.take(LOOK).read_to_end(&mut tail)?;
    let last = tail.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    Ok(last.and_then(at_of))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Whether a path still names the open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let open = file.metadata()?;
        match fs::metadata(path) {
            Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        fs::exists(path)
    }
}

fn create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl AuditSink for JsonLines {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| {
            ToolError::unavailable("An audit row could not be written.").source(source)
        };
        let mut line = serde_json::to_string(row).map_err(|error| failed(error.into()))?;
        line.push('\n');
        if !self.looked.swap(true, Ordering::Relaxed) {
            // By the clock that the row was written by.
            if let Err(error) = self.forget(row.at_ms.saturating_add(row.duration_ms)) {
                tracing::warn!(target: "toolbox::audit", %error, "old audit rows could not be removed");
            }
        }
        self.append(&line).map_err(|error| failed(error.into()))
    }

    /// Whether the file can be opened to be appended to. It stays open.
    fn works(&self) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none() {
            *open = create(&self.path).ok();
        }
        open.is_some()
    }
}
