//! The twelve tools as one struct of arguments each, for libraries whose tools take one; [`crate::ours`] has the same as
//! functions. Twice: as serde's derive has them, and with `deny_unknown_fields`.
//!
//! Bounds stand in the schema, and a tool checks them itself, as there is nobody else who does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The arguments of one tool.
pub trait Arguments: DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static {
    /// The tool's name.
    const NAME: &'static str;
    /// What it is said to do.
    const DESCRIPTION: &'static str;

    /// The numbers that have bounds: name, value, least, greatest.
    fn bounded(&self) -> Vec<(&'static str, f64, f64, f64)> {
        Vec::new()
    }

    /// What a careful author checks first.
    ///
    /// # Errors
    /// A sentence that names the argument, its bounds and what came.
    fn check(&self) -> Result<(), String> {
        let wrong =
            self.bounded().into_iter().find(|(_, value, least, greatest)| value < least || value > greatest);
        wrong.map_or(Ok(()), |(name, value, least, greatest)| {
            Err(format!("`{name}` must be {least}..={greatest}, got {value}"))
        })
    }
}

/// How a text is encoded.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// ISO 8859-1.
    Latin1,
    /// UTF-16.
    Utf16,
}

/// How urgent something is.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Some day.
    Low,
    /// This month.
    Medium,
    /// This week.
    High,
    /// Today.
    Urgent,
}

/// What is asked of a server.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Read.
    Get,
    /// Create.
    Post,
    /// Replace.
    Put,
    /// Change.
    Patch,
    /// Remove.
    Delete,
}

/// Where guests sit.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Seating {
    /// In the house.
    Inside,
    /// Outside.
    Terrace,
    /// At the bar.
    AtTheBar,
}

/// A room of the house.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Room {
    /// The living room.
    LivingRoom,
    /// The bedroom.
    Bedroom,
    /// The kitchen.
    Kitchen,
}

/// How a column is compared.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Greater.
    Gt,
    /// Matches a pattern.
    Like,
}

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

/// The names, texts and bounds of the tools, in both modules.
macro_rules! tools {
    ($($kind:ident $name:literal $does:literal [$($field:ident $least:literal..=$greatest:literal),*];)*) => {
        tools!(@in loose $($kind $name $does [$($field $least..=$greatest),*];)*);
        tools!(@in strict $($kind $name $does [$($field $least..=$greatest),*];)*);

        /// The names of the tools.
        pub const NAMES: &[&str] = &[$($name),*];

        /// Gives each type of arguments of a module to a macro: `with_each!(loose, add)` is `add!(ReadText); …`.
        #[macro_export]
        macro_rules! with_each {
            ($module:ident, $macro:ident) => { $($macro!($crate::arguments::$module::$kind);)* };
        }
    };
    (@in $module:ident $($kind:ident $name:literal $does:literal [$($field:ident $least:literal..=$greatest:literal),*];)*) => {
        $(impl Arguments for $module::$kind {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $does;

            fn bounded(&self) -> Vec<(&'static str, f64, f64, f64)> {
                vec![$((stringify!($field), self.$field.number(), f64::from($least), f64::from($greatest))),*]
            }
        })*
    };
}

/// A number, or one that was left out and is within all bounds.
trait Number {
    fn number(&self) -> f64;
}

impl Number for u32 {
    fn number(&self) -> f64 {
        f64::from(*self)
    }
}

impl Number for f64 {
    fn number(&self) -> f64 {
        *self
    }
}

impl Number for Option<u8> {
    fn number(&self) -> f64 {
        self.map_or(0.0, f64::from)
    }
}

tools! {
    ApplyEdits "apply_edits" "Changes lines of a file." [];
    BookTable "book_table" "Books a table." [];
    CreateIssue "create_issue" "Files an issue." [];
    DrawShape "draw_shape" "Draws a shape." [];
    HttpRequest "http_request" "Asks a server." [timeout 0.1..=300.0];
    MoveFile "move_file" "Moves a file." [];
    PlotPoints "plot_points" "Draws a diagram of points." [width 64..=4096, height 64..=4096];
    QueryTable "query_table" "Reads rows of a table." [limit 1..=1000];
    ReadText "read_text" "Reads lines of a file." [start 1..=4_294_967_295_u32, limit 1..=10_000];
    SearchCode "search_code" "Searches files." [context 0..=20];
    SendEmail "send_email" "Sends a message." [];
    SetThermostat "set_thermostat" "Sets how warm a room is." [celsius 5.0..=30.0];
}
