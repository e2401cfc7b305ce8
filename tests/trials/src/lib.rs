//! How thoroughly the tests of this workspace run, and what they do where something is missing: for them the one place that reads
//! `TOOL_FULL`, `TOOL_REQUIRE_PEERS`, `TOOL_LOAD_FACTOR` and `TOOL_VECTORS`, and that says whether files with what is expected are
//! written. (What is published has its own: the kit, and the conformance suite of journals.) It depends on no other member, so that every crate's tests can have it.

#![allow(clippy::print_stdout, clippy::panic, reason = "it speaks for tests")]

mod budgets;
mod directory;
mod listening;
mod log;
pub mod vectors;

pub use budgets::*;
pub use directory::{Directory, directory};
pub use listening::{Listening, listening};
pub use log::Log;

use std::path::Path;
use std::time::Duration;

/// How much slower a machine may be than the one that limits of time are meant for, when nothing else is said.
const LOAD_FACTOR: u32 = 5;

/// Whether everything is tried as often as the specification says: `TOOL_FULL=1`.
pub fn is_full() -> bool {
    is_set("TOOL_FULL")
}

/// The number of the specification in the full run, a tenth of it otherwise.
pub fn rounds(full: usize) -> usize {
    if is_full() { full } else { full.div_ceil(10) }
}

/// One of two values, by whether this is the full run.
pub fn by_effort<T>(full: T, otherwise: T) -> T {
    if is_full() { full } else { otherwise }
}

/// Whether what a test needs must be there: `TOOL_REQUIRE_PEERS=1`.
pub fn requires_peers() -> bool {
    is_set("TOOL_REQUIRE_PEERS")
}

/// Says that a test does not run here.
///
/// # Panics
/// When what it needs must be there.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
    assert!(!requires_peers(), "required: {reason}");
}

/// Whether a program is installed.
pub fn is_installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
}

/// Whether a program is installed; where it is not, [`skip`] says so.
pub fn has_program(name: &str) -> bool {
    let found = is_installed(name);
    if !found {
        skip(&format!("{name} is not installed"));
    }
    found
}

/// Why cargo cannot build beside these tests; nothing where it can.
pub fn why_not_build() -> Option<&'static str> {
    if !Path::new(env!("CARGO")).exists() {
        return Some("cargo cannot be reached");
    }
    let own = std::env::current_exe().ok()?;
    let probe = own.parent()?.join(format!(".written-by-{}", std::process::id()));
    let written = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(&probe);
    let _ = std::fs::remove_file(probe);
    written.is_err().then_some("the target directory cannot be written")
}

/// Whether cargo can build beside these tests; where it cannot, [`skip`] says so.
pub fn can_build() -> bool {
    let why = why_not_build();
    if let Some(reason) = why {
        skip(reason);
    }
    why.is_none()
}

/// How much slower this machine may be than the one that limits of time are meant for: `TOOL_LOAD_FACTOR`.
pub fn load_factor() -> u32 {
    std::env::var("TOOL_LOAD_FACTOR").ok().and_then(|text| text.parse().ok()).unwrap_or(LOAD_FACTOR)
}

/// The CPU time of this thread: what something costs, however busy the machine is. Nothing where the kernel does not tell.
pub fn cpu_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Whether files with what is expected are written anew: `UPDATE=1`, but never where `CI` is set. There a stale file fails.
pub fn updates() -> bool {
    writes(said("UPDATE").as_deref(), said("CI").as_deref())
}

/// The same where a library has a variable of its own: `SNAPSHOTS=overwrite`.
pub fn overwrites(variable: &str) -> bool {
    let value = said(variable).filter(|value| value == "overwrite");
    writes(value.as_deref(), said("CI").as_deref())
}

/// Before a library reads that variable by itself, without a look at `CI`: it will not write where it must not.
///
/// # Panics
/// When it would.
pub fn keep_from_overwriting(variable: &str) {
    let is_asked = said(variable).is_some_and(|value| value == "overwrite");
    assert!(!is_asked || overwrites(variable), "{variable}=overwrite writes files, which `CI` forbids");
}

fn writes(asked: Option<&str>, ci: Option<&str>) -> bool {
    let is_on = |value: Option<&str>| value.is_some_and(|value| !value.is_empty() && value != "0");
    is_on(asked) && !is_on(ci)
}

fn said(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn is_set(name: &str) -> bool {
    std::env::var(name).as_deref() == Ok("1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_everything_is_a_tenth_and_never_nothing() {
        let expected = if is_full() { [1, 10, 200] } else { [1, 1, 20] };
        assert_eq!([1, 10, 200].map(rounds), expected);
        assert_eq!(by_effort("all", "some") == "all", is_full());
    }

    #[test]
    fn work_costs_time_and_waiting_does_not() {
        let spent = |act: fn()| {
            let before = cpu_time();
            act();
            cpu_time().saturating_sub(before)
        };
        let waiting = spent(|| std::thread::park_timeout(Duration::from_millis(300)));
        // The clock of a processor may stand for a while on a machine that is itself virtual.
        let (began, before) = (std::time::Instant::now(), cpu_time());
        while cpu_time() <= before && began.elapsed() < Duration::from_secs(10) {
            drop(std::hint::black_box(vec![1_u8; 1 << 20]));
        }
        let working = cpu_time().saturating_sub(before);
        assert!(waiting < Duration::from_millis(100) && working > Duration::ZERO, "{waiting:?} {working:?}");
    }

    #[test]
    fn files_are_written_when_that_is_asked_for_but_never_in_ci() {
        let cases = [(None, None, false), (Some("1"), None, true), (Some("1"), Some("1"), false)];
        let off = [(Some("0"), None, false), (Some(""), None, false), (Some("1"), Some("0"), true)];
        for (asked, ci, expected) in cases.into_iter().chain(off).chain([(Some("1"), Some("true"), false)]) {
            assert_eq!(writes(asked, ci), expected, "{asked:?} {ci:?}");
        }
    }

    #[test]
    fn what_is_missing_is_told_and_what_is_there_is_not_missing() {
        assert_eq!(can_build(), why_not_build().is_none());
        assert!(has_program("sh") && !is_installed("no-such-program"));
        assert_eq!(std::panic::catch_unwind(|| skip("a test of skipping")).is_err(), requires_peers());
    }
}
