//! `lock!`: the contract of a tool set stays what was reviewed.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::check::IntoRegistry;
use super::update::{Mode, unless_ci};
use crate::contract::{Change, FILE, Lock, compare, worst};

/// Compares the tools of a registry, or of a set, with a lock file; the path is relative to the crate's `Cargo.toml`.
///
/// With `UPDATE=1` in the environment the file is written instead, but never where `CI` is set: there a stale file fails.
///
/// ```no_run
/// use tool_core::{Registry, RegistryError};
///
/// /// The registry of the program.
/// fn tools() -> Result<Registry, RegistryError> {
///     Registry::builder().build()
/// }
///
/// tool_core::tool_set! {
///     /// The tools of a library.
///     pub static TOOLS = [];
/// }
///
/// // in a test:
/// tool_core::lock!("tools.lock", tools()?);
/// tool_core::lock!("set.lock", &TOOLS);
/// # Ok::<(), RegistryError>(())
/// ```
///
/// # Panics
/// With every change by its class, and what to do.
#[macro_export]
macro_rules! lock {
    ($file:expr, $registry:expr $(,)?) => {{
        let path = ::std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join($file);
        match $crate::test::locked(&path, &$registry) {
            Ok(written) => $crate::test::tell(&written),
            Err(changes) => panic!("{changes}"),
        }
    }};
}

/// What [`lock!`](crate::lock!) does; gives a line for the file where it was written, and one for each change of it.
///
/// # Errors
/// Every change by its class, and what to do.
pub fn locked(path: &Path, tools: impl IntoRegistry) -> Result<Vec<String>, String> {
    let registry = tools.into_registry().map_err(|error| error.to_string())?;
    let lock = Lock::of(&registry).map_err(|error| error.to_string())?;
    let (shown, now) = (path.display(), lock.text().map_err(|error| error.to_string())?);
    let was = Lock::load(path);
    if Mode::of_environment() == Mode::Update {
        if was.as_ref().is_ok_and(|was| *was == now) {
            return Ok(Vec::new());
        }
        fs::write(path, now).map_err(|error| format!("{shown}: {error}"))?;
        let changes =
            was.ok().and_then(|was| Lock::read(&was).ok()).map(|was| compare(&was.tools, &lock.tools));
        let lines = changes.iter().flatten().map(|change| format!("  {change}"));
        return Ok(std::iter::once(format!("wrote {shown}")).chain(lines).collect());
    }
    let was = was.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            format!("{shown}: {error}; run the test with UPDATE=1 to write it{}", unless_ci())
        }
        _ => format!("{shown}: {error}"),
    })?;
    let was = Lock::read(&was).map_err(|error| {
        // The file may have another name than the one that it has beside a program.
        let (told, own) = (error.to_string(), format!("{shown}:"));
        told.strip_prefix(FILE).map_or_else(|| format!("{own} {told}"), |rest| format!("{shown}{rest}"))
    })?;
    let changes = compare(&was.tools, &lock.tools);
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let lines: String = changes.iter().map(|change| format!("  {change}\n")).collect();
    let class = worst(&changes);
    Err(format!(
        "{shown}: the tools changed ({class}):\n{lines}{}Run the test with UPDATE=1 where this is meant.{}",
        kept_names(&changes),
        unless_ci()
    ))
}

/// What keeps callers of an old name, where one may have been given up.
fn kept_names(changes: &[Change]) -> &'static str {
    let has = |code: &str| changes.iter().any(|change| change.code == code);
    let is_renamed = has("tool_removed") && has("tool_added")
        || has("param_removed") && (has("param_added") || has("required_param_added"));
    match is_renamed {
        true => "An old name that becomes an alias of the new one still works: `aliases = [\"…\"]`.\n",
        false => "",
    }
}
