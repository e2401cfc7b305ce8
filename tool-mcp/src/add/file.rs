//! A settings file: read whole, replaced whole, with a copy of what it was; a link stays, and its target is edited.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tool_core::ToolError;

use super::edit::Fault;

/// Between the name of a file and the time of a copy.
const COPY: &str = ".bak-";

/// What editors of Windows put in front of a text in UTF-8. It is no part of what a file says, and stays where it is.
const MARK: &str = "\u{feff}";

/// A settings file as it is now.
pub(super) struct Settings {
    /// The file itself, behind links.
    path: PathBuf,
    /// Its text, behind the mark.
    text: Option<String>,
    is_marked: bool,
}

/// A file as it was once.
pub(super) enum Before {
    Text(String),
    Absent,
}

impl Settings {
    pub(super) fn read(path: &Path) -> Result<Settings, ToolError> {
        let path = target(path);
        let text = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|error| {
                let good = error.utf8_error().valid_up_to();
                let text =
                    String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default()).into_owned();
                Fault::at(&text, text.len(), "it is no text in UTF-8".to_owned()).of(&path)
            })?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let text = format!("{} cannot be read: {}.", path.display(), error.kind());
                return Err(ToolError::failed(text).code("config_unreadable").source(error));
            }
        };
        let (text, is_marked) = match text.as_deref().and_then(|text| text.strip_prefix(MARK)) {
            Some(behind) => (Some(behind.to_owned()), true),
            None => (text, false),
        };
        Ok(Settings { path, text, is_marked })
    }

    /// The text, behind a byte order mark; `None` where there is no file.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Replaces the file, or removes it; the copy of what it was.
    pub(super) fn write(&self, text: Option<&str>) -> Result<Option<PathBuf>, ToolError> {
        self.replace(text).map_err(|error| {
            let text = format!("{} cannot be written: {}.", self.path.display(), error.kind());
            ToolError::failed(text).code("config_unwritable").source(error)
        })
    }

    fn replace(&self, text: Option<&str>) -> io::Result<Option<PathBuf>> {
        let Some(text) = text else {
            fs::remove_file(&self.path)?;
            return Ok(None);
        };
        let directory = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory)?;
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(self.mark().as_bytes())?;
        file.write_all(text.as_bytes())?;
        let copy = match &self.text {
            Some(_) => {
                file.as_file().set_permissions(fs::metadata(&self.path)?.permissions())?;
                Some(self.copy()?)
            }
            None => None,
        };
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        // The new name is on the disk when its directory is; not every system can wait for that.
        if let Ok(directory) = fs::File::open(directory) {
            let _ = directory.sync_all();
        }
        Ok(copy)
    }

    /// Copies the file, with its mode, to a name that has the time.
    fn copy(&self) -> io::Result<PathBuf> {
        let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%.6fZ");
        let mut copy = self.path.clone().into_os_string();
        copy.push(format!("{COPY}{time}"));
        let copy = PathBuf::from(copy);
        fs::copy(&self.path, &copy)?;
        Ok(copy)
    }

    /// What the file was before something that can be done again was done to it: a copy from which that makes the file as it is.
    pub(super) fn before(&self, again: impl Fn(Option<&str>) -> Option<String>) -> Option<Before> {
        let is_it = |old: Option<&str>| again(old).is_some_and(|text| Some(text.as_str()) == self.text());
        let copies = self.copies().into_iter().filter_map(|copy| fs::read_to_string(copy).ok());
        let copies = copies.filter_map(|old| match old.strip_prefix(MARK) {
            Some(behind) => self.is_marked.then(|| behind.to_owned()),
            None => (!self.is_marked).then_some(old),
        });
        let copy = { copies }.find(|old| is_it(Some(old))).map(Before::Text);
        copy.or_else(|| (!self.is_marked && is_it(None)).then_some(Before::Absent))
    }

    /// What stands in front of the text.
    fn mark(&self) -> &'static str {
        if self.is_marked { MARK } else { "" }
    }

    /// Makes the file what it was.
    pub(super) fn restore(&self, before: &Before) -> Result<Option<PathBuf>, ToolError> {
        match before {
            Before::Text(text) => self.write(Some(text)),
            Before::Absent => self.write(None),
        }
    }

    /// The copies, newest first.
    fn copies(&self) -> Vec<PathBuf> {
        let (Some(directory), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Vec::new();
        };
        let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
        let prefix = format!("{}{COPY}", name.to_string_lossy());
        let mut copies: Vec<PathBuf> = entries
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
            .map(|entry| entry.path())
            .collect();
        copies.sort_unstable_by(|a, b| b.cmp(a));
        copies
    }
}

/// What a path leads to; what does not exist yet stays as it is.
fn target(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match fs::read_link(path) {
        Ok(to) => path.parent().unwrap_or(Path::new(".")).join(to),
        Err(_) => path.to_owned(),
    }
}
