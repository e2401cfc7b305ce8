//! The files of a journal: where they may lie, who may read them, and that they are still the ones that were opened. (journal.md §10)

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tool_core::ErrorKind;
use tool_core::journal::key::Pepper;
use tool_core::journal::{JournalError, Result};

/// File systems on which locks or syncs cannot be relied upon, by what `statfs` calls them.
const UNSUPPORTED: [(i64, &str); 9] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
];

fn failed(path: &Path, error: &std::io::Error) -> JournalError {
    let text = error.to_string();
    // The number of an error says nothing that its name does not.
    let why = text.split(" (os error").next().unwrap_or_default();
    JournalError::unavailable(format!("{}: {why}", path.display()))
}

/// The failure to open a journal, which names it.
pub(super) fn unopened(journal: &Path, error: JournalError) -> JournalError {
    let named = format!("{}: ", journal.display());
    match error {
        JournalError::Store { kind, code: code @ "journal_unavailable", message, hint } => {
            let why = message.strip_prefix(&named).unwrap_or(&message).trim_end_matches('.');
            let message = format!("The journal {} cannot be opened: {why}.", journal.display());
            JournalError::Store { kind, code, message, hint }
        }
        other => other,
    }
}

/// The folder of a journal.
fn folder_of(journal: &Path) -> &Path {
    journal.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a journal that is not there yet could be made. Nothing stays behind.
pub(crate) fn could_be_made(journal: &Path, workspaces: &[PathBuf]) -> Result<()> {
    let folder = folder_of(journal);
    let there = folder.ancestors().find(|place| place.exists()).unwrap_or(folder);
    let place = there.canonicalize().map_err(|error| failed(there, &error))?;
    outside(journal, &place, workspaces)?;
    supported(&place)?;
    if there == folder {
        private(&place)?;
    }
    let made = place.join(format!(".journal-{}", uuid::Uuid::new_v4()));
    let tried = DirBuilder::new().mode(0o700).create(&made).and_then(|()| std::fs::remove_dir(&made));
    tried.map_err(|error| failed(there, &error))
}

/// Makes the folder and the file of a journal where they are missing, and refuses those that others may write.
pub(crate) fn prepare(journal: &Path, workspaces: &[PathBuf]) -> Result<File> {
    let folder = folder_of(journal);
    if !folder.exists() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| failed(folder, &error))?;
    }
    let folder = folder.canonicalize().map_err(|error| failed(folder, &error))?;
    outside(journal, &folder, workspaces)?;
    supported(&folder)?;
    private(&folder)?;
    regular(journal)?;
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(journal);
    let file = file.map_err(|error| failed(journal, &error))?;
    // Before anything is changed or made beside it.
    super::schema::look(journal, &file)?;
    let seal = journal.with_extension("seal");
    for path in [journal, &seal].into_iter().filter(|path| path.exists()) {
        private(path)?;
    }
    // Whatever the umask was, SQLite gives its other files the mode of this one.
    file.set_permissions(Permissions::from_mode(0o600)).map_err(|error| failed(journal, &error))?;
    Ok(file)
}

/// Refuses what is there and is no file: a pipe would be waited at for ever, and a device is none of ours.
pub(super) fn regular(journal: &Path) -> Result<()> {
    if journal.metadata().is_ok_and(|meta| !meta.is_file()) {
        return Err(JournalError::store(
            ErrorKind::NotConfigured,
            "journal_not_ours",
            format!("{} is not a regular file: name another one.", journal.display()),
        ));
    }
    Ok(())
}

/// Refuses a place that tools may write.
fn outside(journal: &Path, folder: &Path, workspaces: &[PathBuf]) -> Result<()> {
    for root in workspaces.iter().filter_map(|root| root.canonicalize().ok()) {
        if folder.starts_with(&root) {
            return Err(JournalError::store(
                ErrorKind::NotConfigured,
                "journal_inside_workspace",
                format!(
                    "{} lies inside the workspace {}: a tool could change it.",
                    journal.display(),
                    root.display()
                ),
            ));
        }
    }
    Ok(())
}

fn supported(folder: &Path) -> Result<()> {
    fail::fail_point!("open.file_system", |magic| {
        let magic = magic.and_then(|magic| magic.parse().ok()).unwrap_or_default();
        refuse(folder, magic)
    });
    let kind = rustix::fs::statfs(folder).map_err(|error| failed(folder, &error.into()))?.f_type;
    #[expect(clippy::useless_conversion, reason = "the type is another one on other machines")]
    refuse(folder, i64::from(kind))
}

fn refuse(folder: &Path, kind: i64) -> Result<()> {
    match UNSUPPORTED.iter().find(|row| row.0 == kind) {
        None => Ok(()),
        Some((_, name)) => Err(JournalError::store(
            ErrorKind::NotConfigured,
            "journal_unsupported_fs",
            format!(
                "{} is on {name}, where a journal cannot be kept: name a local folder.",
                folder.display()
            ),
        )),
    }
}

