//! Where parked results lie.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::error::ToolError;

/// How long a parked result is kept.
pub const RESULT_LIFE: Duration = Duration::from_secs(24 * 3_600);

/// Bytes of all parked results of one run; the oldest go first.
pub const RESULTS_MAX: usize = 256 * 1024 * 1024;

/// How many ids of results that are gone are remembered.
pub const RESULTS_GONE_MAX: usize = 10_000;

/// How long and how many results are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultLimits {
    /// How long each is.
    pub life: Duration,
    /// Bytes of all of a scope. The newest is kept whatever its size.
    pub bytes: usize,
}

impl Default for ResultLimits {
    fn default() -> Self {
        ResultLimits { life: RESULT_LIFE, bytes: RESULTS_MAX }
    }
}

/// Whose results they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultScope {
    /// The tenant.
    pub tenant: String,
    /// The run, or the agent's session where there is none.
    pub run: String,
}

/// A parked result: the payload of a tool, not its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parked {
    /// The text.
    pub text: Arc<str>,
    /// Its media type.
    pub media: String,
    /// The tool that made it.
    pub tool: String,
    /// The call that made it: where a journal has its row, the result can be kept as long as that.
    pub call_id: Option<String>,
    /// Whether it holds what no record may: such a result is never written to a disk.
    pub is_private: bool,
}

impl Parked {
    /// A new id: `res_` and 12 random letters.
    pub fn new_id() -> String {
        // 60 bits: of the last 32 of a UUID of version 7, which are random, 30 of each of two.
        let random = || uuid::Uuid::now_v7().as_u64_pair().1 & 0x3fff_ffff;
        let bits = random() << 30 | random();
        let letter = |at: u64| {
            let index = usize::try_from(bits >> (at * 5) & 31).unwrap_or(0);
            LETTERS.get(index).copied().map_or('0', char::from)
        };
        format!("res_{}", (0..12).map(letter).collect::<String>())
    }

    /// What a store says of an id that its scope does not have: `not_found`, code `unknown_result`.
    pub fn unknown(id: &str) -> ToolError {
        ToolError::not_found(format!("There is no result {}.", shown(id))).code("unknown_result")
    }

    /// What a store says of a result that it had: `not_found`, code `result_expired`.
    pub fn expired(id: &str) -> ToolError {
        ToolError::not_found(format!("The result {} is gone.", shown(id)))
            .code("result_expired")
            .hint("run the tool again")
    }
}

/// The letters of an id: Crockford's base 32.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn shown(id: &str) -> String {
    id.chars().take(80).collect()
}

/// Keeps results that are too long to be given whole.
pub trait ResultStore: Send + Sync {
    /// Keeps a result and gives it an id.
    ///
    /// # Errors
    /// `unavailable` where it cannot be kept.
    fn put(&self, scope: &ResultScope, result: Parked) -> Result<String, ToolError>;

    /// A result of this scope.
    ///
    /// # Errors
    /// `not_found`, for a scope that does not have it; code `result_expired`, for one that is gone.
    fn get(&self, scope: &ResultScope, id: &str) -> Result<Parked, ToolError>;

    /// Forgets what is too old.
    fn sweep(&self);
}

/// Results that last as long as the process.
pub struct MemoryResults {
    limits: ResultLimits,
    clock: Arc<dyn Clock>,
    held: Mutex<Held>,
}

impl Default for MemoryResults {
    fn default() -> Self {
        MemoryResults::new(ResultLimits::default(), Arc::new(SystemClock::default()))
    }
}

impl std::fmt::Debug for MemoryResults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryResults").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Held {
    scopes: BTreeMap<ResultScope, Scope>,
    gone: VecDeque<(ResultScope, String)>,
}

#[derive(Debug, Default)]
struct Scope {
    /// Oldest first.
    order: VecDeque<(String, Duration)>,
    results: HashMap<String, Parked>,
    bytes: usize,
}

impl MemoryResults {
    /// Keeps results within limits, by a clock.
    pub fn new(limits: ResultLimits, clock: Arc<dyn Clock>) -> MemoryResults {
        MemoryResults { limits, clock, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Forgets the results of a scope until it says that enough are gone.
    fn forget(&mut self, scope: &ResultScope, enough: impl Fn(&Scope) -> bool) {
        let Some(own) = self.scopes.get_mut(scope) else { return };
        while !enough(own) {
            let Some((id, _)) = own.order.pop_front() else { return };
            own.bytes -= own.results.remove(&id).map_or(0, |result| result.text.len());
            self.gone.push_back((scope.clone(), id));
            if self.gone.len() > RESULTS_GONE_MAX {
                self.gone.pop_front();
            }
        }
    }
}

impl ResultStore for MemoryResults {
    fn put(&self, scope: &ResultScope, result: Parked) -> Result<String, ToolError> {
        let mut held = self.held();
        let id = Parked::new_id();
        let own = held.scopes.entry(scope.clone()).or_default();
        own.bytes += result.text.len();
        own.order.push_back((id.clone(), self.clock.now()));
        own.results.insert(id.clone(), result);
        held.forget(scope, |own| own.bytes <= self.limits.bytes || own.order.len() <= 1);
        Ok(id)
    }

    fn get(&self, scope: &ResultScope, id: &str) -> Result<Parked, ToolError> {
        self.sweep();
        let held = self.held();
        if let Some(result) = held.scopes.get(scope).and_then(|own| own.results.get(id)) {
            return Ok(result.clone());
        }
        if held.gone.iter().any(|gone| gone.0 == *scope && gone.1 == id) {
            return Err(Parked::expired(id));
        }
        Err(Parked::unknown(id))
    }

    fn sweep(&self) {
        let (mut held, now) = (self.held(), self.clock.now());
        let is_young = |at: Duration| now.saturating_sub(at) < self.limits.life;
        let scopes: Vec<ResultScope> = held.scopes.keys().cloned().collect();
        for scope in scopes {
            held.forget(&scope, |own| own.order.front().is_none_or(|first| is_young(first.1)));
        }
        held.scopes.retain(|_, own| !own.order.is_empty());
    }
}
