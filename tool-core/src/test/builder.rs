//! What a kit is made of, as a recipe: a kit can be made from it any number of times, and no two share anything that calls
//! change but what the recipe provides as a value.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::answer::Answer;
use super::audited::Audited;
use super::fake_clock::FakeClock;
use super::fake_env::FakeEnv;
use super::fake_http::FakeHttp;
use super::fake_rng::FakeRng;
use super::fault_journal::FaultJournal;
use super::fixture::Fixture;
use super::ground::Ground;
use super::io::Accessed;
use super::kit::{Parts, ToolKit};
use super::script::Script;
use super::surface::SurfaceUnderTest;
use crate::call::redact::KnownSecrets;
use crate::call::{
    ApprovalLevel, AuditSettings, CheckMode, Executor, ExecutorBuilder, JournalMode, ShapeSettings,
};
use crate::context::{ContextBuilder, ToolContext};
use crate::journal::{Cassette, CassetteMode, Journal, MemoryJournal};
use crate::registry::Registry;

/// Provides something, and notes what is held for it.
type Provide = dyn Fn(ContextBuilder, &mut Vec<Arc<dyn Fixture>>) -> ContextBuilder + Send + Sync;

/// Writes down requests and their answers.
type Exchanges = dyn Fn(FakeHttp) -> FakeHttp + Send + Sync;

/// Adds to the executor.
type Layers = dyn Fn(ExecutorBuilder) -> ExecutorBuilder + Send + Sync;

/// What the numbers of a kit are.
#[derive(Clone)]
enum Numbers {
    Seed(u64),
    Script(Vec<u64>),
}

/// Collects what a [`ToolKit`] is made of.
#[derive(Clone)]
#[must_use]
pub struct KitBuilder {
    registry: Registry,
    clock: Option<String>,
    hurries: bool,
    numbers: Numbers,
    exchanges: Vec<Arc<Exchanges>>,
    env: BTreeMap<OsString, OsString>,
    secrets: BTreeMap<String, String>,
    answers: Vec<Answer>,
    provides: Vec<Arc<Provide>>,
    layers: Vec<Arc<Layers>>,
    surfaces: Vec<Arc<dyn SurfaceUnderTest>>,
    faults: Option<FaultJournal>,
    /// None where tools run on the runtime of the test.
    ground: Option<Ground>,
}

impl KitBuilder {
    pub(super) fn new(registry: Registry) -> KitBuilder {
        KitBuilder {
            registry,
            clock: None,
            hurries: false,
            numbers: Numbers::Seed(0),
            exchanges: Vec::new(),
            env: BTreeMap::new(),
            secrets: BTreeMap::new(),
            answers: Vec::new(),
            provides: Vec::new(),
            layers: Vec::new(),
            surfaces: Vec::new(),
            faults: None,
            ground: Some(Ground::default()),
        }
    }

    /// The time of day at the beginning, in the form of RFC 3339. Tools find the clock as `#[ctx] clock: &dyn Clock`, and limits
    /// count by it, those of the time of calls too; it moves only with [`ToolKit::advance`].
    ///
    /// # Panics
    /// For a text that is no such time, when the kit is built.
    pub fn clock(mut self, wall: impl Into<String>) -> Self {
        self.clock = Some(wall.into());
        self
    }

    /// Nobody waits at the clock: a tool that sleeps moves it instead, in one step. Nothing else looks at the clock in between: a
    /// limit of time that such a sleep goes past is not felt, and of two sleeps the first that is begun ends first. Tests of limits
    /// move the clock themselves, by [`ToolKit::advance`].
    pub fn hurry(mut self) -> Self {
        self.hurries = true;
        self
    }

