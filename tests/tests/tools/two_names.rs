//! What a tool that takes a name and a new one refuses, whatever it does with them.

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};

use crate::common::{Case, fails};

/// The cases, for the parameters `from` and `to`.
pub(crate) fn cases() -> Vec<Case> {
    vec![
        fails(
            "what is not there",
            json!({"from": "gone.txt", "to": "new.txt"}),
            NotFound,
            "path_not_found",
            "gone.txt does not exist.\nhint: did you mean `none.txt` or `notes.txt`?",
        ),
        fails(
            "no parent",
            json!({"from": "notes.txt", "to": "x/y.txt"}),
            NotFound,
            "path_not_found",
            "x/y.txt does not exist.",
        ),
        fails(
            "a name that is taken",
            json!({"from": "notes.txt", "to": "todo.txt"}),
            Conflict,
            "already_exists",
            "todo.txt exists already.\nhint: use overwrite = true, or another name",
        ),
        fails(
            "a directory to go into",
            json!({"from": "notes.txt", "to": "d"}),
            Conflict,
            "already_exists",
            "d exists already.\nhint: to = \"d/notes.txt\"",
        ),
        fails(
            "an empty path",
            json!({"from": "notes.txt", "to": ""}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long name",
            json!({"from": "notes.txt", "to": "n".repeat(256)}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "to above the root",
            json!({"from": "notes.txt", "to": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "to a hook",
            json!({"from": "notes.txt", "to": ".git/hooks/pre-commit"}),
            Denied,
            "protected_path",
            ".git/hooks/pre-commit is a protected path.",
        ),
        fails(
            "below a file",
            json!({"from": "notes.txt", "to": "todo.txt/x"}),
            Failed,
            "not_a_directory",
            "todo.txt/x is not a directory.",
        ),
        fails(
            "a yes that is none",
            json!({"from": "notes.txt", "to": 1, "overwrite": "no!"}),
            InvalidArgs,
            "invalid_args",
            "2 arguments do not fit.\n/to: expected string, got integer 1\n/overwrite: expected boolean, got string \"no!\"",
        ),
    ]
}
