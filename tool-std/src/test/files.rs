//! A workspace for a kit: a temporary directory that tools work in, commands that only seem to run in it, and a look at what is left.

use std::path::Path;
use std::sync::Arc;

use tool_core::ContextBuilder;
use tool_core::test::{FakeClock, KitBuilder, TemporaryDirectory, ToolKit, Tree};

use super::fake_run::FakeRun;
use crate::sandbox::{Sandbox, SandboxPolicy};
use crate::shell::Processes;
use crate::workspace::{FileFaults, Workspace, WorkspacePolicy};

/// Gives the tools of a kit a workspace.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::ToolKit;
/// use tool_core::tree;
/// use tool_std::file::FILE_TOOLS;
/// use tool_std::test::{FilesExt as _, WorkspaceExt as _};
///
/// let kit = ToolKit::new(&FILE_TOOLS).files(tree! { "a.txt": "hi", "d/": {} }).build();
/// kit.call_blocking("write_file", json!({"path": "d/b.txt", "content": "new"})).unwrap();
/// assert_eq!(kit.files(), tree! { "a.txt": "hi", "d": { "b.txt": "new" } });
/// assert_eq!(kit.io()[0].to_string(), "write_file (call_1) files: write d/b.txt");
/// ```
pub trait FilesExt: Sized {
    /// A temporary directory with this in it, with the rules of a policy that says nothing.
    ///
    /// The directory is removed with the kit; where the test fails it is kept, and its path is printed.
    #[must_use]
    fn files(self, tree: Tree) -> Self {
        self.files_under(tree, WorkspacePolicy::default())
    }

    /// The same with other rules.
    #[must_use]
    fn files_under(self, tree: Tree, policy: WorkspacePolicy) -> Self;

    /// The same where somebody decides which file operations fail. All kits of this recipe ask the same.
    #[must_use]
    fn files_failing(self, tree: Tree, faults: Arc<dyn FileFaults>) -> Self;

    /// A temporary directory with this in it, and commands that go as written down ([`FakeRun`]), by the clock of the kit. Nothing is
    /// started, so nothing needs to be confined. What runs in the background ends with the kit.
    #[must_use]
    fn files_and_commands(
        self,
        tree: Tree,
        script: impl Fn(FakeRun) -> FakeRun + Send + Sync + 'static,
    ) -> Self;
}

impl FilesExt for KitBuilder {
    fn files_under(self, tree: Tree, policy: WorkspacePolicy) -> Self {
        with(self, tree, policy, |ctx, _| ctx)
    }

    fn files_failing(self, tree: Tree, faults: Arc<dyn FileFaults>) -> Self {
        with(self, tree, WorkspacePolicy::default(), move |ctx, workspace| {
            workspace.inject(Arc::clone(&faults));
            ctx
        })
    }

    #[expect(clippy::panic, reason = "a test without its sandbox fails")]
    fn files_and_commands(
        self,
        tree: Tree,
        script: impl Fn(FakeRun) -> FakeRun + Send + Sync + 'static,
    ) -> Self {
        with(self, tree, WorkspacePolicy::default(), move |ctx, workspace| {
            let sandbox = Sandbox::open(SandboxPolicy::default(), workspace)
                .unwrap_or_else(|error| panic!("the sandbox cannot be opened: {error}"));
            let clock = ctx.provided_clock().unwrap_or_else(|| Arc::new(FakeClock::default()));
            sandbox.inject(Arc::new(script(FakeRun::new(clock))));
            ctx.provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))).provide(Processes::new("test"))
        })
    }
}

#[expect(clippy::panic, reason = "a test without its directory fails")]
fn with(
    builder: KitBuilder,
    tree: Tree,
    policy: WorkspacePolicy,
    add: impl Fn(ContextBuilder, &Workspace) -> ContextBuilder + Send + Sync + 'static,
) -> KitBuilder {
    builder.fixture(move |ctx| {
        let directory = TemporaryDirectory::with(&tree)
            .unwrap_or_else(|error| panic!("the tree cannot be made: {error}\n{tree:?}"));
        let workspace = Workspace::open(directory.path(), policy.clone())
            .unwrap_or_else(|error| panic!("the workspace cannot be opened: {error}"));
        let ctx = add(ctx, &workspace);
        (ctx.provide_with(move |ctx| Arc::new(workspace.for_call(ctx))), directory)
    })
}

/// Looks at the workspace of a kit.
pub trait WorkspaceExt {
    /// Its root.
    ///
    /// # Panics
    /// In a kit without a workspace.
    fn root(&self) -> &Path;

    /// What is in it now.
    ///
    /// # Panics
    /// As [`root`](Self::root), and where something in it cannot be read.
    fn files(&self) -> Tree;
}

impl WorkspaceExt for ToolKit {
    #[expect(clippy::panic, reason = "a test that looks for files in a kit without any fails")]
    fn root(&self) -> &Path {
        match self.fixture::<TemporaryDirectory>() {
            Some(directory) => directory.path(),
            None => panic!("the kit has no workspace; give it one with .files(tree! {{ … }})"),
        }
    }

    #[expect(clippy::panic, reason = "a test that cannot look at its files fails")]
    fn files(&self) -> Tree {
        let root = self.root();
        Tree::read(root).unwrap_or_else(|error| panic!("{} cannot be read: {error}", root.display()))
    }
}
