//! Colours for people, as a value: on or off is decided once, from the streams and variables of the run.

use std::ffi::OsStr;

use crate::io::Io;
use crate::settings::Color;

/// Colours on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    on: bool,
}

impl Style {
    /// Decides for standard error.
    pub(crate) fn of(color: Color, io: &Io) -> Style {
        let dumb = io.var("TERM") == Some(OsStr::new("dumb"));
        let on = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if io.var("NO_COLOR").is_some() => false,
            Color::Auto => (io.tty.stderr && !dumb) || io.var("CLICOLOR_FORCE").is_some(),
        };
        Style { on }
    }

    /// The head of an error.
    pub(crate) fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// The head of a warning.
    pub(crate) fn warning(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// The words at fault.
    pub(crate) fn fault(self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    /// Setting, whether standard error is a terminal, variables, and the outcome.
    type Row = (Color, bool, &'static [(&'static str, &'static str)], bool);

    fn on(color: Color, stderr: bool, env: &[(&str, &str)]) -> bool {
        let mut io = Io::detached("/");
        io.tty.stderr = stderr;
        io.env = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        Style::of(color, &io).on
    }

    #[test]
    fn colours_are_for_terminals_unless_somebody_says_otherwise() {
        let rows: [Row; 8] = [
            (Color::Auto, true, &[], true),
            (Color::Auto, false, &[], false),
            (Color::Auto, true, &[("TERM", "dumb")], false),
            (Color::Auto, false, &[("CLICOLOR_FORCE", "1")], true),
            (Color::Auto, true, &[("NO_COLOR", "1")], false),
            (Color::Auto, true, &[("NO_COLOR", "")], true),
            (Color::Always, false, &[("NO_COLOR", "1")], true),
            (Color::Never, true, &[("CLICOLOR_FORCE", "1")], false),
        ];
        for (color, stderr, env, expected) in rows {
            assert_eq!(on(color, stderr, env), expected, "{color:?} {stderr} {env:?}");
        }
    }
}
