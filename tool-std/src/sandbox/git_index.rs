//! What an index of git holds that leads it into other repositories (gitformat-index(5), git 2.47): submodules, and
//! directories that it keeps as one entry.
//!
//! Pure, and strict: what git itself would refuse, or what readers could disagree on, is not understood, and neither is an
//! index that is split over two files. Whoever asks takes an index that is not understood for one that may name anything.

/// Bytes of an entry before the name of its object, and where its mode is in them.
const STAT_BYTES: usize = 40;
const MODE_AT: usize = 24;
/// Modes of a submodule, and of a directory that was not taken apart (sparse index).
const SUBMODULE: u32 = 0o160_000;
const DIRECTORY: u32 = 0o040_000;
/// In the flags of an entry: two more bytes follow; the length of the name, or that it is longer than this.
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
/// The extension that says where entries end, and how long it is without a hash.
const END_OF_ENTRIES: &[u8] = b"EOIE";
const END_OF_ENTRIES_BYTES: usize = 12;
/// The extension that says where blocks of entries begin, which git reads at the same time.
const OFFSETS: &[u8] = b"IEOT";
/// The one that git must know and that changes nothing here: entries may be directories.
const SPARSE: &[u8] = b"sdir";

/// What an index leads to, by paths below the tree that it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) submodules: Vec<Vec<u8>>,
    /// Directories that may hold submodules that are not named.
    pub(super) directories: Vec<Vec<u8>>,
}

/// How long the names of objects are, which is not said in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    Sha1 = 20,
    Sha256 = 32,
}

/// Reads an index; `None` when it is not understood to its end.
pub(super) fn parse(bytes: &[u8], hash: Hash) -> Option<Index> {
    Reader { bytes, at: 0, hash: hash as usize }.index()
}

/// What entries lead to, and where each of them begins.
struct Entries {
    found: Index,
    starts: Vec<usize>,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    hash: usize,
}

impl<'a> Reader<'a> {
    fn index(mut self) -> Option<Index> {
        if self.take(4)? != b"DIRC" {
            return None;
        }
        let version = self.number()?;
        let count = usize::try_from(self.number()?).ok()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let entries = self.entries(version, count)?;
        self.extensions(&entries.starts)?;
        Some(entries.found)
    }

    fn entries(&mut self, version: u32, count: usize) -> Option<Entries> {
        let mut entries = Entries { found: Index::default(), starts: Vec::new() };
        let mut name = Vec::new();
        for _ in 0..count {
            let start = self.at;
            entries.starts.push(start);
            let stat = self.take(STAT_BYTES)?;
            let mode = big_endian(stat.get(MODE_AT..MODE_AT + 4)?)?;
            self.take(self.hash)?;
            let flags = self.short()?;
            if flags & EXTENDED != 0 && (version == 2 || self.short().is_none()) {
                return None;
            }
            if version == 4 {
                let kept = name.len().checked_sub(self.varint()?)?;
                name.truncate(kept);
            } else {
                name.clear();
            }
            name.extend_from_slice(self.text()?);
            if name.len().min(usize::from(NAME_LENGTH)) != usize::from(flags & NAME_LENGTH) {
                return None;
            }
            if version < 4 {
                // The NUL behind the name was read; entries end at a multiple of eight.
                let padding = (self.at - start).next_multiple_of(8) - (self.at - start);
                self.take(padding)?;
            }
            match mode {
                SUBMODULE => entries.found.submodules.push(below(&name)?),
                DIRECTORY => entries.found.directories.push(below(name.strip_suffix(b"/")?)?),
                _ => {}
            }
        }
        Some(entries)
    }

