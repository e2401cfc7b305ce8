//! `diff -u` makes a patch of two texts; the engine turns one into the other, byte for byte, and back.

use std::path::Path;
use std::process::Command;

use tool_std::Limits;
use tool_std::edit::unified;

use crate::peers;
use crate::random::{Random, Style, changed, lines};

/// Pairs of texts; `EDIT_PAIRS` asks for more.
const PAIRS: u64 = 2_000;

#[test]
fn a_patch_made_by_diff_turns_one_text_into_the_other_and_back() {
    if !peers::has("diff") {
        return peers::skip("diff not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let pairs = std::env::var("EDIT_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS);
    for seed in 0..pairs {
        let random = &mut Random::new(seed);
        let style = Style::random(random);
        let old = lines(random, style);
        let new = changed(random, style, &old).concat();
        let old = old.concat();
        if old == new {
            continue;
        }
        let patch = diff(folder.path(), &old, &new);
        assert_eq!(applied(&old, &patch), Ok(new.clone()), "seed {seed}: {old:?} by {patch}");
        let back = diff(folder.path(), &new, &old);
        assert_eq!(applied(&new, &back), Ok(old.clone()), "seed {seed}: back from {new:?} by {back}");
        if !old.is_empty() {
            moved_down(random, seed, &old, &new, &patch);
        }
    }
    println!("round_trip: {pairs} pairs");
}

/// The same patch once other lines stand above: it finds its place, or says that there are several.
fn moved_down(random: &mut Random, seed: u64, old: &str, new: &str, patch: &str) {
    let end = if patch.contains("\r\n") { "\r\n" } else { "\n" };
    let above: String = (0..=random.below(6)).map(|number| format!("above {number}{end}")).collect();
    match applied(&format!("{above}{old}"), patch) {
        Ok(moved) => assert_eq!(moved, format!("{above}{new}"), "seed {seed}: {old:?} by {patch}"),
        Err(code) => assert_eq!(code, "patch_ambiguous", "seed {seed}: {old:?} by {patch}"),
    }
}

fn applied(file: &str, patch: &str) -> Result<String, String> {
    match unified::apply(file.as_bytes(), patch, "new", &Limits::default()) {
        Ok(edited) => Ok(String::from_utf8(edited.bytes).unwrap()),
        Err(error) => Err(error.code_str().to_owned()),
    }
}

fn diff(folder: &Path, old: &str, new: &str) -> String {
    std::fs::write(folder.join("old"), old).unwrap();
    std::fs::write(folder.join("new"), new).unwrap();
    let output =
        Command::new("diff").args(["-u", "--text", "old", "new"]).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stdout).unwrap()
}

/// GNU `patch` agrees where it applies exactly, without fuzz and without moving a hunk.
#[test]
fn gnu_patch_gives_the_same_bytes() {
    if !peers::has("patch") || !peers::has("diff") {
        return peers::skip("patch not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for seed in 10_000..10_200 {
        let random = &mut Random::new(seed);
        let old = lines(random, Style::Lf);
        let new = changed(random, Style::Lf, &old).concat();
        let old = old.concat();
        if old == new || old.contains('\r') || new.contains('\r') {
            continue;
        }
        let patch = diff(folder.path(), &old, &new);
        std::fs::write(folder.path().join("file"), &old).unwrap();
        std::fs::write(folder.path().join("patch"), &patch).unwrap();
        let output = Command::new("patch")
            .args(["--fuzz=0", "--posix", "--force", "--silent", "file", "patch"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        if output.status.success() {
            let theirs = std::fs::read_to_string(folder.path().join("file")).unwrap_or_default();
            assert_eq!(applied(&old, &patch), Ok(theirs), "seed {seed}: {old:?} by {patch}");
            compared += 1;
        }
    }
    println!("gnu_patch: {compared} compared");
    assert!(compared > 100);
}
