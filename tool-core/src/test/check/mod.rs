//! What every tool must hold, beyond what its types and the lints can say: the checks of
//! [`assert_tools!`](crate::assert_tools!). (testing.md §3)
//!
//! [`CHECKS`] is the table, each row a function in the file of its name. Checks that need more than this crate has (a command
//! line) are rows elsewhere, handed in with [`Checks::with`].

mod bounds;
mod cancel;
mod defaults;
mod dialects;
mod effects;
mod examples;
mod fingerprint;
mod law_accept;
mod law_agree;
mod law_normal;
mod law_refuse;
mod lint;
mod logged;
mod problem;
mod running;
mod schema_valid;
mod secret;
mod subject;
mod trials;

use std::path::PathBuf;

pub use problem::{Fault, Problem};
pub use subject::Subject;

use crate::context::ToolContext;
use crate::contract::LINTS;
use crate::registry::{Registry, RegistryError};
use crate::set::ToolSet;

/// What a check looks at.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// A tool by itself.
    Tool(fn(&Subject<'_>) -> Vec<Fault>),
    /// All tools.
    Set(fn(&Checks) -> Vec<Problem>),
}

/// One check: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, as `skip` and every problem have it.
    pub id: &'static str,
    /// The function.
    pub look: Look,
}

/// Every check of this crate, in the order in which problems are told. The lints are told as `lint:ID`, so that a lint that is to
/// be skipped is named so too.
pub const CHECKS: &[Check] = &[
    Check { id: lint::ID, look: Look::Set(lint::look) },
    Check { id: fingerprint::ID, look: Look::Set(fingerprint::look) },
    Check { id: schema_valid::ID, look: Look::Tool(schema_valid::look) },
    Check { id: examples::ID, look: Look::Tool(examples::look) },
    Check { id: defaults::ID, look: Look::Tool(defaults::look) },
    Check { id: law_accept::ID, look: Look::Tool(law_accept::look) },
    Check { id: law_normal::ID, look: Look::Tool(law_normal::look) },
    Check { id: law_refuse::ID, look: Look::Tool(law_refuse::look) },
    Check { id: law_agree::ID, look: Look::Tool(law_agree::look) },
    Check { id: bounds::ID, look: Look::Tool(bounds::look) },
    Check { id: dialects::ID, look: Look::Tool(dialects::look) },
    Check { id: secret::ID, look: Look::Tool(secret::look) },
    Check { id: effects::ID, look: Look::Tool(effects::look) },
    Check { id: cancel::ID, look: Look::Tool(cancel::look) },
];

/// How many values of each tool are tried when nothing else is said.
const VALUES: usize = 256;

/// What is checked of which tools: [`assert_tools!`](crate::assert_tools!) as a value.
///
/// ```
/// use tool_core::prelude::*;
/// use tool_core::test::Checks;
///
/// /// Adds two numbers.
/// #[tool(register = false)]
/// fn add_numbers(/// One.
///        one: i32, /// The other.
///        other: i32) -> i64 { i64::from(one) + i64::from(other) }
///
/// let registry = tool_core::Registry::builder().add::<AddNumbersTool>().build()?;
/// assert_eq!(Checks::of(registry)?.values(32).run(), []);
/// # Ok::<(), tool_core::RegistryError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Checks {
    registry: Registry,
    lossless: bool,
    strict: bool,
    skipped: Vec<String>,
    values: usize,
    seed: u64,
    context: Option<ToolContext>,
    watched: Vec<PathBuf>,
    joined: Vec<&'static Check>,
}

impl Checks {
    /// All checks of all tools of a registry or set.
    ///
    /// # Errors
    /// Those of the registry that a set makes.
    pub fn of(tools: impl IntoRegistry) -> Result<Checks, RegistryError> {
        Ok(Checks {
            registry: tools.into_registry()?,
            lossless: false,
            strict: false,
            skipped: Vec::new(),
            values: VALUES,
            seed: 0,
            context: None,
            watched: Vec::new(),
            joined: Vec::new(),
        })
    }

