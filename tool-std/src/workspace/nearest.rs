//! The name that somebody may have meant: the nearest one in the same directory, for hints alone.

use tool_core::args::{did_you_mean, suggest};

use super::Workspace;
use super::listing::{Kept, Listing};
use super::open::Handle;
use super::path::shown;
use super::protect::Use;

/// Names looked at.
const NAMES_MAX: usize = 10_000;

/// ``did you mean `b`?``, if a name of the directory is near.
pub(crate) fn nearest(workspace: &Workspace, directory: &Handle, name: &[u8]) -> Option<String> {
    let wanted = shown(name);
    let mut names = Vec::new();
    let mut listing = Listing::new(directory.directory().ok()?, None, NAMES_MAX);
    listing
        .fill(&mut |name, _| {
            let path = directory.relative.join(name);
            let shows = workspace.names().permit(&path, Use::List);
            if !shows {
                return Ok(Kept::No);
            }
            names.push(shown(name));
            Ok(if names.len() < NAMES_MAX { Kept::No } else { Kept::Stop })
        })
        .ok()?;
    names.sort_unstable();
    let candidates = names.iter().map(|name| (name.as_str(), name.as_str()));
    did_you_mean(&suggest(&wanted, candidates))
}
