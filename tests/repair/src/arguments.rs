//! The twelve tools as one struct of arguments each, for libraries whose tools take one; [`crate::ours`] has the same as
//! functions. Twice: as serde's derive has them, and with `deny_unknown_fields`.
//!
//! Bounds stand in the schema, and a tool checks them itself, as there is nobody else who does.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

mod choices;
mod structs;

pub use choices::{Comparison, Encoding, Method, Priority, Room, Seating};
pub use structs::{loose, strict};

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
