//! The workspace: the one directory tree that file tools see, and every rule of how they reach into it.
//!
//! A path goes through [`resolve`] (text), `locate` (links), the checks of this file (protected names, links, mounts)
//! and only then is it opened, always beneath a root handle that is opened once. After the text every decision is about
//! an open handle, never about a name alone. (Source: sandbox.md §1–§5.)

mod budget;
mod content;
mod descriptor;
mod destination;
mod directories;
mod entry;
mod evidence;
mod fallback;
mod fault;
mod filter;
mod identity;
mod ignores;
mod listing;
mod locate;
mod lock;
pub mod managed;
mod moved;
mod nearest;
mod open;
mod path;
mod plain;
pub mod policy;
pub mod protect;
mod quota;
mod read;
pub(crate) mod refusal;
mod replace;
pub mod resolve;
mod sweep;
mod target;
mod temporary;
mod tree;
mod truncation;
mod undo_bytes;
mod unfollowed;
mod unreadable;
mod walk;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;
use tool_core::{ToolContext, ToolError};

pub use entry::Entry;
pub use fault::{Fault, FileFaults, Operation};
pub use filter::Skipped;
pub use locate::Located;
pub use open::Resolver;
pub use path::{Relative, shown};
pub use policy::{Protect, Rule, WorkspacePolicy};
pub use protect::{Class, Use};
pub use quota::Usage;
pub use resolve::{Roots, WorkspacePath};
pub use truncation::Truncation;
pub use undo_bytes::evidence_places;
pub use unreadable::{Unreadable, UnreadablePlace};
pub use walk::{GitDirectories, Walk, WalkOptions};

use crate::limits::Limits;
pub(crate) use destination::{Destination, HeldDestination};
pub use evidence::forget_evidence;
pub(crate) use evidence::{Deed, Evidence, Intent, Seen};
pub(crate) use fault::Faults;
use identity::Way;
use locate::Place;
use lock::Locks;
pub(crate) use open::Handle;
use open::Opener;
pub(crate) use protect::Names;
use protect::Places;
pub(crate) use quota::Change;
use quota::Quota;
pub(crate) use target::{Parents, Taken, Target};
pub(crate) use temporary::Temporary;
pub(crate) use temporary::random_name;
pub(crate) use tree::{Purpose, TemporaryTree, TreeCopy};
pub(crate) use unfollowed::Named;

/// A directory tree and its rules; a capability, cheap to clone.
///
/// The value that a tool gets is bound to its call ([`Workspace::for_call`]): it ends with the call, and a tool that
/// declares no side effect cannot write through it.
#[derive(Clone, Debug)]
pub struct Workspace {
    tree: Arc<Tree>,
    call: Option<ToolContext>,
}

/// What all calls share.
#[derive(Debug)]
struct Tree {
    configured: PathBuf,
    /// The root without links.
    real: PathBuf,
    roots: Roots,
    opener: Opener,
    names: Names,
    quota: Quota,
    locks: Arc<Locks>,
    policy: WorkspacePolicy,
    /// Held for as long as a managed workspace is open.
    stamp: Option<File>,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Writing at the end.
    Append,
}

impl Workspace {
    /// Opens a tree by its root, which may itself be a link.
    ///
    /// # Errors
    /// `not_found`/`workspace_missing`, `not_configured` for a policy that cannot hold.
    pub fn open(root: &Path, policy: WorkspacePolicy) -> Result<Self, ToolError> {
        // It can only take away, so that the fallback can be tried.
        let forced = std::env::var(crate::sandbox::FORCE_MISSING).unwrap_or_default();
        let missing: Vec<&str> = forced.split(',').map(str::trim).collect();
        Self::open_with(root, policy, &missing)
    }

