//! Managed workspaces: one directory per owner and id, never shared by two names, on any file system (sandbox.md §5).

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use tool_core::{Effect, ToolError};

use super::refusal;

/// Where managed workspaces lie below the data directory.
pub(crate) const DIRECTORY: &str = "workspaces";
/// What follows the name of a workspace in the name of its stamp; no workspace's name ends so.
pub(crate) const STAMP: &str = "~stamp";

/// Bytes of an owner's or workspace's name.
const ID_BYTES: usize = 1_024;
/// Characters of a name that is taken as it is.
const PLAIN_CHARS: usize = 64;
/// Characters of a name that are kept in front of its digest.
const KEPT_CHARS: usize = 32;
/// Hex digits of the digest.
const DIGEST_DIGITS: usize = 32;

/// The directory name of an owner or a workspace.
///
/// # Errors
/// `workspace_id_invalid` for a name that is empty, `.`, `..` or longer than 1 024 bytes.
pub fn directory_name(raw: &str) -> Result<String, ToolError> {
    if raw.is_empty() || raw == "." || raw == ".." || raw.len() > ID_BYTES {
        return Err(ToolError::invalid_args(format!(
            "A workspace needs a name of 1 to {ID_BYTES} bytes other than `.` and `..`."
        ))
        .code("workspace_id_invalid")
        .effect(Effect::None));
    }
    if is_plain(raw) {
        return Ok(raw.to_owned());
    }
    let mut name: String = raw.chars().take(KEPT_CHARS).map(mapped).collect();
    if name.starts_with(['.', '-']) {
        name.replace_range(..1, "_");
    }
    name.push('~');
    let digest = Sha256::digest(raw.as_bytes());
    name.extend(digest.iter().take(DIGEST_DIGITS / 2).map(|byte| format!("{byte:02x}")));
    Ok(name)
}

/// Makes the directory of a workspace, for its owner alone, and touches its stamp. Who holds the stamp has it open: it is
/// not swept.
///
/// # Errors
/// `workspace_id_invalid`, `permission_denied`, `io_error`.
pub(crate) fn make(data: &Path, owner: &str, id: &str) -> Result<(PathBuf, File), ToolError> {
    let (owner, id) = (directory_name(owner)?, directory_name(id)?);
    let of_owner = data.join(DIRECTORY).join(owner);
    let root = of_owner.join(&id);
    let failed = |error: io::Error| refusal::io(&root.display().to_string(), &error);
    loop {
        DirBuilder::new().recursive(true).mode(0o700).create(&root).map_err(failed)?;
        let path = of_owner.join(format!("{id}{STAMP}"));
        let stamp = OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(failed)?;
        flock(&stamp, FlockOperation::LockShared).map_err(|errno| failed(errno.into()))?;
        // Who swept it meanwhile has taken the stamp with it.
        if stamp.metadata().map_err(failed)?.nlink() > 0 {
            stamp.set_modified(SystemTime::now()).map_err(failed)?;
            return Ok((root, stamp));
        }
    }
}

fn is_plain(raw: &str) -> bool {
    raw.len() <= PLAIN_CHARS
        && raw.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
        && raw.chars().all(is_plain_char)
}

fn is_plain_char(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '.' | '_' | '-')
}

fn mapped(char: char) -> char {
    let lower = char.to_ascii_lowercase();
    if is_plain_char(lower) { lower } else { '_' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn plain_names_stay_and_others_get_a_digest() {
        assert_eq!(directory_name("conv..1").unwrap(), "conv..1");
        assert_eq!(directory_name("A:B").unwrap(), "a_b~5a33e15dd84ada6f7025d197d544db12");
        assert_eq!(directory_name("...").unwrap(), "_..~ab5df625bc76dbd4e163bed2dd888df8");
    }

    #[test]
    fn names_that_no_directory_can_have_are_refused() {
        for raw in ["", ".", "..", &"x".repeat(1_025)] {
            assert_eq!(directory_name(raw).unwrap_err().code_str(), "workspace_id_invalid");
        }
        assert!(directory_name(&"x".repeat(1_024)).is_ok());
    }

    #[test]
    fn an_owner_does_not_see_the_workspace_of_another() {
        use crate::workspace::{Use, Workspace};
        let data = tool_trials::directory();
        let mine = Workspace::managed(data.path(), "me", "Work 1", Default::default()).unwrap();
        Workspace::managed(data.path(), "you", "w", Default::default()).unwrap();
        assert!(mine.is_managed() && mine.policy().max_files == Some(200_000));
        assert!(mine.resolve(&data.path().join("workspaces/you/w/x")).is_err());
        assert!(mine.resolve(Path::new("x")).is_ok());
        let all = Workspace::open(
            data.path(),
            crate::WorkspacePolicy { sealed: vec![data.path().join(DIRECTORY)], ..Default::default() },
        )
        .unwrap();
        let path = all.resolve(Path::new("workspaces/me")).unwrap();
        assert_eq!(all.existing(&path, Use::List).unwrap_err().code_str(), "protected_path");
    }

    /// A name of up to 40 characters that are likely to meet (SplitMix64).
    fn random_name(seed: u64) -> String {
        const CHARACTERS: [char; 16] =
            ['a', 'A', 'b', 'B', '0', '9', '.', '-', '_', '~', ':', '/', ' ', 'é', 'É', '\u{1F600}'];
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z ^ (z >> 27)
        };
        (0..=next() % 40).map(|_| CHARACTERS[(next() >> 33) as usize % CHARACTERS.len()]).collect()
    }

    #[test]
    fn different_names_never_share_a_directory_even_without_case() {
        let names = tool_trials::by_effort(1_000_000, 50_000);
        let (mut raws, mut seen) = (HashSet::new(), HashSet::new());
        for raw in (0..names).map(random_name).filter(|raw| ![".", ".."].contains(&raw.as_str())) {
            if !raws.insert(raw.clone()) {
                continue;
            }
            let name = directory_name(&raw).unwrap();
            let is_first = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            let is_later = |byte: &u8| is_first(*byte) || b".~-".contains(byte);
            assert!(name.len() <= 65 && name.bytes().all(|byte| is_later(&byte)), "{name}");
            assert!(name.bytes().next().is_some_and(is_first), "{name}");
            assert!(seen.insert(name.to_lowercase()), "{raw} shares {name}");
        }
        assert!(seen.len() > names as usize / 2, "{}", seen.len());
    }
}
