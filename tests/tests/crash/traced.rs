//! What a worker asked of the kernel, in order, as `strace` tells it: its writes, its syncs, and what it said meanwhile.
//!
//! From that a disk can be made as a power cut would leave it: of each file only what was synced before. Names are taken to be
//! durable at once, as on a file system that writes them in order.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The calls that matter.
pub(crate) const CALLS: &str = "openat,pwrite64,write,lseek,ftruncate,fdatasync,fsync,unlink,unlinkat";

/// One thing that happened.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Write { file: PathBuf, at: u64, bytes: Vec<u8> },
    Cut { file: PathBuf, length: u64 },
    Sync { file: PathBuf },
    Gone { file: PathBuf },
    Said(String),
}

/// The events of a trace, as far as they are about files of a folder, and lines on standard output.
pub(crate) fn events(trace: &str, folder: &Path) -> Vec<Event> {
    let mut reader = Reader { folder, ends: HashMap::new(), places: HashMap::new(), events: Vec::new() };
    let mut begun: HashMap<&str, String> = HashMap::new();
    for line in trace.lines() {
        let Some((pid, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(start) = call.strip_suffix(" <unfinished ...>") {
            begun.insert(pid, start.to_owned());
        } else if call.starts_with("<... ") {
            let (Some(start), Some((_, rest))) = (begun.remove(pid), call.split_once(" resumed>")) else {
                continue;
            };
            reader.call(&format!("{start}{rest}"));
        } else {
            reader.call(call);
        }
    }
    reader.events
}

struct Reader<'f> {
    folder: &'f Path,
    /// How long each file is.
    ends: HashMap<PathBuf, u64>,
    /// Where each descriptor stands; `None` at the end, whatever that is.
    places: HashMap<(u64, PathBuf), Option<u64>>,
    events: Vec<Event>,
}

impl Reader<'_> {
    fn call(&mut self, text: &str) {
        let Some((name, rest)) = text.split_once('(') else { return };
        let Some((args, answer)) = rest.rsplit_once(" = ") else { return };
        let args = args.trim_end().trim_end_matches(')');
        if answer.starts_with('-') {
            return;
        }
        if name == "openat" {
            let Some((fd, file)) = descriptor(answer) else { return };
            let at = if args.contains("O_APPEND") { None } else { Some(0) };
            self.places.insert((fd, file), at);
            return;
        }
        if name.starts_with("unlink") {
            let file = PathBuf::from(String::from_utf8_lossy(&quoted(args)).into_owned());
            self.ends.remove(&file);
            self.events.push(Event::Gone { file });
            return;
        }
        let Some((fd, file)) = descriptor(args) else { return };
        let numbers: Vec<u64> = args.split(", ").filter_map(|word| word.trim().parse().ok()).collect();
        if fd == 1 && name == "write" {
            let text = String::from_utf8_lossy(&quoted(args)).into_owned();
            self.events.extend(text.lines().map(|line| Event::Said(line.to_owned())));
            return;
        }
        if !file.starts_with(self.folder) {
            return;
        }
        match name {
            "pwrite64" => self.write(file, numbers.last().copied().unwrap_or(0), quoted(args)),
            "write" => {
                let bytes = quoted(args);
                let end = self.ends.get(&file).copied().unwrap_or(0);
                let place = self.places.entry((fd, file.clone())).or_insert(Some(0));
                let at = place.unwrap_or(end);
                if let Some(place) = place {
                    *place += bytes.len() as u64;
                }
                self.write(file, at, bytes);
            }
            "lseek" => {
                let at = answer.split_whitespace().next().and_then(|number| number.parse().ok());
                self.places.insert((fd, file), at);
            }
            "ftruncate" => {
                let length = numbers.last().copied().unwrap_or(0);
                self.ends.insert(file.clone(), length);
                self.events.push(Event::Cut { file, length });
            }
            "fdatasync" | "fsync" => self.events.push(Event::Sync { file }),
            _ => {}
        }
    }

    fn write(&mut self, file: PathBuf, at: u64, bytes: Vec<u8>) {
        let end = self.ends.entry(file.clone()).or_insert(0);
        *end = (*end).max(at + bytes.len() as u64);
        self.events.push(Event::Write { file, at, bytes });
    }
}

/// `5<\x2f\x74…>`: the number and the path.
fn descriptor(text: &str) -> Option<(u64, PathBuf)> {
    let (fd, rest) = text.split_once('<')?;
    let (path, _) = rest.split_once('>')?;
    Some((fd.trim().parse().ok()?, PathBuf::from(String::from_utf8_lossy(&bytes(path)).into_owned())))
}

/// The bytes of the first quoted argument.
fn quoted(args: &str) -> Vec<u8> {
    let inside = args.split_once('"').and_then(|(_, rest)| rest.split_once('"'));
    bytes(inside.map_or("", |inside| inside.0))
}

fn bytes(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).filter_map(|pair| u8::from_str_radix(pair.get(..2)?, 16).ok()).collect()
}

/// The files of a folder as a power cut behind these events leaves them, made in another folder.
pub(crate) fn synced(events: &[Event], folder: &Path, copy: &Path) {
    let mut durable: HashMap<&Path, usize> = HashMap::new();
    for (nth, event) in events.iter().enumerate() {
        if let Event::Sync { file } = event {
            durable.insert(file, nth);
        }
    }
    let mut files: HashMap<&Path, Vec<u8>> = HashMap::new();
    for (nth, event) in events.iter().enumerate() {
        match event {
            Event::Write { file, at, bytes }
                if durable.get(file.as_path()).is_some_and(|last| nth < *last) =>
            {
                let content = files.entry(file).or_default();
                let at = usize::try_from(*at).unwrap();
                if content.len() < at + bytes.len() {
                    content.resize(at + bytes.len(), 0);
                }
                content[at..at + bytes.len()].copy_from_slice(bytes);
            }
            Event::Cut { file, length } if durable.get(file.as_path()).is_some_and(|last| nth < *last) => {
                files.entry(file).or_default().resize(usize::try_from(*length).unwrap(), 0);
            }
            Event::Gone { file } => drop(files.remove(file.as_path())),
            _ => {}
        }
    }
    for (file, content) in files {
        let place = copy.join(file.strip_prefix(folder).unwrap());
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, content).unwrap();
        std::fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
}