    /// Opens the workspace that an owner has under an id below the data directory; it is made if it is not there.
    ///
    /// # Errors
    /// `workspace_id_invalid`; those of [`Workspace::open`].
    pub fn managed(data: &Path, owner: &str, id: &str, policy: WorkspacePolicy) -> Result<Self, ToolError> {
        let (root, stamp) = managed::make(data, owner, id)?;
        if let Some(age) = policy.max_age
            && let Err(error) = sweep::unused(data, age, SystemTime::now())
        {
            tracing::warn!(%error, "unused workspaces could not be swept");
        }
        let mut policy = policy.managed();
        policy.sealed.push(data.join(managed::DIRECTORY));
        let mut workspace = Self::open(&root, policy)?;
        if let Some(tree) = Arc::get_mut(&mut workspace.tree) {
            tree.stamp = Some(stamp);
        }
        Ok(workspace)
    }

    /// Deletes all managed workspaces of an owner; says whether there were any.
    ///
    /// # Errors
    /// `workspace_id_invalid`, `permission_denied`, `io_error`.
    pub fn delete_owner(data: &Path, owner: &str) -> Result<bool, ToolError> {
        let name = managed::directory_name(owner)?;
        sweep::owner(data, &name).map_err(|error| refusal::io(&name, &error))
    }

