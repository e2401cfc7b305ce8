//! The rules of unified diffs one by one: each refusal with its line, and beside it the same patch made right.

use serde_json::{Value, json};
use tool_core::ToolError;
use tool_std::Limits;
use tool_std::edit::{Edited, unified};

fn edited(file: &str, patch: &str) -> Result<Edited, ToolError> {
    unified::apply(file.as_bytes(), patch, "f", &Limits::default())
}

fn text(file: &str, patch: &str) -> String {
    String::from_utf8(edited(file, patch).unwrap().bytes).unwrap()
}

fn refused(file: &str, patch: &str) -> (String, Value) {
    let error = edited(file, patch).unwrap_err();
    (error.code_str().to_owned(), Value::Object(error.details().clone()))
}

const GOOD: &str = "@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn what_is_not_a_unified_diff_of_one_file_is_refused_with_its_line() {
    let rows = [
        ("", "patch_empty", None),
        ("a diff, soon\n", "patch_empty", None),
        ("--- a/f\n+++ b/f\n\n", "patch_empty", None),
        ("--- a/f\n@@ -1 +1 @@\n-a\n+b\n", "patch_invalid", Some(1)),
        ("+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "patch_invalid", Some(1)),
        ("--- a/f\n+++ b/f\n\n@@ -1 +1 @@\n-a\n+b\n", "patch_invalid", Some(3)),
        ("--- a/f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "patch_unsupported", Some(2)),
        ("copy from a\n@@ -1 +1 @@\n-a\n+b\n", "patch_unsupported", Some(1)),
        ("@@ -0 +1 @@\n-a\n+b\n", "patch_invalid", Some(1)),
        ("@@ -1 +1 @@\n\\ No newline\n-a\n+b\n", "patch_invalid", Some(2)),
        ("@@ -1 +1 @@\n-a\n\\ No newline\n\\ No newline\n+b\n", "patch_invalid", Some(4)),
        ("@@ -1 +1 @@\n-a\n+b\n\n\\ No newline\n", "patch_invalid", Some(5)),
        ("@@ -1 +1 @@\n-a\n+b\n--- a/g\n+++ b/g\n", "patch_multiple_files", Some(4)),
        ("@@ -1 +1 @@\n-a\n+b\nindex 1..2\n", "patch_multiple_files", Some(4)),
        ("```diff\n@@ -1 +1 @@\n-a\n+b\n```\nthen\n@@ -1 +1 @@\n", "patch_multiple_files", Some(7)),
    ];
    for (patch, code, line) in rows {
        let (found, details) = refused("a\n", patch);
        assert_eq!((found.as_str(), details["line"].as_u64()), (code, line), "{patch}");
    }
    for patch in [
        GOOD.to_owned(),
        format!("Here it is:\n```diff\n{GOOD}```\nThat is all.\n"),
        format!("---\tf\n+++\tf\n{GOOD}\n\n-- \n2.47\n--- a/g\n+++ b/g\n"),
        format!("--- /dev/null\n+++ b/f\n{GOOD}"),
    ] {
        assert_eq!(text("a\n", &patch), "b\n", "{patch}");
    }
}

#[test]
fn wrong_counts_come_with_the_right_header() {
    let rows = [
        ("@@ -1,2 +1,2 @@\n-a\n+b\n", 1, 1),
        ("@@ -1 +1 @@\n-a\n+b\n+c\n", 1, 2),
        ("@@ -1 +1 @@\n-a\n+b\n\n+c\n", 2, 3),
        ("@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@\n-x\n+y\n", 1, 1),
        ("@@ -1,2 +1,2 @@\n-a\n+b\n```\n", 1, 1),
        ("@@ -1,2 +1,2 @@\n-a\n+b\ndiff --git a/x b/x\n", 1, 1),
        ("@@ -1,3 +1,3 @@\n-a\n+b\n\n", 1, 1),
    ];
    for (patch, old, new) in rows {
        let error = edited("a\n", patch).unwrap_err();
        assert_eq!(error.code_str(), "patch_count_mismatch", "{patch}");
        let ending = format!("its body has {old} and {new}. Write @@ -1,{old} +1,{new} @@.");
        assert!(error.message().ends_with(&ending), "{}", error.message());
        assert_eq!((&error.details()["hunk"], &error.details()["line"]), (&json!(1), &json!(1)));
    }
    assert_eq!(text("a\n", "@@ -1,1 +1,2 @@\n-a\n+b\n+c\n"), "b\nc\n");
}

#[test]
fn a_patch_that_is_too_large_says_how_large() {
    let mut limits = Limits::default();
    limits.set("max_patch_bytes", 17).unwrap();
    let apply = |patch: &str, limits: &Limits| unified::apply(b"a\n", patch, "f", limits);
    assert_eq!(apply(GOOD, &limits).unwrap_err().message(), "Patch too large (18 bytes; the limit is 17).");
    limits.set("max_patch_bytes", 18).unwrap();
    assert!(apply(GOOD, &limits).is_ok());

    let two = "@@ -1 +1 @@\n-a\n+b\n@@ -1,0 +2 @@\n+c\n";
    let mut limits = Limits::default();
    limits.set("max_hunks", 1).unwrap();
    assert_eq!(apply(two, &limits).unwrap_err().code_str(), "patch_too_large");
    limits.set("max_hunks", 2).unwrap();
    assert_eq!(apply(two, &limits).unwrap().bytes, b"b\nc\n");

    limits.set("max_edit_file_bytes", 3).unwrap();
    assert_eq!(apply(two, &limits).unwrap_err().message(), "Content too large (4 bytes; the limit is 3).");
}

#[test]
fn hunks_may_share_context_but_not_changes() {
    let file = "1\n2\n3\n4\n5\n";
    let shared = "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -3,2 +3,2 @@\n 3\n-4\n+four\n";
    assert_eq!(text(file, shared), "1\ntwo\n3\nfour\n5\n");
    let overlapping = "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -2,2 +2,2 @@\n 2\n-3\n+three\n";
    assert_eq!(refused(file, overlapping), ("patch_overlap".to_owned(), json!({"hunk": 2, "line": 6})));
}

#[test]
fn an_insertion_by_number_stays_at_its_place() {
    assert_eq!(text("1\n2\n", "@@ -2,0 +3 @@\n+x\n"), "1\n2\nx\n");
    let (code, details) = refused("1\n2\n", "@@ -3,0 +4 @@\n+x\n");
    assert_eq!((code.as_str(), &details["line_count"]), ("patch_out_of_range", &json!(2)));
    let moved = "@@ -1 +1 @@\n-2\n+two\n@@ -2,0 +3 @@\n+x\n";
    assert_eq!(text("1\n2\n3\n4\n", moved), "1\ntwo\n3\nx\n4\n", "it moves with the hunk before");
}

#[test]
fn a_mismatch_says_what_would_fit() {
    let file = "one\ntwo\nthree\nfour\n";
    let error = edited(file, "@@ -2,2 +2,2 @@\n three\n-for\n+4\n").unwrap_err();
    assert_eq!(error.message(), "Hunk 1 does not match at line 2: expected \"three\", found \"two\".");
    assert_eq!(error.details()["nearest"], json!({"line": 3, "equal_lines": 1, "of": 2}));
    assert_eq!(error.details()["patch_line"], 2);

    let error = edited("\tif x:\n", "@@ -1 +1 @@\n-    if x:\n+    if y:\n").unwrap_err();
    assert!(error.hint_str().unwrap().contains("differs only in white space"));
    assert!(error.message().contains(r#"found "\tif x:""#));
    let error = edited("a\n", "@@ -1 +1 @@\n-b\n+c\n").unwrap_err();
    assert_eq!(error.hint_str(), None);
    assert_eq!(error.details().get("nearest"), None);

    let error = edited("a\n", "@@ -7,2 +7 @@\n-x\n-y\n+z\n").unwrap_err();
    assert!(error.message().ends_with("at line 7: expected \"x\", found the end of the file."));
    assert_eq!(error.details()["first_difference"]["found"], Value::Null);
}

#[test]
fn a_mark_of_a_missing_newline_is_believed() {
    let mark = "\\ No newline at end of file\n";
    assert_eq!(text("a\nb", &format!("@@ -2 +2 @@\n-b\n{mark}+c\n")), "a\nc\n");
    assert_eq!(text("a\nb\n", &format!("@@ -2 +2 @@\n-b\n+c\n{mark}")), "a\nc");
    assert_eq!(text("a\nb", &format!("@@ -1,2 +1 @@\n a\n-b\n{mark}")), "a\n");
    assert_eq!(text("a\r\nb", &format!("@@ -1,2 +1,3 @@\n a\n+x\n b\n{mark}")), "a\r\nx\r\nb");
    let error = edited("a\nb\n", &format!("@@ -2 +2 @@\n-b\n{mark}+c\n")).unwrap_err();
    assert_eq!(
        error.message(),
        "Hunk 1 does not match at line 2: expected no newline after \"b\", found one."
    );
    let error = edited("a\nb\n", &format!("@@ -1 +1 @@\n-a\n+c\n{mark}")).unwrap_err();
    assert_eq!(
        error.message(),
        "Hunk 1 does not match at line 2: expected the end of the file, found \"b\"."
    );
}

#[test]
fn long_lines_are_cut_in_errors() {
    let patch = format!("@@ -1 +1 @@\n-{}\n+x\n", "p".repeat(200));
    let error = edited(&"q".repeat(200), &patch).unwrap_err();
    assert_eq!(error.details()["first_difference"]["expected"], "p".repeat(80));
    assert!(error.message().len() < 260);
}