    /// Sets variables of the environment: that of the tools, which find it as `#[ctx] environment: &dyn Environment`, and that of
    /// surfaces, such as a command line. Nothing else is in it, and nothing is ever set in the environment of the process.
    pub fn env<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        rows: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.env.extend(rows.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// The seed of the numbers that tools find as `#[ctx] randomness: &dyn Randomness`; 0 where nothing is said. A test that
    /// fails prints it.
    pub fn rng(mut self, seed: u64) -> Self {
        self.numbers = Numbers::Seed(seed);
        self
    }

    /// The numbers themselves. A tool that wants another one fails, and the test with it; so does a test with some left.
    pub fn rng_script(mut self, numbers: impl IntoIterator<Item = u64>) -> Self {
        self.numbers = Numbers::Script(numbers.into_iter().collect());
        self
    }

    /// Writes down which HTTP requests are expected, and what is answered: tools send them with `#[ctx] http: &dyn Http`. Any
    /// other request fails the test, as does one that nobody sends.
    pub fn http(mut self, script: impl Fn(FakeHttp) -> FakeHttp + Send + Sync + 'static) -> Self {
        self.exchanges.push(Arc::new(script));
        self
    }

    /// Sets a secret. Its value is hidden in whatever a failed assertion shows.
    pub fn secret(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.secrets.insert(key.into(), value.into());
        self
    }

    /// What a person answers, in this order, when a call needs approval or a tool asks. One that is not asked for fails the
    /// test, as does a question without an answer.
    pub fn answers(mut self, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.answers.extend(answers);
        self
    }

    /// Provides a value, for `#[ctx] db: &Db`. All kits of this recipe share it: where calls change it, use
    /// [`provide_new`](Self::provide_new).
    pub fn provide<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.provide_arc(Arc::new(value))
    }