/// Refuses what somebody else owns or may write.
pub(super) fn private(path: &Path) -> Result<()> {
    let meta = path.metadata().map_err(|error| failed(path, &error))?;
    let mine = meta.uid() == rustix::process::geteuid().as_raw();
    // The sticky bit keeps others from replacing what is in the folder.
    let open = meta.mode() & 0o022 != 0 && meta.mode() & 0o1000 == 0;
    if (mine || meta.uid() == 0) && !open {
        return Ok(());
    }
    Err(JournalError::store(
        ErrorKind::NotConfigured,
        "journal_unsafe_permissions",
        format!(
            "Others may change {}: make it yours alone (chmod 700 for a folder, 600 for a file).",
            path.display()
        ),
    ))
}

/// What keyed digests in a journal are made with.
#[derive(Clone, Debug, Default)]
pub enum Key {
    /// What the variable `TOOLBOX_JOURNAL_KEY` of the process gives (64 hex digits), else what lies beside the journal.
    #[default]
    Environment,
    /// 32 random bytes beside the journal, made where they are missing.
    File,
    /// These.
    Given(Pepper),
}

impl Key {
    /// The key that a variable of this name gives: 64 hex digits.
    ///
    /// # Errors
    /// `not_configured`, code `journal_bad_key`.
    pub fn of_text(name: &str, text: &str) -> Result<Key> {
        let bytes = tool_core::canonical::unhex(text.trim()).and_then(|bytes| bytes.try_into().ok());
        bytes.map(|bytes| Key::Given(Pepper(bytes))).ok_or_else(|| {
            let text = format!("{name} must be 64 hex digits.");
            let error = JournalError::store(ErrorKind::NotConfigured, "journal_bad_key", text);
            error.or_hint(&format!(
                "unset {name} to have a key made, or set it to what made the digests so far"
            ))
        })
    }

    /// The key that the environment of the process gives.
    fn of_environment() -> Result<Key> {
        match std::env::var(VARIABLE) {
            Ok(text) => Key::of_text(VARIABLE, &text),
            Err(_) => Ok(Key::File),
        }
    }
}

/// The variable that gives the key where nobody says otherwise.
const VARIABLE: &str = "TOOLBOX_JOURNAL_KEY";

/// The pepper of an installation.
pub(crate) fn pepper(journal: &Path, key: &Key) -> Result<Pepper> {
    match key {
        Key::Environment => match Key::of_environment()? {
            Key::Given(pepper) => Ok(pepper),
            _ => kept(journal),
        },
        Key::File => kept(journal),
        Key::Given(pepper) => Ok(*pepper),
    }
}

/// The pepper beside the journal, made where there is none. One process makes it while the others wait; what a process that
/// died left half written was nobody's pepper.
fn kept(journal: &Path) -> Result<Pepper> {
    let path = journal.with_extension("key");
    if let Some(pepper) = read_key(&path)? {
        return Ok(pepper);
    }
    let _turn = super::seal::turn(journal)?;
    if let Some(pepper) = read_key(&path)? {
        return Ok(pepper);
    }
    let random = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
    let random: Vec<u8> = random.iter().flat_map(|uuid| *uuid.as_bytes()).collect();
    let digest = <sha2::Sha256 as sha2::Digest>::digest(random);
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
    let written = file.and_then(|mut file| {
        // It may be there already, half written, with another mode.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(&digest)?;
        file.sync_all()
    });
    written.map_err(|error| failed(&path, &error))?;
    Ok(Pepper(digest.into()))
}

/// The pepper in a file; `None` for no file, and for one that is not written yet. What others could read is no secret any more.
fn read_key(path: &Path) -> Result<Option<Pepper>> {
    let mut pepper = Pepper::default();
    let read = File::open(path).and_then(|mut file| {
        file.read_exact(&mut pepper.0)?;
        file.metadata()
    });
    match read {
        Ok(meta) if meta.mode() & 0o077 == 0 => private(path).map(|()| Some(pepper)),
        Ok(meta) => Err(JournalError::store(
            ErrorKind::NotConfigured,
            "journal_unsafe_permissions",
            format!(
                "Others may read the key {} (mode {:03o}): make it yours alone (chmod 600).",
                path.display(),
                meta.mode() & 0o777
            ),
        )),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) => {
            Ok(None)
        }
        Err(error) => Err(failed(path, &error)),
    }
}

/// What tells whether a path still names the file that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inode(u64, u64);

impl Inode {
    pub(crate) fn of(file: &File) -> Result<Inode> {
        let meta = file.metadata().map_err(|error| JournalError::unavailable(error.to_string()))?;
        Ok(Inode(meta.dev(), meta.ino()))
    }

    /// Refuses a path that names another file by now.
    pub(crate) fn check(self, path: &Path) -> Result<()> {
        if path.metadata().is_ok_and(|meta| Inode(meta.dev(), meta.ino()) == self) {
            return Ok(());
        }
        Err(JournalError::store(
            ErrorKind::Unavailable,
            "journal_replaced",
            format!("{} is not the file that was opened: it was removed or replaced.", path.display()),
        ))
    }
}

/// The files of a journal, which no tool may touch: closing one inside the process would drop SQLite's locks.
pub fn protected(journal: &Path) -> Vec<PathBuf> {
    let mut files = vec![journal.to_owned(), journal.with_file_name("owners")];
    for suffix in ["-wal", "-shm"] {
        let mut name = journal.as_os_str().to_owned();
        name.push(suffix);
        files.push(name.into());
    }
    files.extend(["seal", "key", "ballast"].map(|extension| journal.with_extension(extension)));
    files
}
