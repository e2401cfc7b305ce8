//! The environment as a capability: variables by name, but for those that hold secrets.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher;
use std::sync::Arc;

use crate::context::{ContextBuilder, ToolContext};

/// What the uses of environments are told under.
const CAPABILITY: &str = "environment";

/// Variables, for `#[ctx] environment: &dyn Environment`.
///
/// A call finds none of those that a tool of the program declares as a secret: these are handed out by
/// [`ToolContext::secret`] alone, to the tool that declares them.
///
/// ```
/// use tool_core::prelude::*;
/// use tool_core::Environment;
///
/// /// Tells which editor is preferred.
/// #[tool(register = false)]
/// fn editor(#[ctx] environment: &dyn Environment) -> String {
///     environment.var("EDITOR").unwrap_or_else(|| "vi".to_owned())
/// }
/// ```
pub trait Environment: Send + Sync {
    /// The value of a variable; `None` when it is not set.
    fn var_os(&self, name: &str) -> Option<OsString>;

    /// The value of a variable as text; `None` when it is not set, or no text.
    fn var(&self, name: &str) -> Option<String> {
        self.var_os(name)?.into_string().ok()
    }
}

/// The environment of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEnvironment;

impl Environment for SystemEnvironment {
    fn var_os(&self, name: &str) -> Option<OsString> {
        // What can be no name is not looked up: the system's functions would panic.
        let is_name = !name.is_empty() && !name.contains(['=', '\0']);
        is_name.then(|| std::env::var_os(name)).flatten()
    }
}

/// Variables from a map, for instance a copy of the environment.
impl Environment for BTreeMap<OsString, OsString> {
    fn var_os(&self, name: &str) -> Option<OsString> {
        self.get(OsStr::new(name)).cloned()
    }
}

/// Variables from a map, for instance a copy of the environment.
impl<S: BuildHasher + Send + Sync> Environment for HashMap<OsString, OsString, S> {
    fn var_os(&self, name: &str) -> Option<OsString> {
        self.get(OsStr::new(name)).cloned()
    }
}

impl<E: Environment + ?Sized> Environment for Arc<E> {
    fn var_os(&self, name: &str) -> Option<OsString> {
        (**self).var_os(name)
    }
}

/// An environment in the hands of one call.
struct CallEnvironment {
    environment: Arc<dyn Environment>,
    call: ToolContext,
}

impl Environment for CallEnvironment {
    fn var_os(&self, name: &str) -> Option<OsString> {
        self.call.accesses(CAPABILITY, format_args!("{name}"));
        let is_secret = self.call.running().is_some_and(|call| call.is_secret(name));
        if is_secret { None } else { self.environment.var_os(name) }
    }
}

impl ContextBuilder {
    /// Provides variables, for `#[ctx] environment: &dyn Environment`.
    pub fn environment(self, environment: impl Environment + 'static) -> Self {
        let environment: Arc<dyn Environment> = Arc::new(environment);
        self.provide_with::<dyn Environment>(move |call| {
            Arc::new(CallEnvironment { environment: Arc::clone(&environment), call: call.clone() })
        })
    }
}