    /// Opens a tree without some means of the system (`openat2`), so that each fallback can be tested.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn open_with(root: &Path, policy: WorkspacePolicy, missing: &[&str]) -> Result<Self, ToolError> {
        let (shown_root, echo) = (root.display().to_string(), policy.limits.echo_chars);
        let shown_root = refusal::echo(&shown_root, echo);
        let failed = |error: std::io::Error| root_error(shown_root, &error);
        let configured = std::path::absolute(root).map_err(failed)?;
        let opener = Opener::new(&configured, policy.mounts, missing.contains(&"openat2"))
            .map_err(|errno| failed(errno.into()))?;
        let real = std::fs::canonicalize(&configured).map_err(failed)?;
        let (mut links, mut left) = (Vec::new(), Vec::new());
        let mut below = |paths: &[PathBuf]| -> Vec<Relative> {
            let ways: Vec<Way> = paths.iter().map(|path| identity::way(&real, path)).collect();
            links.extend(ways.iter().flat_map(|way| way.links.clone()));
            left.extend(ways.iter().flat_map(|way| way.left.clone()));
            ways.into_iter().filter_map(|way| way.place).collect()
        };
        let sealed = [below(&policy.sealed), below(&policy.sealed_files)].concat();
        let guarded = below(&policy.guarded_files);
        let places = Places { sealed, guarded, links, left };
        let workspace = Self {
            tree: Arc::new(Tree {
                roots: Roots::new(&configured, &real).echoing(echo),
                opener,
                names: Names::new(&policy.protect, places)?,
                quota: Quota::new(policy.max_bytes, policy.max_files),
                locks: Arc::default(),
                policy,
                configured,
                real,
                stamp: None,
            }),
            call: None,
        };
        workspace.sweep()?;
        workspace.measure()?;
        Ok(workspace)
    }

    /// The same tree bound to a call: its deadline, cancellation and effects.
    #[must_use]
    pub fn for_call(&self, ctx: &ToolContext) -> Self {
        Self { tree: Arc::clone(&self.tree), call: Some(ctx.clone()) }
    }

    /// The root as configured.
    pub fn root(&self) -> &Path {
        &self.tree.configured
    }

    /// Who resolves paths.
    pub fn resolver(&self) -> Resolver {
        self.tree.opener.resolver()
    }

    /// Whether this is a managed workspace.
    pub fn is_managed(&self) -> bool {
        self.tree.stamp.is_some()
    }

    /// Lets somebody decide from now on which operations fail, for tests of what is left behind then. Says whether nobody else
    /// does already.
    pub fn inject(&self, faults: Arc<dyn FileFaults>) -> bool {
        self.tree.opener.inject(faults)
    }

    /// Who decides which operations fail.
    pub(crate) fn faults(&self) -> Faults {
        self.tree.opener.faults()
    }

    /// The rules.
    pub fn policy(&self) -> &WorkspacePolicy {
        &self.tree.policy
    }

    /// The limits of the file tools.
    pub fn limits(&self) -> &Limits {
        &self.tree.policy.limits
    }

    /// How many names of a class are protected.
    pub fn protected(&self, class: Class) -> usize {
        self.tree.names.count(class)
    }

    /// Fails when the call should end; looked at before each file, directory and 64 KiB.
    ///
    /// # Errors
    /// `cancelled`, `timeout`.
    pub fn check(&self) -> Result<(), ToolError> {
        self.call.as_ref().map_or(Ok(()), ToolContext::check)
    }

    /// The path that a text means: text only (sandbox.md §1).
    ///
    /// # Errors
    /// `path_invalid`, `path_too_long`, `path_escape`.
    pub fn resolve(&self, path: &Path) -> Result<WorkspacePath, ToolError> {
        self.tree.roots.resolve(path)
    }

    /// Where a path leads once links are followed; what does not exist stays as it is.
    ///
    /// # Errors
    /// Those of files.md §3 for paths.
    pub fn locate(&self, path: &WorkspacePath) -> Result<Located, ToolError> {
        locate::locate(&self.tree.opener, path)
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// Those of files.md §3 for paths; `effect_not_declared` for writing in a call that declares none.
    pub fn open_file(&self, path: &WorkspacePath, access: Access) -> Result<File, ToolError> {
        if access == Access::Append {
            self.may_write()?;
        }
        let opened = match access {
            Access::Read => self.file_to_read(path)?.into_reader(),
            Access::Append => self.regular_file(path, Use::Write)?.reopen(OFlags::WRONLY | OFlags::APPEND),
        };
        opened.map_err(|errno| refusal::system(path.given(), errno))
    }

    /// Walks the tree below a directory in the order of paths.
    ///
    /// # Errors
    /// Those of files.md §3 for paths.
    pub fn walk(&self, from: &WorkspacePath, options: WalkOptions) -> Result<Walk<'_>, ToolError> {
        let start = self.directory(from)?;
        Walk::new(self, start, from, options)
    }

    /// The handle of a regular file that may be used so.
    pub(crate) fn regular_file(&self, path: &WorkspacePath, wanted: Use) -> Result<Handle, ToolError> {
        let handle = self.existing(path, wanted)?;
        match FileType::from_raw_mode(handle.stat.st_mode) {
            FileType::RegularFile if path.names_directory() => Err(refusal::not_a_directory(path.given())),
            FileType::RegularFile => Ok(handle),
            FileType::Directory => Err(refusal::is_a_directory(path.given())),
            other => Err(refusal::not_regular_file(path.given(), other)),
        }
    }

    /// The handle of a regular file that may be read; it is open already where that is cheap.
    pub(crate) fn file_to_read(&self, path: &WorkspacePath) -> Result<Handle, ToolError> {
        self.check()?;
        self.permit(path.given(), path.relative(), Use::Read)?;
        self.announce_open(path.given())?;
        match self.opener().plain(path.relative()) {
            Some(handle) if !path.names_directory() => {
                self.tell(path, Use::Read);
                self.permit_handle(path.given(), &handle, Use::Read)?;
                Ok(handle)
            }
            _ => self.regular_file(path, Use::Read),
        }
    }

    /// Announces that a file is opened: the cheap ways of opening do not announce themselves.
    fn announce_open(&self, given: &str) -> Result<(), ToolError> {
        self.opener().before(Operation::Open).map_err(|errno| refusal::system(given, errno))
    }

    /// The handle of a directory that may be listed.
    pub(crate) fn directory(&self, path: &WorkspacePath) -> Result<Handle, ToolError> {
        let handle = self.existing(path, Use::List)?;
        match FileType::from_raw_mode(handle.stat.st_mode) {
            FileType::Directory => Ok(handle),
            _ => Err(refusal::not_a_directory(path.given())),
        }
    }

    /// The handle of whatever is at a path, checked for a use.
    pub(crate) fn existing(&self, path: &WorkspacePath, wanted: Use) -> Result<Handle, ToolError> {
        match self.located(path, wanted)?.place {
            Place::Existing(handle) => Ok(handle),
            Place::Missing { .. } if path.names_directory() && wanted != Use::List => {
                Err(refusal::path_invalid(path.given(), "it names a directory and nothing is there"))
            }
            Place::Missing { directory, names } => Err(self.not_found(path, &directory, &names)),
        }
    }

    /// Where a path leads, checked for a use by its text, by its path without links and by its identity.
    pub(crate) fn located(&self, path: &WorkspacePath, wanted: Use) -> Result<Located, ToolError> {
        self.begin(path, wanted)?;
        let located = self.locate(path)?;
        self.permit(path.given(), &located.relative(), wanted)?;
        match &located.place {
            Place::Existing(handle) => self.permit_handle(path.given(), handle, wanted)?,
            Place::Missing { .. } => self.permit_by_policy(&located.relative())?,
        }
        Ok(located)
    }

    /// Tells of a use of a path, and refuses it where its text alone says that it must be.
    pub(crate) fn begin(&self, path: &WorkspacePath, wanted: Use) -> Result<(), ToolError> {
        self.check()?;
        self.tell(path, wanted);
        self.permit(path.given(), path.relative(), wanted)
    }

    /// Tells whoever listens to the call of a use of a path.
    fn tell(&self, path: &WorkspacePath, wanted: Use) {
        if let Some(call) = &self.call {
            call.accesses("files", format_args!("{} {}", wanted.word(), path.given()));
        }
    }

    /// Refuses a path whose name is protected against a use.
    pub(crate) fn permit(&self, given: &str, path: &Relative, wanted: Use) -> Result<(), ToolError> {
        match self.tree.names.permit(path, wanted) {
            true => Ok(()),
            false => Err(refusal::protected_path(given)),
        }
    }

    /// Refuses a path without links, of what is open or about to be made, that the agent's policy refuses to the running
    /// tool. Its parameter was judged before, by what the name meant then (calls.md §4).
    pub(crate) fn permit_by_policy(&self, path: &Relative) -> Result<(), ToolError> {
        let Some(call) = &self.call else { return Ok(()) };
        match path.is_root() {
            true => call.judge_path(&self.tree.real),
            false => call.judge_path(&self.tree.real.join(path.as_path())),
        }
    }

    /// Refuses a file that the agent's policy or its identity protects, or that has more names than allowed.
    pub(crate) fn permit_handle(&self, given: &str, file: &Handle, wanted: Use) -> Result<(), ToolError> {
        self.permit_by_policy(&file.relative)?;
        let policy = &self.tree.policy;
        let is_regular = FileType::from_raw_mode(file.stat.st_mode) == FileType::RegularFile;
        if !is_regular {
            return Ok(());
        }
        let shared = file.stat.st_nlink > 1;
        if shared && identity::is_one_of(&file.stat, &policy.sealed_files) {
            return Err(refusal::protected_path(given));
        }
        if wanted == Use::Write && identity::is_one_of(&file.stat, &policy.guarded_files) {
            return Err(refusal::protected_path(given));
        }
        if shared && wanted != Use::List && policy.hardlinks == Rule::Deny {
            let hint = "such files are neither read nor written here; an operator can allow it with workspace.hardlinks";
            return Err(refusal::hardlink_refused(given).hint(hint));
        }
        Ok(())
    }

    /// Refuses a change by a call that declares none; a call that may make one has acted from now on.
    pub(crate) fn may_write(&self) -> Result<(), ToolError> {
        let Some(call) = &self.call else { return Ok(()) };
        match call.running().is_some_and(|running| !running.behavior().side_effect) {
            true => Err(refusal::effect_not_declared()),
            false => {
                call.acts();
                Ok(())
            }
        }
    }

    pub(crate) fn opener(&self) -> &Opener {
        &self.tree.opener
    }

    pub(crate) fn locks(&self) -> &Arc<Locks> {
        &self.tree.locks
    }

    pub(crate) fn names(&self) -> &Names {
        &self.tree.names
    }

    /// `path_not_found` with the nearest name beside the first one that is missing.
    fn not_found(&self, path: &WorkspacePath, directory: &Handle, names: &[Vec<u8>]) -> ToolError {
        let error = refusal::path_not_found(path.given());
        let hint = names.first().and_then(|name| nearest::nearest(self, directory, name));
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

fn root_error(root: &str, error: &std::io::Error) -> ToolError {
    match Errno::from_io_error(error) {
        Some(Errno::NOENT) => refusal::workspace_missing(root),
        _ => refusal::io(root, error),
    }
}