    /// Looks for what changes the meaning of the entries, up to the hash of the whole.
    fn extensions(&mut self, starts: &[usize]) -> Option<()> {
        let (begin, end) = (self.at, self.bytes.len().checked_sub(self.hash)?);
        // Where git looks for the end of the entries, whatever stands before it.
        let marked = end.checked_sub(END_OF_ENTRIES_BYTES + self.hash);
        let is_marked = marked.is_some_and(|at| self.bytes.get(at..at + 4) == Some(END_OF_ENTRIES));
        let mut last = None;
        while self.at < end {
            last = Some(self.at);
            let name = self.take(4)?;
            let size = usize::try_from(self.number()?).ok()?;
            let data = self.take(size)?;
            match name {
                OFFSETS => are_these(data, starts)?,
                END_OF_ENTRIES => {
                    let entries_end = usize::try_from(big_endian(data.get(..4)?)?).ok()?;
                    (entries_end == begin).then_some(())?;
                }
                SPARSE => {}
                // Of another name that is not upper case the meaning must be known; a split index is such a one.
                name => name.first()?.is_ascii_uppercase().then_some(())?,
            }
        }
        (self.at == end && (!is_marked || last == marked)).then_some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4).and_then(big_endian)
    }

    fn short(&mut self) -> Option<u16> {
        self.take(2).and_then(|bytes| Some(u16::from_be_bytes(bytes.try_into().ok()?)))
    }

    /// The bytes up to a NUL, which is read too.
    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        let text = self.take(length)?;
        self.take(1)?;
        Some(text)
    }

    /// A number in the form of offsets in packs: seven bits each, the highest first, each further one plus one.
    fn varint(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.take(1)?.first()?;
            value = value.checked_shl(7).filter(|shifted| shifted >> 7 == value)? | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
        }
    }
}