    /// Provides a shared value, also behind a trait: `provide_arc::<dyn Db>(arc)`.
    pub fn provide_arc<T: ?Sized + Send + Sync + 'static>(self, value: Arc<T>) -> Self {
        self.context(move |ctx| ctx.provide_arc(Arc::clone(&value)))
    }

    /// Provides a value that is made anew for each kit.
    pub fn provide_new<T: Send + Sync + 'static>(self, make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        self.context(move |ctx| ctx.provide(make()))
    }

    /// Adds to the context of all calls.
    pub fn context(mut self, add: impl Fn(ContextBuilder) -> ContextBuilder + Send + Sync + 'static) -> Self {
        self.provides.push(Arc::new(move |ctx, _| add(ctx)));
        self
    }

    /// Makes something anew for each kit, adds it to the context of its calls, and holds it until the kit ends.
    pub fn fixture<F: Fixture>(
        mut self,
        make: impl Fn(ContextBuilder) -> (ContextBuilder, F) + Send + Sync + 'static,
    ) -> Self {
        self.provides.push(Arc::new(move |ctx, held| {
            let (ctx, fixture) = make(ctx);
            held.push(Arc::new(fixture));
            ctx
        }));
        self
    }

    /// Adds to the executor: a policy, limits, layers of one's own, another level of approval.
    pub fn executor(
        mut self,
        add: impl Fn(ExecutorBuilder) -> ExecutorBuilder + Send + Sync + 'static,
    ) -> Self {
        self.layers.push(Arc::new(add));
        self
    }

    /// The outcomes of calls come from a file, or are written to it, as the mode says; `TOOL_CASSETTE=record` records them anew.
    /// Each kit has the file for itself, also each of those that [`ToolKit::everywhere`] makes: a strict one asks for all of it by
    /// its own calls.
    ///
    /// # Panics
    /// Where there is nothing to replay, or a line of the file is no recorded call, when the kit is built.
    #[expect(clippy::panic, reason = "a test without its cassette has failed")]
    pub fn cassette(self, path: impl Into<PathBuf>, mode: CassetteMode) -> Self {
        let path = path.into();
        self.executor(move |builder| match Cassette::open(&path, mode) {
            Ok(cassette) => builder.before("run", cassette),
            Err(error) => panic!("the cassette: {error}"),
        })
    }

    /// Writes of the journal fail as this says. [`ToolKit::journal`] has what was written all the same.
    pub fn journal_failing(mut self, faults: FaultJournal) -> Self {
        self.faults = Some(faults);
        self
    }

    /// Adds surfaces that [`ToolKit::everywhere`] calls through.
    pub fn surfaces(mut self, surfaces: impl IntoIterator<Item = Arc<dyn SurfaceUnderTest>>) -> Self {
        self.surfaces.extend(surfaces);
        self
    }

    /// Tools run on the runtime of the test: where it has paused tokio's time, say. What they leave running is not looked at then.
    /// Otherwise the kits of a recipe have a runtime of their own, by the time of the machine; nothing may run there any more when
    /// the recipe and the last of its kits are gone.
    pub fn on_runtime_of_test(mut self) -> Self {
        self.ground = None;
        self
    }

    /// The kit.
    ///
    /// # Panics
    /// Where its executor cannot be built: a tool needs what is not provided, or a layer has no such place.
    #[track_caller]
    pub fn build(self) -> ToolKit {
        let known = KnownSecrets::new(self.secrets.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        let (secrets, audited) = (Arc::new(known), Arc::new(Audited::default()));
        let journal = MemoryJournal::new();
        let recorder: Arc<dyn Journal> = match &self.faults {
            Some(faults) => Arc::new(faults.clone().around(journal.another())),
            None => Arc::new(journal.another()),
        };
        let clock = match self.clock.as_deref() {
            Some(wall) => FakeClock::at(wall),
            None => FakeClock::default(),
        };
        if self.hurries {
            clock.hurry();
        }
        let env = FakeEnv::new(self.env.clone());
        let rng = match &self.numbers {
            Numbers::Seed(seed) => FakeRng::seeded(*seed),
            Numbers::Script(numbers) => FakeRng::scripted(numbers.iter().copied()),
        };
        let http = FakeHttp::new(clock.clone());
        let http = self.exchanges.iter().fold(http, |http, script| script(http));
        let accessed = Accessed::new(Arc::clone(&secrets));
        let script = Script::of(self.answers.iter().cloned());
        let own: HashMap<String, String> = self.secrets.clone().into_iter().collect();
        let mut fixtures = Vec::new();
        let ctx = ToolContext::builder().secrets(own).accesses(accessed.clone());
        let ctx = ctx
            .paced(clock.clone())
            .clock(clock.clone())
            .environment(env.clone())
            .randomness(rng.clone())
            .http(http.clone());
        let ctx = self.provides.iter().fold(ctx, |ctx, provide| provide(ctx, &mut fixtures));
        let context = ctx.approver(script.clone()).asker(script.clone()).build();
        let parts = Parts {
            secrets,
            audited,
            accessed,
            journal,
            recorder,
            clock,
            env,
            rng,
            http,
            script,
            context,
            fixtures,
        };
        ToolKit::of_parts(self, parts)
    }

    /// The executor of a kit, before it is built.
    pub(super) fn layered(&self, parts: &Parts) -> ExecutorBuilder {
        let audit = AuditSettings {
            sinks: vec![Box::new(Arc::clone(&parts.audited))],
            secrets: Arc::clone(&parts.secrets),
            required: false,
        };
        let shape =
            ShapeSettings { secrets: Arc::clone(&parts.secrets), results: None, ..ShapeSettings::default() };
        let builder = Executor::standard(self.registry.clone())
            .capabilities(&parts.context)
            .audit(audit)
            .approve(ApprovalLevel::Destructive)
            .journal(Arc::clone(&parts.recorder), JournalMode::All, "test kit")
            .shape(shape)
            .check(CheckMode::Error);
        #[cfg(feature = "limit")]
        let builder = builder
            .limit(crate::call::LimitSettings { clock: Arc::new(parts.clock.clone()), ..Default::default() });
        let builder = self.layers.iter().fold(builder, |builder, add| add(builder));
        match &self.ground {
            Some(ground) => builder.before("run", ground.layer()),
            None => builder,
        }
    }

    pub(super) fn ground(&self) -> Option<Ground> {
        self.ground.clone()
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(super) fn under_test(&self) -> &[Arc<dyn SurfaceUnderTest>] {
        &self.surfaces
    }
}

impl std::fmt::Debug for KitBuilder {
    /// Without secrets and the environment.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KitBuilder")
            .field("tools", &self.registry.len())
            .field("answers", &self.answers)
            .finish_non_exhaustive()
    }
}
