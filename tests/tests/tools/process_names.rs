//! What a tool that takes the name of a background process refuses, whatever it does with it.

use serde_json::json;
use tool_core::ErrorKind::{InvalidArgs, NotFound};

use crate::common::{Case, fails};

/// The cases, for the parameter `process_id`.
pub(crate) fn cases() -> Vec<Case> {
    vec![
        fails(
            "no such process",
            json!({"process_id": "p7"}),
            NotFound,
            "process_not_found",
            "There is no process p7.",
        ),
        fails("no name", json!({"process_id": ""}), NotFound, "process_not_found", "There is no process ."),
        fails(
            "upper case",
            json!({"process_id": "P1"}),
            NotFound,
            "process_not_found",
            "There is no process P1.",
        ),
        fails(
            "a blank too many",
            json!({"process_id": "p1 "}),
            NotFound,
            "process_not_found",
            "There is no process p1 .",
        ),
        fails(
            "another script",
            json!({"process_id": "größe"}),
            NotFound,
            "process_not_found",
            "There is no process größe.",
        ),
        fails(
            "a long name",
            json!({"process_id": "p".repeat(81)}),
            NotFound,
            "process_not_found",
            "There is no process pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp.",
        ),
        fails(
            "nothing said",
            json!({}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/process_id: missing; expected string",
        ),
    ]
}