    /// No dialect may lose anything, not even what it tells in words.
    pub fn lossless(mut self) -> Self {
        self.lossless = true;
        self
    }

    /// Lints that only warn count too.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Leaves checks out: ids, of lints `lint:ID`, or `lint` for all of them. An id that no check has is a problem of its own.
    pub fn skip<'s>(mut self, ids: impl IntoIterator<Item = &'s str>) -> Self {
        self.skipped.extend(ids.into_iter().map(str::to_owned));
        self
    }

    /// How many values of each tool are tried.
    pub fn values(mut self, count: usize) -> Self {
        self.values = count;
        self
    }

    /// Where the values come from: another seed, other values.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What tools that are run are given: reads with made-up arguments, tools that have an effect with those of their examples that
    /// have a result. Without it only reads run that need nothing.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.context = Some(context);
        self
    }

    /// Directories in which a call that is dropped half way must leave nothing, and in which one without a side effect must
    /// change nothing.
    pub fn watch<P: Into<PathBuf>>(mut self, directories: impl IntoIterator<Item = P>) -> Self {
        self.watched.extend(directories.into_iter().map(Into::into));
        self
    }

    /// Further checks, from a crate that knows another surface.
    pub fn with(mut self, checks: impl IntoIterator<Item = &'static Check>) -> Self {
        self.joined.extend(checks);
        self
    }

    /// The tools.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Every problem of every tool, by check in the order of the table, then by tool and place.
    pub fn run(&self) -> Vec<Problem> {
        // A thread of its own: tools that block may then be called, whatever runtime the test has.
        let told = std::thread::scope(|scope| scope.spawn(|| self.all()).join());
        told.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn all(&self) -> Vec<Problem> {
        let unknown = self.skipped.iter().filter(|id| !self.is_known(id));
        let mut problems: Vec<Problem> = unknown.map(|id| Problem::of_skip(id)).collect();
        let subjects: Vec<Subject<'_>> = self.registry.iter().map(|tool| Subject::of(self, tool)).collect();
        let rows = CHECKS.iter().chain(self.joined.iter().copied());
        for check in rows.filter(|check| !self.skips(check.id)) {
            match check.look {
                Look::Set(look) => problems.extend(look(self)),
                Look::Tool(look) => {
                    for subject in &subjects {
                        problems.extend(problem::of_tool(check.id, subject, look(subject)));
                    }
                }
            }
        }
        problems.retain(|problem| !self.skips(&problem.check));
        problems
    }

    /// Whether a check or lint is called so. Dialects have lints of their own, which not every set asks for.
    fn is_known(&self, id: &str) -> bool {
        match id.strip_prefix("lint:") {
            Some(lint) => LINTS.iter().any(|known| known.id == lint) || lint.starts_with("dialect-"),
            None => CHECKS.iter().chain(self.joined.iter().copied()).any(|check| check.id == id),
        }
    }

    fn skips(&self, id: &str) -> bool {
        self.skipped.iter().any(|skipped| skipped == id)
    }
}

/// Tools that can be checked.
pub trait IntoRegistry {
    /// The registry of the tools.
    ///
    /// # Errors
    /// Those of [`RegistryBuilder::build`](crate::registry::RegistryBuilder::build).
    fn into_registry(self) -> Result<Registry, RegistryError>;
}

impl IntoRegistry for Registry {
    fn into_registry(self) -> Result<Registry, RegistryError> {
        Ok(self)
    }
}

impl IntoRegistry for &Registry {
    fn into_registry(self) -> Result<Registry, RegistryError> {
        Ok(self.clone())
    }
}

impl IntoRegistry for &'static ToolSet {
    fn into_registry(self) -> Result<Registry, RegistryError> {
        Registry::builder().add_set(self).build()
    }
}

/// A macro borrows what it is given, which may be a reference already.
impl<T: IntoRegistry + Copy> IntoRegistry for &T {
    fn into_registry(self) -> Result<Registry, RegistryError> {
        (*self).into_registry()
    }
}
