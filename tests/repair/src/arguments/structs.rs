//! The arguments of each tool, and what they are made of.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::choices::{Comparison, Encoding, Method, Priority, Room, Seating};

fn one() -> u32 {
    1
}

fn two_hundred() -> u32 {
    200
}

fn hundred() -> u32 {
    100
}

fn thirty() -> f64 {
    30.0
}

fn width() -> u32 {
    640
}

fn height() -> u32 {
    480
}

/// The same items in two modules, in the second with `deny_unknown_fields`.
macro_rules! structs {
    ($({ $($item:tt)* })*) => {
        /// As serde's derive has them: a key that no field has is dropped.
        pub mod loose {
            use super::*;
            $(#[derive(Deserialize, Serialize, JsonSchema, Clone, Debug)] $($item)*)*
        }
        /// With `deny_unknown_fields`.
        pub mod strict {
            use super::*;
            $(#[derive(Deserialize, Serialize, JsonSchema, Clone, Debug)] #[serde(deny_unknown_fields)] $($item)*)*
        }
    };
}

structs! {
    {
        /// A place on a sheet.
        pub struct Point {
            /// To the right.
            pub x: f64,
            /// Down.
            pub y: f64,
        }
    }
    {
        /// A shape.
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum Shape {
            /// A circle.
            Circle {
                /// Its radius.
                radius: f64
            },
            /// A rectangle.
            Rectangle {
                /// Its width.
                width: f64,
                /// Its height.
                height: f64
            },
        }
    }
    {
        /// A file that goes with a message.
        pub struct Attachment {
            /// Its name.
            pub name: String,
            /// Its size.
            pub kilobytes: u32,
            /// Whether it is shown in the text.
            #[serde(default)]
            pub inline: bool,
        }
    }
    {
        /// Who comes.
        pub struct Guest {
            /// The name on the list.
            pub name: String,
            /// Where to call.
            pub phone: Option<String>,
        }
    }
    {
        /// How many come.
        pub struct Party {
            /// Grown-ups.
            pub adults: u8,
            /// Children.
            #[serde(default)]
            pub children: u8,
        }
    }
    {
        /// A change of lines.
        #[serde(rename_all = "snake_case")]
        pub enum Edit {
            /// Adds text before a line.
            Insert {
                /// Before which.
                line: u32,
                /// What.
                text: String
            },
            /// Removes lines.
            Delete {
                /// From.
                first: u32,
                /// To, inclusive.
                last: u32
            },
            /// Puts text in the place of lines.
            Replace {
                /// From.
                first: u32,
                /// To, inclusive.
                last: u32,
                /// What.
                text: String
            },
        }
    }
    {
        /// Which rows.
        pub struct Condition {
            /// The column.
            pub column: String,
            /// How it is compared.
            pub op: Comparison,
            /// With what.
            pub value: Value,
        }
    }
    {
        /// In which order.
        pub struct Order {
            /// The column.
            pub column: String,
            /// The greatest first.
            #[serde(default)]
            pub descending: bool,
        }
    }
    {
        /// Of `read_text`.
        pub struct ReadText {
            /// Which file.
            pub path: String,
            /// The first line.
            #[serde(default = "one")]
            #[schemars(range(min = 1))]
            pub start: u32,
            /// Most lines.
            #[serde(default = "two_hundred")]
            #[schemars(range(min = 1, max = 10_000))]
            pub limit: u32,
            /// How it is encoded.
            pub encoding: Option<Encoding>,
        }
    }
    {
        /// Of `search_code`.
        pub struct SearchCode {
            /// What to look for.
            pub pattern: String,
            /// Where.
            pub paths: Vec<String>,
            /// Whether case counts.
            #[serde(default)]
            pub case_sensitive: bool,
            /// Lines around a match.
            #[schemars(range(max = 20))]
            pub context: Option<u8>,
            /// Extensions of files.
            #[serde(default)]
            pub file_types: Vec<String>,
        }
    }
    {
        /// Of `create_issue`.
        pub struct CreateIssue {
            /// In a few words.
            pub title: String,
            /// In many.
            pub body: Option<String>,
            /// Labels.
            #[serde(default)]
            pub labels: Vec<String>,
            /// How urgent it is.
            pub priority: Option<Priority>,
            /// The number of the milestone.
            pub milestone: Option<u64>,
        }
    }
    {
        /// Of `draw_shape`.
        pub struct DrawShape {
            /// What.
            pub shape: Shape,
            /// Where.
            pub at: Point,
            /// In which color.
            pub color: Option<String>,
            /// Whether it is filled.
            #[serde(default)]
            pub filled: bool,
        }
    }
    {
        /// Of `send_email`.
        pub struct SendEmail {
            /// To whom.
            pub to: Vec<String>,
            /// Copies.
            #[serde(default)]
            pub cc: Vec<String>,
            /// The subject.
            pub subject: String,
            /// The text.
            pub body: String,
            /// Files.
            #[serde(default)]
            pub attachments: Vec<Attachment>,
        }
    }
    {
        /// Of `http_request`.
        pub struct HttpRequest {
            /// Where.
            pub url: String,
            /// What.
            pub method: Option<Method>,
            /// Header fields.
            #[serde(default)]
            pub headers: BTreeMap<String, String>,
            /// How long to wait, in seconds.
            #[serde(default = "thirty")]
            #[schemars(range(min = 0.1, max = 300.0))]
            pub timeout: f64,
            /// Whether to follow redirects.
            #[serde(default)]
            pub follow: bool,
        }
    }
    {
        /// Of `book_table`.
        pub struct BookTable {
            /// Who.
            pub guest: Guest,
            /// How many.
            pub party: Party,
            /// The day, such as 2026-12-24.
            pub date: String,
            /// Where.
            pub seating: Option<Seating>,
        }
    }
    {
        /// Of `apply_edits`.
        pub struct ApplyEdits {
            /// Which file.
            pub path: String,
            /// The changes, in order.
            pub edits: Vec<Edit>,
            /// Whether to tell only.
            #[serde(default)]
            pub dry_run: bool,
        }
    }
    {
        /// Of `set_thermostat`.
        pub struct SetThermostat {
            /// Which room.
            pub room: Room,
            /// How warm.
            #[schemars(range(min = 5.0, max = 30.0))]
            pub celsius: f64,
            /// For how long.
            pub hours: Option<u8>,
            /// Whether the fan runs.
            #[serde(default)]
            pub fan: bool,
        }
    }
    {
        /// Of `move_file`.
        pub struct MoveFile {
            /// Which file.
            pub source: String,
            /// Where to.
            pub target: String,
            /// Whether a file there may go.
            #[serde(default)]
            pub overwrite: bool,
        }
    }
    {
        /// Of `query_table`.
        pub struct QueryTable {
            /// Which table.
            pub table: String,
            /// Which columns; all where none is named.
            #[serde(default)]
            pub columns: Vec<String>,
            /// Which rows.
            #[serde(default)]
            pub filter: Vec<Condition>,
            /// In which order.
            pub order: Option<Order>,
            /// Most rows.
            #[serde(default = "hundred")]
            #[schemars(range(min = 1, max = 1000))]
            pub limit: u32,
        }
    }
    {
        /// Of `plot_points`.
        pub struct PlotPoints {
            /// Above it.
            pub title: String,
            /// The points, each `[x, y]`.
            pub points: Vec<(f64, f64)>,
            /// Its width in pixels.
            #[serde(default = "width")]
            #[schemars(range(min = 64, max = 4096))]
            pub width: u32,
            /// Its height in pixels.
            #[serde(default = "height")]
            #[schemars(range(min = 64, max = 4096))]
            pub height: u32,
            /// Whether the scale is logarithmic.
            #[serde(default)]
            pub logarithmic: bool,
        }
    }
}
