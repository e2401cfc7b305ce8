//! The words that settings are written with, the same in an option, a variable and the settings file.

use std::time::Duration;

use tool_core::IssueCode;
use tool_core::args::{did_you_mean, suggest};

use super::Color;
use crate::duration;
use crate::format::Format;
use crate::globals::Global;
use crate::select::Selection;

/// Why a word is none.
pub(super) struct Misfit {
    pub(super) code: IssueCode,
    pub(super) expected: String,
    pub(super) hint: Option<String>,
}

/// When to use colours, with their words.
pub(crate) const COLORS: [(Color, &str); 3] =
    [(Color::Auto, "auto"), (Color::Always, "always"), (Color::Never, "never")];

/// The levels of the log, least first.
pub(crate) const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// One of a list of words.
pub(super) fn choice<T: Copy>(word: &str, choices: &[(T, &'static str)]) -> Result<T, Misfit> {
    if let Some(choice) = choices.iter().find(|choice| choice.1 == word) {
        return Ok(choice.0);
    }
    let near = suggest(word, choices.iter().map(|choice| (choice.1, choice.1)));
    Err(Misfit { code: IssueCode::Choice, expected: one_of(choices), hint: did_you_mean(&near) })
}

fn one_of<T>(choices: &[(T, &'static str)]) -> String {
    let words: Vec<String> = choices.iter().map(|choice| format!("\"{}\"", choice.1)).collect();
    format!("one of {}", words.join(", "))
}

/// What an option of the program takes, for somebody who gave nothing.
pub(crate) fn expected(global: Global) -> Option<String> {
    let plain = |text: &str| Some(text.to_owned());
    match global {
        Global::Format => Some(one_of(&Format::ALL)),
        Global::Color => Some(one_of(&COLORS)),
        Global::Timeout => Some(format!("{TIME}, such as 30s")),
        Global::Select => plain(PATHS),
        Global::Input => plain("a JSON object, @FILE or -"),
        Global::Root => plain("a directory"),
        Global::Out | Global::Config | Global::Policy => plain("a file"),
        Global::IdempotencyKey => plain("a key"),
        _ => None,
    }
}

/// What `--timeout` takes.
const TIME: &str = "a time of 1ms to 1h";

/// What `--select` takes.
const PATHS: &str = "paths such as name, a.b[0], /pointer or $.query";

/// An output format.
pub(super) fn format(word: &str) -> Result<Format, Misfit> {
    choice(word, &Format::ALL)
}

/// When to use colours.
pub(super) fn color(word: &str) -> Result<Color, Misfit> {
    choice(word, &COLORS)
}

/// The word for when to use colours.
pub(super) fn of_color(color: Color) -> &'static str {
    COLORS.iter().find(|row| row.0 == color).map_or("", |row| row.1)
}

/// A length of time.
pub(super) fn timeout(word: &str) -> Result<Duration, Misfit> {
    duration::parse(word).ok_or_else(|| Misfit {
        code: IssueCode::Type,
        expected: TIME.to_owned(),
        hint: Some("write a whole number with ms, s, m or h, such as 30s".to_owned()),
    })
}

/// Parts of a result.
pub(super) fn select(word: &str) -> Result<Selection, Misfit> {
    Selection::parse(word).map_err(|why| Misfit {
        code: IssueCode::Syntax,
        expected: PATHS.to_owned(),
        hint: Some(why),
    })
}

/// What is logged: a level, or levels of targets, `warn,tool_std=debug`.
pub(super) fn log(word: &str) -> Result<String, Misfit> {
    let level = |word: &str| LEVELS.contains(&word);
    let directive = |part: &str| match part.split_once('=') {
        Some((target, word)) => {
            let named = target.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte));
            named && !target.is_empty() && level(word)
        }
        None => level(part),
    };
    if word.split(',').all(directive) {
        return Ok(word.to_owned());
    }
    Err(Misfit {
        code: IssueCode::Choice,
        expected: format!("{}, or TARGET=LEVEL for some targets, separated by commas", LEVELS.join(", ")),
        hint: did_you_mean(&suggest(word, LEVELS.iter().map(|level| (*level, *level)))),
    })
}
