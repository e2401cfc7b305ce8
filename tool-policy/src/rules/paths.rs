//! `allowed_paths` and `denied_paths`: globs on resolved paths.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use tool_core::{Effect, ToolError};

use super::{Finding, Lists, Names, Refusal, shown};
use crate::paths::Paths;

pub(crate) const NAMES: Names = Names {
    allowed: "allowed_paths",
    denied: "denied_paths",
    code_allowed: "path_not_allowed",
    code_denied: "path_denied",
};

/// A glob whose literal head is resolved. `dir/**` is two of them: what is below, and `dir` itself.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern(Vec<GlobMatcher>);

impl PathPattern {
    /// Reads a pattern; says why it is none.
    pub(crate) fn parse(text: &str, paths: &Paths) -> Result<PathPattern, String> {
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        if text.starts_with('~') {
            return Err("`~` is not read here; write the directory out".to_owned());
        }
        if text.contains('\0') {
            return Err("it holds NUL".to_owned());
        }
        if text.len() > 1 && text.ends_with('/') {
            return Err("it ends in `/`; write `dir` or `dir/**`".to_owned());
        }
        let segments: Vec<&str> =
            text.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
        for segment in &segments {
            check(segment)?;
        }
        let literal = segments.iter().take_while(|segment| !segment.contains(SPECIAL)).count();
        let (head, tail) = segments.split_at(literal);
        let start = if text.starts_with('/') { "/" } else { "" };
        let head = paths.resolve(&format!("{start}{}", head.join("/")));
        let head = head.ok_or_else(|| "its beginning leads in circles".to_owned())?;
        let head = globset::escape(&head.to_string_lossy());
        let head = if head == "/" { "" } else { &head };
        let whole = std::iter::once(head).chain(tail.iter().copied()).collect::<Vec<_>>().join("/");
        let mut globs = vec![glob(if whole.is_empty() { "/" } else { &whole })?];
        let mut above = whole.as_str();
        while let Some(outer) = above.strip_suffix("/**") {
            globs.push(glob(if outer.is_empty() { "/" } else { outer })?);
            above = outer;
        }
        Ok(PathPattern(globs))
    }

    fn matches(&self, path: &Path) -> bool {
        self.0.iter().any(|glob| glob.is_match(path))
    }
}

/// What a segment with one of these is no longer literal.
const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Whether a segment stands by itself: no `..`, `**` alone, brackets and braces closed.
fn check(segment: &str) -> Result<(), String> {
    if segment == ".." {
        return Err("`..` may not stand in it".to_owned());
    }
    if segment.contains("**") && segment != "**" {
        return Err("`**` must be a whole segment".to_owned());
    }
    glob(segment).map(drop)
}

fn glob(text: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(text).literal_separator(true).empty_alternates(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

impl Lists<PathPattern> {
    /// Judges a path.
    pub(crate) fn judge_path(&self, pointer: String, path: &str, paths: &Paths) -> Finding {
        let Some(resolved) = paths.resolve(path) else {
            let refusal = Refusal::denied("path_not_allowed", format!("path {} leads nowhere", shown(path)));
            return Finding { rule: NAMES.allowed.to_owned(), pointer, refusal: Some(refusal) };
        };
        let what = format!("path {}", shown(path));
        let matches = |pattern: &PathPattern| pattern.matches(&resolved);
        let (rule, refusal) = self.judge(&NAMES, &what, matches, matches);
        Finding { rule: rule.to_owned(), pointer, refusal }
    }

    /// Judges a resolved path: what capabilities ask again about what they opened.
    pub(crate) fn judge_opened(&self, tool: &str, path: &Path) -> Result<(), ToolError> {
        let matches = |pattern: &PathPattern| pattern.matches(path);
        let what = format!("path {}", shown(&path.to_string_lossy()));
        let Some(refusal) = self.judge(&NAMES, &what, matches, matches).1 else { return Ok(()) };
        // Nothing was done with what is open.
        let error = ToolError::new(refusal.kind, format!("{tool}: {}", refusal.text)).code(refusal.code);
        Err(error.effect(Effect::None).detail("layer", "gate"))
    }
}