fn big_endian(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// A path that git could have written there: below the tree, and in no git directory.
fn below(name: &[u8]) -> Option<Vec<u8>> {
    let is_name = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.eq_ignore_ascii_case(b".git");
    name.split(|byte| *byte == b'/').all(is_name).then(|| name.to_vec())
}

/// Whether blocks begin where entries do, and hold all of them.
fn are_these(blocks: &[u8], starts: &[usize]) -> Option<()> {
    let (version, blocks) = blocks.split_at_checked(4)?;
    let mut next = 0_usize;
    for block in blocks.chunks(8) {
        let (offset, count) = block.split_at_checked(4)?;
        let offset = usize::try_from(big_endian(offset)?).ok()?;
        if starts.get(next) != Some(&offset) {
            return None;
        }
        next = next.checked_add(usize::try_from(big_endian(count)?).ok()?)?;
    }
    (big_endian(version) == Some(1) && next == starts.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn index(submodules: &[&str], directories: &[&str]) -> Index {
        let owned = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect();
        Index { submodules: owned(submodules), directories: owned(directories) }
    }

    fn read(bytes: &[u8]) -> Option<Index> {
        parse(bytes, Hash::Sha1)
    }

    /// An index with entries of these modes and names.
    fn written(version: u32, entries: &[(u32, &str)], extensions: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend((entries.len() as u32).to_be_bytes());
        let mut former = 0;
        for (mode, name) in entries {
            let start = bytes.len();
            bytes.extend([0; MODE_AT]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; STAT_BYTES - MODE_AT - 4 + 20]);
            bytes.extend((name.len() as u16).to_be_bytes());
            if version == 4 {
                bytes.push(former);
            }
            former = name.len() as u8;
            bytes.extend(name.as_bytes());
            bytes.push(0);
            while version < 4 && !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes.extend(extensions);
        bytes.extend([0; 20]);
        bytes
    }

    fn extension(name: &[u8], data: &[u8]) -> Vec<u8> {
        [name, &(data.len() as u32).to_be_bytes(), data].concat()
    }

    #[test]
    fn submodules_are_read_from_every_version() {
        let entries = [(0o100_644, "a"), (SUBMODULE, "sub/one"), (0o120_000, "z")];
        for version in 2..=4 {
            let bytes = written(version, &entries, &extension(b"TREE", b"x"));
            assert_eq!(read(&bytes), Some(index(&["sub/one"], &[])), "{version}");
        }
        let sparse = written(2, &[(DIRECTORY, "far/")], &extension(SPARSE, b""));
        assert_eq!(read(&sparse), Some(index(&[], &["far"])));
        assert_eq!(read(&written(2, &[], b"")), Some(Index::default()));
    }

    #[test]
    fn what_git_would_not_write_is_not_understood() {
        let one = [(SUBMODULE, "sub")];
        let whole = written(2, &one, b"");
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), None, "cut at {end}");
        }
        for version in [0, 1, 5] {
            assert_eq!(read(&written(version, &one, b"")), None, "{version}");
        }
        for name in ["", "/sub", "sub/", "../sub", "a/../sub", "a//b", "a/.git", "a/.GIT/b", "."] {
            assert_eq!(read(&written(2, &[(SUBMODULE, name)], b"")), None, "{name}");
        }
        let mut long = whole.clone();
        // The length that the flags tell is another one.
        long[12 + STAT_BYTES + 20 + 1] = 2;
        assert_eq!(read(&long), None);
        for name in [b"link", b"what"] {
            assert_eq!(read(&written(2, &one, &extension(name, b""))), None);
        }
    }

    #[test]
    fn entries_that_git_would_read_elsewhere_are_not_understood() {
        let (one, end) = ([(SUBMODULE, "sub")], 12 + 72_u32);
        let blocks = |offset: u32, count: u32| {
            let data = [1_u32, offset, count].map(u32::to_be_bytes).concat();
            read(&written(2, &one, &extension(OFFSETS, &data))).is_some()
        };
        assert!(blocks(12, 1));
        assert!(!blocks(16, 1) && !blocks(12, 2) && !blocks(12, 0));
        let marked = |offset: u32| extension(END_OF_ENTRIES, &[&offset.to_be_bytes()[..], &[0; 20]].concat());
        assert!(read(&written(2, &one, &marked(end))).is_some());
        assert!(read(&written(2, &one, &marked(end - 8))).is_none());
        // In the content of another extension, where git looks for it.
        assert!(read(&written(2, &one, &extension(b"TREE", &marked(end)))).is_none());
    }

    /// Copies of the index in each form that git writes; the flag of `add -N` needs version 3 where 2 was asked for.
    const FORMS: &str = r#"
        for hash in sha1 sha256; do
            git init -q --object-format=$hash $hash && cd $hash || exit 1
            echo x > file && cp file other && git add file && git add -N other
            id=$(git hash-object file | tr 0-9a-f 1)
            for sub in 'deep/a b' deep/sub sub; do
                git update-index --add --cacheinfo "160000,$id,$sub" || exit 1
            done
            for version in 2 4; do
                git update-index --index-version $version && cp .git/index ../$hash.$version || exit 1
            done
            git update-index --split-index && cp .git/index ../$hash.split || exit 1
            cd ..
        done"#;

    #[test]
    fn git_itself_names_the_same_submodules() {
        let directory = tool_trials::directory();
        if !tool_trials::has_program("git") {
            return;
        }
        // One process: while it is started it holds the locks of the tests beside it.
        let mut sh = Command::new("sh");
        sh.current_dir(directory.path()).env("HOME", directory.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        let output = sh.args(["-c", FORMS]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        for (name, hash) in [("sha1", Hash::Sha1), ("sha256", Hash::Sha256)] {
            let read = |form: &str| {
                let bytes = std::fs::read(directory.path().join(format!("{name}.{form}"))).unwrap();
                (bytes[7], parse(&bytes, hash))
            };
            let expected = Some(index(&["deep/a b", "deep/sub", "sub"], &[]));
            assert_eq!(read("2"), (3, expected.clone()), "{name}");
            assert_eq!(read("4"), (4, expected), "{name}");
            assert_eq!(read("split").1, None, "{name}");
        }
    }
}
