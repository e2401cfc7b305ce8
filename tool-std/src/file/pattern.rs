//! From the pattern of a search to a matcher: the syntax of the `regex` crate, within limits (files.md §11).

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::{Error as SyntaxError, ParserBuilder};
use tool_core::{Effect, IssueCode, ToolError};

use super::misfit::misfit;
use crate::limits::Limits;

/// How a pattern is meant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Syntax {
    pub(crate) literal: bool,
    pub(crate) ignore_case: bool,
    pub(crate) smart_case: bool,
    pub(crate) word: bool,
    pub(crate) multiline: bool,
}

/// The matcher of a pattern.
///
/// # Errors
/// `invalid_args` at `/pattern` above the limit of its length; `regex_invalid`, `regex_too_large`.
pub(crate) fn matcher(pattern: &str, syntax: Syntax, limits: &Limits) -> Result<RegexMatcher, ToolError> {
    if pattern.len() as u64 > limits.pattern_bytes {
        let expected = format!("string of at most {} bytes", limits.pattern_bytes);
        return Err(misfit(IssueCode::Length, "pattern", &expected, format!("{} bytes", pattern.len())));
    }
    let nest_limit = u32::try_from(limits.regex_nest_limit).unwrap_or(u32::MAX);
    if !syntax.literal {
        parse(pattern, nest_limit)?;
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .fixed_strings(syntax.literal)
        .case_insensitive(syntax.ignore_case)
        .case_smart(syntax.smart_case)
        .word(syntax.word)
        .crlf(true)
        .size_limit(usize::try_from(limits.regex_size_limit).unwrap_or(usize::MAX))
        .dfa_size_limit(usize::try_from(limits.regex_dfa_size_limit).unwrap_or(usize::MAX))
        .nest_limit(nest_limit);
    if syntax.multiline {
        builder.line_terminator(None);
    } else {
        builder.line_terminator(Some(b'\n')).crlf(true);
    }
    builder.build(pattern).map_err(|error| refused(error.kind(), limits))
}

/// The terminator that the searcher must agree on with the matcher.
pub(crate) fn line_terminator(matcher: &RegexMatcher) -> LineTerminator {
    matcher.line_terminator().unwrap_or_else(LineTerminator::crlf)
}

/// Looks for mistakes of the pattern itself, before anything is wrapped around it.
fn parse(pattern: &str, nest_limit: u32) -> Result<(), ToolError> {
    let parsed = ParserBuilder::new().nest_limit(nest_limit).utf8(false).build().parse(pattern);
    let (offset, why) = match parsed {
        Ok(_) => return Ok(()),
        Err(SyntaxError::Parse(error)) => (error.span().start.offset, error.kind().to_string()),
        Err(SyntaxError::Translate(error)) => (error.span().start.offset, error.kind().to_string()),
        Err(other) => (0, other.to_string()),
    };
    let character = pattern.get(..offset).map_or(0, |head| head.chars().count()) + 1;
    Err(invalid(format!("The pattern is not valid at character {character}: {why}.")))
}

fn invalid(message: String) -> ToolError {
    ToolError::invalid_args(message).code("regex_invalid").effect(Effect::None)
}

fn refused(kind: &ErrorKind, limits: &Limits) -> ToolError {
    match kind {
        ErrorKind::Regex(text) if text.contains("exceeds size limit") => {
            let limit = limits.regex_size_limit;
            ToolError::invalid_args(format!(
                "The pattern is too large when compiled (the limit is {limit} bytes)."
            ))
            .code("regex_too_large")
            .hint("use fewer or smaller repetitions and classes")
            .effect(Effect::None)
        }
        ErrorKind::NotAllowed(_) => {
            invalid("The pattern is not valid: it contains a line end, which no single line has.".to_owned())
                .hint("set multiline = true")
        }
        ErrorKind::Regex(text) => {
            let why =
                text.lines().last().unwrap_or_default().trim_start_matches("error: ").trim_end_matches('.');
            invalid(format!("The pattern is not valid: {why}."))
        }
        _ => invalid("The pattern is not valid.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(pattern: &str, syntax: Syntax) -> Result<RegexMatcher, (String, String)> {
        matcher(pattern, syntax, &Limits::default())
            .map_err(|error| (error.code_str().to_owned(), error.message().to_owned()))
    }

    #[test]
    fn a_bad_pattern_says_what_and_where() {
        let cases = [
            ("(?=a)b", "The pattern is not valid at character 1: look-around"),
            ("é[a", "The pattern is not valid at character 2: unclosed character class"),
            (r"(a)\1", "The pattern is not valid at character 4: backreferences are not supported"),
            ("a{2,1}", "The pattern is not valid at character 2: invalid repetition count range"),
        ];
        for (pattern, start) in cases {
            let (code, message) = build(pattern, Syntax::default()).unwrap_err();
            assert!(code.starts_with("regex_") && message.starts_with(start), "{pattern}: {code} {message}");
        }
        assert!(build("(?=a)b", Syntax { literal: true, ..Syntax::default() }).is_ok());
    }

    #[test]
    fn a_pattern_that_compiles_to_too_much_is_refused_at_once() {
        let start = tool_trials::cpu_time();
        assert_eq!(build(r"(\w{1000}){1000}", Syntax::default()).unwrap_err().0, "regex_too_large");
        // Without optimisation it takes some times as long as it may.
        assert!(tool_trials::cpu_time() - start < std::time::Duration::from_millis(2_500));
        assert!(build(r"(\w{10}){10}", Syntax::default()).is_ok());
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_stack_overflow() {
        assert_eq!(build(&"(".repeat(4_000), Syntax::default()).unwrap_err().0, "regex_invalid");
        let nested = format!("{}a{}", "(".repeat(1_000), ")".repeat(1_000));
        assert_eq!(build(&nested, Syntax::default()).unwrap_err().0, "regex_invalid");
        let fitting = format!("{}a{}", "(".repeat(100), ")".repeat(100));
        assert!(build(&fitting, Syntax::default()).is_ok());
    }

    #[test]
    fn a_line_end_needs_multiline() {
        assert_eq!(build("a\nb", Syntax::default()).unwrap_err().0, "regex_invalid");
        assert!(build("a\nb", Syntax { multiline: true, ..Syntax::default() }).is_ok());
        assert!(build("a\nb", Syntax { multiline: true, literal: true, ..Syntax::default() }).is_ok());
    }

    #[test]
    fn the_length_is_counted_in_bytes() {
        let error = matcher(&"é".repeat(4_097), Syntax::default(), &Limits::default()).unwrap_err();
        assert_eq!(error.arg_issues()[0].path, "/pattern");
        assert!(build(&"é".repeat(4_096), Syntax::default()).is_ok());
    }
}
