//! `diff -u` makes a patch of two texts; the engine turns one into the other, byte for byte, and back.

use std::path::Path;
use std::process::Command;

use tool_std::Limits;
use tool_std::edit::unified;
use tool_trials::{has_program, rounds};

use crate::random::{Random, Style, changed, lines};

/// Pairs of texts in the full run.
const PAIRS: usize = 10_000;

#[test]
fn a_patch_made_by_diff_turns_one_text_into_the_other_and_back() {
    if !has_program("diff") {
        return;
    }
    let folder = tool_trials::directory();
    let pairs = rounds(PAIRS);
    for seed in 0..pairs as u64 {
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

/// Edits that GNU `patch` makes too, in the full run.
const EDITS: usize = 2_000;

/// What applies here gives the bytes that GNU `patch` gives, without fuzz; what does not is refused with a reason. Half of
/// the patches meet a file that has changed since.
#[test]
fn gnu_patch_gives_the_same_bytes() {
    if !has_program("patch") || !has_program("diff") {
        return;
    }
    let folder = tool_trials::directory();
    let (mut equal, mut refused, edits) = (0, 0, rounds(EDITS));
    for seed in 10_000.. {
        if equal + refused == edits {
            break;
        }
        let random = &mut Random::new(seed);
        let old = lines(random, Style::Lf);
        let new = changed(random, Style::Lf, &old).concat();
        let file = if random.once_in(2) { changed(random, Style::Lf, &old).concat() } else { old.concat() };
        let old = old.concat();
        if old == new || [&old, &new, &file].iter().any(|text| text.contains('\r')) {
            continue;
        }
        let patch = diff(folder.path(), &old, &new);
        match applied(&file, &patch) {
            Ok(ours) => {
                // It refuses to move a hunk that begins at the first line, where the only place that fits is elsewhere.
                if let Some(theirs) = patched(folder.path(), &file, &patch) {
                    assert_eq!(ours, theirs, "seed {seed}: {file:?} by {patch}");
                    equal += 1;
                }
            }
            Err(code) => {
                let reasons =
                    ["patch_context_mismatch", "patch_ambiguous", "patch_out_of_range", "patch_no_change"];
                assert!(reasons.contains(&code.as_str()), "seed {seed}: {code}");
                refused += 1;
            }
        }
    }
    println!("gnu_patch: {equal} equal, {refused} refused with a reason");
    assert!(equal > edits * 2 / 5, "only {equal} were compared");
}

/// What GNU `patch` makes of a file, if it applies the patch.
fn patched(folder: &Path, file: &str, patch: &str) -> Option<String> {
    std::fs::write(folder.join("file"), file).unwrap();
    std::fs::write(folder.join("patch"), patch).unwrap();
    let output = Command::new("patch")
        .args(["--fuzz=0", "--posix", "--force", "--silent", "file", "patch"])
        .current_dir(folder)
        .output()
        .unwrap();
    output.status.success().then(|| std::fs::read_to_string(folder.join("file")).unwrap_or_default())
}
