//! What must never be seen of a call: files that are changed or made, and texts where nobody may read them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::Value;

use crate::scene::Scene;
use crate::scene::records::Left;

/// What a file is: its content, and what else there is about it.
type Seen = (Option<Vec<u8>>, Option<(u32, u64, i64, i64)>);

/// The files that a case watches, as they were.
pub(crate) struct Before(BTreeMap<String, Seen>);

fn words(scene: &Scene, case: &Value) -> Vec<(String, String)> {
    let never = scene.fill(&case["never"]);
    let words = never.as_array().into_iter().flatten().filter_map(Value::as_str);
    words
        .map(|word| word.split_once(':').unwrap_or((word, "")))
        .map(|(word, operand)| (word.to_owned(), operand.to_owned()))
        .collect()
}

fn seen(path: &str) -> Seen {
    let about = fs::symlink_metadata(path).ok();
    // A FIFO would be waited for.
    let content = about.as_ref().filter(|about| about.is_file()).and_then(|_| fs::read(path).ok());
    (content, about.map(|about| (about.mode(), about.ino(), about.mtime(), about.mtime_nsec())))
}

impl Before {
    pub(crate) fn of(scene: &Scene, case: &Value) -> Self {
        let watched = words(scene, case).into_iter().filter(|(word, _)| word.ends_with("changed"));
        Self(watched.map(|(_, path)| (path.clone(), seen(&path))).collect())
    }

    /// What must never be and is.
    pub(crate) fn happened(&self, scene: &Scene, case: &Value, shown: &str, left: &Left) -> Vec<String> {
        let was = |path: &str| self.0.get(path).cloned().unwrap_or_default();
        let happened = |(word, operand): &(String, String)| match word.as_str() {
            "output_contains" | "result_contains" => shown.contains(operand),
            "journal_contains" | "audit_contains" => left.text().contains(operand),
            "exists" => fs::symlink_metadata(operand).is_ok(),
            "missing" => fs::symlink_metadata(operand).is_err(),
            "changed" => seen(operand).0 != was(operand).0,
            "meta_changed" => seen(operand).1 != was(operand).1,
            "env_secret" => shown.contains("CARGO_MANIFEST_DIR"),
            // The others are looked at by tests of their own, or say themselves.
            _ => false,
        };
        words(scene, case)
            .iter()
            .filter(|word| happened(word))
            .map(|word| format!("{word:?} happened"))
            .collect()
    }
}
