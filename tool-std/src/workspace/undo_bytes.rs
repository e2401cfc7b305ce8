//! How many old bytes evidence keeps, and that they stay within the limit: the oldest go first (files.md §13).
//!
//! The sum is kept in a file beside the evidence, under a lock that every process takes, so that a write looks at no other
//! evidence. What is there is measured when there is no sum yet, and again when the sum says that it is too much.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};

/// Ending of the file with the sum.
const ENDING: &str = ".total";
/// Which part of the limit is freed beyond what is needed, so that not every write frees a little.
const SLACK: u64 = 64;
/// Bytes read at once.
const PIECE: usize = 4_096;
/// Bytes of the longest sum.
const SUM_BYTES: u64 = 32;

/// The places of evidence, which no tool may touch: the directory, and the file with the sum.
pub fn evidence_places(effects: &Path) -> [PathBuf; 2] {
    let mut total = OsString::from(effects);
    total.push(ENDING);
    [effects.to_path_buf(), total.into()]
}

/// Makes room for so many old bytes that are about to be kept, and counts them.
///
/// # Errors
/// What the system refuses.
pub(super) fn make_room(effects: &Path, bytes: u64, limit: u64) -> io::Result<()> {
    let [_, place] = evidence_places(effects);
    if let Some(above) = place.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(above)?;
    }
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(place)?;
    // Let go of when the file is closed.
    flock(&file, FlockOperation::LockExclusive)?;
    let known = read(&mut file)?.map(|sum| sum.saturating_add(bytes));
    let sum = match known.filter(|sum| *sum <= limit) {
        Some(sum) => sum,
        None => measured(effects, bytes, limit)?,
    };
    write(&mut file, sum)
}

fn read(file: &mut File) -> io::Result<Option<u64>> {
    let mut text = Vec::new();
    file.take(SUM_BYTES).read_to_end(&mut text)?;
    let line = String::from_utf8(text).unwrap_or_default();
    Ok(line.strip_suffix('\n').and_then(|sum| sum.parse().ok()))
}

fn write(file: &mut File, sum: u64) -> io::Result<()> {
    file.rewind()?;
    let line = format!("{sum}\n");
    file.write_all(line.as_bytes())?;
    // A sum that is cut off has no end of line.
    file.set_len(line.len() as u64)
}

/// Measures what is there, and drops the oldest old bytes until those and the new ones are within the limit.
fn measured(effects: &Path, new: u64, limit: u64) -> io::Result<u64> {
    let mut kept: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
    let entries = match fs::read_dir(effects) {
        Ok(entries) => Some(entries),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    for entry in entries.into_iter().flatten() {
        let place = entry?.path();
        // Somebody else may have dropped it meanwhile.
        let Ok((line, metadata)) = File::open(&place).and_then(|file| Ok((line(&file)?, file.metadata()?)))
        else {
            continue;
        };
        kept.push((metadata.modified()?, place, metadata.len().saturating_sub(line)));
    }
    let mut sum = kept.iter().map(|(_, _, bytes)| bytes).sum::<u64>().saturating_add(new);
    if sum <= limit {
        return Ok(sum);
    }
    kept.sort();
    for (_, place, bytes) in kept.into_iter().filter(|(_, _, bytes)| *bytes > 0) {
        if sum <= limit - limit / SLACK {
            break;
        }
        match OpenOptions::new().read(true).write(true).open(place) {
            Ok(file) => file.set_len(line(&file)?)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        sum -= bytes;
    }
    Ok(sum)
}

/// How long the line is that a call is recognised by; old bytes follow it.
fn line(mut file: &File) -> io::Result<u64> {
    let mut head = vec![0; PIECE];
    let mut end = 0;
    loop {
        let read = file.read(&mut head)?;
        let piece = head.get(..read).unwrap_or_default();
        match piece.iter().position(|byte| *byte == b'\n') {
            Some(line) => return Ok(end + line as u64 + 1),
            None if read == 0 => return Ok(end),
            None => end += read as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence with so many old bytes, of the given age.
    fn evidence(effects: &Path, name: &str, bytes: usize, seconds: u64) {
        fs::create_dir_all(effects).unwrap();
        let file = effects.join(name);
        fs::write(&file, [b"{}\n".as_slice(), &vec![0; bytes]].concat()).unwrap();
        let made = SystemTime::now() - std::time::Duration::from_secs(seconds);
        File::open(file).unwrap().set_modified(made).unwrap();
    }

    fn sizes(effects: &Path) -> Vec<u64> {
        let mut files: Vec<PathBuf> =
            effects.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| file.metadata().unwrap().len()).collect()
    }

    #[test]
    fn a_write_looks_at_no_other_evidence_until_the_sum_is_too_much() {
        let directory = tool_trials::directory();
        let effects = directory.path().join("effects");
        make_room(&effects, 1_000, 10_000).unwrap();
        evidence(&effects, "a", 1_000, 3);
        // Nobody counted this: had it been looked at, it would be shorter.
        evidence(&effects, "b", 20_000, 2);
        make_room(&effects, 9_000, 10_000).unwrap();
        evidence(&effects, "c", 9_000, 1);
        assert_eq!(sizes(&effects), [1_003, 20_003, 9_003]);
        make_room(&effects, 800, 10_000).unwrap();
        assert_eq!(sizes(&effects), [3, 3, 9_003]);
        evidence(&effects, "d", 800, 0);
        make_room(&effects, 200, 10_000).unwrap();
        assert_eq!(sizes(&effects), [3, 3, 9_003, 803]);
    }

    #[test]
    fn a_little_more_than_needed_is_dropped_so_that_not_every_write_drops() {
        let directory = tool_trials::directory();
        let effects = directory.path().join("effects");
        for (age, name) in (0..64).rev().zip(0..) {
            evidence(&effects, &format!("{name:02}"), 100, age + 9);
        }
        make_room(&effects, 100, 6_400).unwrap();
        let sizes = sizes(&effects);
        assert_eq!((sizes[0], sizes[1], sizes[2]), (3, 3, 103));
        assert!(sizes[3..].iter().all(|size| *size == 103), "{sizes:?}");
    }

    #[test]
    fn without_a_sum_or_with_one_that_is_none_everything_is_measured() {
        for sum in [None, Some(b"".as_slice()), Some(b"12"), Some(b"-1\n"), Some(b"\xff\n")] {
            let directory = tool_trials::directory();
            let effects = directory.path().join("effects");
            evidence(&effects, "a", 9_000, 2);
            evidence(&effects, "b", 500, 1);
            if let Some(sum) = sum {
                fs::write(directory.path().join("effects.total"), sum).unwrap();
            }
            make_room(&effects, 1_000, 10_000).unwrap();
            assert_eq!(sizes(&effects), [3, 503], "{sum:?}");
            assert_eq!(fs::read_to_string(directory.path().join("effects.total")).unwrap(), "1500\n");
        }
    }
}
