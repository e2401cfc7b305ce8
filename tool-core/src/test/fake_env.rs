//! An environment that a test has written down.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, PoisonError};

use crate::environment::Environment;

/// A map of variables, which notes the names that it was asked for in vain. Clones note in the same place.
///
/// ```
/// use tool_core::Environment;
/// use tool_core::test::FakeEnv;
///
/// let env = FakeEnv::new([("LANG", "C")]);
/// assert_eq!((env.var("LANG").as_deref(), env.var("PAGER")), (Some("C"), None));
/// assert_eq!(env.missed(), ["PAGER"]);
/// ```
#[derive(Clone, Default)]
pub struct FakeEnv {
    vars: Arc<BTreeMap<OsString, OsString>>,
    missed: Arc<Mutex<BTreeSet<String>>>,
}

impl FakeEnv {
    /// These variables and no others.
    pub fn new<K: Into<OsString>, V: Into<OsString>>(vars: impl IntoIterator<Item = (K, V)>) -> FakeEnv {
        let vars = vars.into_iter().map(|(name, value)| (name.into(), value.into()));
        FakeEnv { vars: Arc::new(vars.collect()), missed: Arc::default() }
    }

    /// The variables.
    pub fn vars(&self) -> &BTreeMap<OsString, OsString> {
        &self.vars
    }

    /// The names that were asked for and are not set.
    pub fn missed(&self) -> Vec<String> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Environment for FakeEnv {
    fn var_os(&self, name: &str) -> Option<OsString> {
        let value = self.vars.get(OsStr::new(name)).cloned();
        if value.is_none() {
            self.missed.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        }
        value
    }
}

impl std::fmt::Debug for FakeEnv {
    /// Without the values, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeEnv").field("vars", &self.vars.keys()).finish_non_exhaustive()
    }
}
