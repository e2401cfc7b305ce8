//! A workspace with a sandbox around it and processes that somebody owns: the kit of the tools that run commands, and what is
//! proved of them.

use std::iter::repeat_n;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::journal::state::{self, Recovery};
use tool_core::journal::{Row, Status};
use tool_core::test::{Fixture, KitBuilder, ToolKit, Tree, answer};
use tool_core::{Call, Caller, Effect, Executor, Registry, ToolContext, ToolResult, tree};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Network, NotStarted, Sandbox, SandboxPolicy};
use tool_std::shell::{
    BashTool, ProcessListTool, ProcessOutputTool, ProcessStopTool, Processes, RunCommandTool,
};
use tool_std::test::{FakeRun, FaultFs, FilesExt as _, WorkspaceExt as _};
use tool_trials::{ENDING, load_factor};

use crate::common::{Place, Setting, Subject, place};
use crate::effects::{block_on, row};

/// What the process `p1` does: it writes, and then it waits to be ended.
const WAITING: &str = "printf 'one\ntwo\n'; echo err >&2; exec sleep 60";

/// The processes of a kit, ended with it.
pub(crate) struct Owned {
    pub(crate) place: Place,
    processes: Processes,
    sandbox: Sandbox,
}

impl Fixture for Owned {
    fn picture(&self) -> Value {
        self.place.picture()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.processes.end();
    }
}

fn helper() -> PathBuf {
    static HELPER: OnceLock<PathBuf> = OnceLock::new();
    HELPER.get_or_init(|| tests::built::program("toolbox-sandbox")).clone()
}

fn shell_registry() -> Registry {
    let builder = Registry::builder().add::<BashTool>().add::<RunCommandTool>().add::<ProcessListTool>();
    builder.add::<ProcessOutputTool>().add::<ProcessStopTool>().build().unwrap()
}

fn owned(setting: &Setting) -> Owned {
    let place = Place::new(&Setting { limits: Vec::new(), ..setting.clone() });
    let mut policy = SandboxPolicy { helper: Some(helper()), ..SandboxPolicy::default() };
    policy.limits.set("ready_commands", 0).unwrap();
    setting.limits.iter().for_each(|(name, value)| policy.limits.set(name, *value).unwrap());
    let sandbox = Sandbox::open(policy, &place.workspace).unwrap();
    Owned { place, processes: Processes::new("tester"), sandbox }
}

fn kit(setting: Setting, script: Option<&'static str>) -> KitBuilder {
    ToolKit::of(shell_registry()).fixture(move |ctx| {
        let owned = owned(&setting);
        let (sandbox, processes) = (owned.sandbox.clone(), owned.processes.clone());
        let ctx = ctx.provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))).provide(processes);
        if let Some(script) = script {
            start(&owned, script);
        }
        (ctx, owned)
    })
}

/// The recipe of a kit in which nothing runs.
pub(crate) fn shell_kit(setting: Setting) -> KitBuilder {
    kit(setting, None)
}

/// The recipe of a kit in which `p1` runs.
pub(crate) fn process_kit(setting: Setting) -> KitBuilder {
    kit(setting, Some(WAITING))
}

/// Starts a process, and waits until it has written.
fn start(owned: &Owned, script: &str) {
    let (sandbox, processes) = (owned.sandbox.clone(), owned.processes.clone());
    let run = move || {
        let executor = Executor::standard(shell_registry()).build().unwrap();
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)));
        let ctx = ctx.provide(processes).build();
        let call = |tool: &str, args| {
            executor.call_blocking(Call::new(tool, args), &ctx, Caller::Test).unwrap().data()
        };
        let begun = call("bash", json!({"cmd": "sh", "args": ["-c", script], "background": true}));
        let until = Instant::now() + tool_trials::patience();
        loop {
            let page = call("process_output", json!({"process_id": begun["process_id"], "wait": 5}));
            if page["stderr"]["text"] != "" || page["state"] != "running" {
                break;
            }
            assert!(Instant::now() < until, "the process wrote nothing: {page}");
        }
    };
    // Not in the runtime of who asks.
    std::thread::scope(|scope| scope.spawn(run).join().unwrap());
}

/// The processes of a kit as another owner sees them.
pub(crate) fn of_another_owner(kit: &ToolKit) -> ToolContext {
    let owned = kit.fixture::<Owned>().unwrap();
    let sandbox = owned.sandbox.clone();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)));
    ctx.provide(owned.processes.owned_by("another")).build()
}

/// A kit in which `p1` runs a script.
pub(crate) fn kit_with(files: Tree, script: &'static str) -> ToolKit {
    kit(Setting { files, ..Setting::default() }, Some(script)).build()
}

/// Cancelled while its command runs, a call ends soon and tells what was written until then.
pub(crate) fn a_cancelled_command_tells_what_it_wrote(subject: &Subject, args: &Value) {
    let token = CancellationToken::new();
    let cancel = token.clone();
    let kit = subject.recipe(subject.setting()).context(move |ctx| ctx.cancellation(cancel.clone())).build();
    let written = place(&kit).root().join("written");
    let signal = std::thread::spawn(move || {
        let until = Instant::now() + tool_trials::patience();
        while !written.exists() && Instant::now() < until {
            std::thread::yield_now();
        }
        token.cancel();
        Instant::now()
    });
    let error = kit.call_blocking(subject.tool, args.clone()).unwrap_err();
    let took = signal.join().unwrap().elapsed();
    kit.script().forgive();
    assert_eq!((error.kind().as_str(), error.code_str()), ("cancelled", "cancelled"));
    assert_eq!(error.details()["stdout"], "partial\n", "{error:?}");
    assert!(took < ENDING * load_factor(), "{took:?}");
}

/// Each way in which a command cannot be started, or does not end, once: kind and code, that nothing happened where nothing ran, and
/// that the next call is as if there had been none.
pub(crate) fn each_way_to_fail_is_told(subject: &Subject, program: &'static str, args: &Value) {
    let not_started = |why| match why {
        NotStarted::NotFound => "not_found/command_not_found",
        NotStarted::NotExecutable => "denied/permission_denied",
        NotStarted::NoDirectory => "not_found/path_not_found",
        NotStarted::Changed => "conflict/path_changed",
        NotStarted::Unconfined => "denied/sandbox_unavailable",
    };
    type Part = Box<dyn Fn(FakeRun) -> FakeRun + Send + Sync>;
    let mut parts: Vec<(Part, &str, Effect)> = vec![
        (Box::new(|run| run.out("partial\n").never()), "timeout/timeout", Effect::Unknown),
        (Box::new(|run| run.out("partial\n").never().ignores_signals()), "timeout/timeout", Effect::Unknown),
    ];
    for why in NotStarted::ALL {
        parts.push((Box::new(move |run| run.fails(why)), not_started(why), Effect::None));
    }
    for (part, told, effect) in parts {
        let kit = ToolKit::of(shell_registry()).hurry().answers(repeat_n(answer::yes(subject.tool), 2));
        let script = move |run: FakeRun| part(run.program(program)).program(program).out("well\n");
        let kit = kit.files_and_commands(tree! { "a.txt": "a" }, script).build();
        let error = kit.call_blocking(subject.tool, args.clone()).unwrap_err();
        assert_eq!(format!("{}/{}", error.kind().as_str(), error.code_str()), told, "{error:?}");
        assert_eq!(error.effect_value(), Some(effect), "{told}: {error:?}");
        if effect == Effect::Unknown {
            assert_eq!(error.details()["stdout"], "partial\n", "{told}: {error:?}");
        }
        assert_eq!(kit.files(), tree! { "a.txt": "a" }, "{told}");
        assert_eq!(
            kit.call_blocking(subject.tool, args.clone()).unwrap().data()["stdout"],
            "well\n",
            "{told}"
        );
    }
}

/// Nobody knows what a command did that was ended: the same call again runs nothing, and a person is asked.
pub(crate) fn a_call_in_doubt_is_left_to_a_person(subject: &Subject, args: &Value) {
    let answers = [answer::yes(subject.tool), answer::yes(subject.tool), answer::no(subject.tool)];
    let kit = (subject.kit)(subject.setting()).answers(answers).build();
    let call = || {
        let call = Call { idempotency_key: Some("once".to_owned()), ..Call::new(subject.tool, args.clone()) };
        block_on(kit.call_as(call, Caller::Test))
    };
    assert_eq!(call().unwrap_err().kind().as_str(), "timeout");
    let written = std::fs::read_to_string(place(&kit).root().join("log.txt")).unwrap_or_default();
    let row = row(&kit);
    assert_eq!((row.status, state::recover(&row, false)), (Status::InDoubt, Recovery::Surface));
    let again = call().unwrap_err();
    kit.script().forgive();
    assert_eq!(again.code_str(), "replay_denied", "a person was asked and refused: {again:?}");
    let still = std::fs::read_to_string(place(&kit).root().join("log.txt")).unwrap_or_default();
    assert_eq!(still, written, "it ran again");
    // A process that ended with it leaves the same.
    let dead = Row { status: Status::Running, ..row };
    assert_eq!(state::recover(&dead, false), Recovery::Surface);
}

/// What the sandbox cannot promise it refuses to run, and says so.
pub(crate) fn without_a_sandbox_nothing_runs(subject: &Subject, args: &Value) {
    let place = Place::new(&subject.setting());
    let policy = SandboxPolicy {
        helper: Some(helper()),
        missing: vec![Layer::Netns],
        network: Network::Loopback,
        ..SandboxPolicy::default()
    };
    let sandbox = Sandbox::open(policy, &place.workspace).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))).build();
    let executor = Executor::standard(shell_registry()).build().unwrap();
    let error =
        executor.call_blocking(Call::new(subject.tool, args.clone()), &ctx, Caller::Test).unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("denied", "sandbox_unavailable"), "{error:?}");
    assert_eq!(place.files(), (subject.files)());
}

/// The sandbox of a kit.
pub(crate) fn sandbox(kit: &ToolKit) -> Sandbox {
    kit.fixture::<Owned>().unwrap().sandbox.clone()
}

/// The processes of a kit.
pub(crate) fn processes(kit: &ToolKit) -> Processes {
    kit.fixture::<Owned>().unwrap().processes.clone()
}

/// Calls `bash` in a kit without being asked.
pub(crate) fn try_start(kit: &ToolKit, args: Value) -> ToolResult {
    let executor = Executor::standard(shell_registry()).build().unwrap();
    executor.call_blocking(Call::new("bash", args), kit.context(), Caller::Test)
}

/// The same where it succeeds.
pub(crate) fn started(kit: &ToolKit, args: Value) -> Value {
    try_start(kit, args).unwrap().data()
}

/// The last page of `p1`, when it has ended.
pub(crate) fn read_to_the_end(kit: &ToolKit) -> Value {
    let until = Instant::now() + tool_trials::patience();
    loop {
        let args = json!({"process_id": "p1", "stdout_offset": 1 << 30, "stderr_offset": 1 << 30, "wait": 5});
        if kit.call_blocking("process_output", args).unwrap().data()["state"] != "running" {
            return kit.call_blocking("process_output", json!({"process_id": "p1"})).unwrap().data();
        }
        assert!(Instant::now() < until, "the process did not end");
    }
}

/// A program that ends after one call has no processes, and says of each that it is not there.
pub(crate) fn without_processes(subject: &Subject, args: &Value) {
    let place = Place::new(&subject.setting());
    let policy = SandboxPolicy { helper: Some(helper()), ..SandboxPolicy::default() };
    let sandbox = Sandbox::open(policy, &place.workspace).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))).build();
    let executor = Executor::standard(shell_registry()).build().unwrap();
    let error =
        executor.call_blocking(Call::new(subject.tool, args.clone()), &ctx, Caller::Test).unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("not_found", "process_not_found"));
}

/// Nothing is asked of the file system, whatever would become of it.
pub(crate) fn no_operation_is_done(subject: &Subject, args: &Value) {
    let kit = process_kit(subject.setting()).build();
    let faults = Arc::new(FaultFs::stop_at(0));
    assert!(place(&kit).workspace.inject(faults.clone()));
    kit.call_blocking(subject.tool, args.clone()).unwrap();
    assert_eq!(faults.operations(), []);
    assert_eq!(place(&kit).files(), (subject.files)());
}

/// A call that was cancelled before it began changes nothing, and ends at once.
pub(crate) fn a_cancelled_call_does_nothing(subject: &Subject, args: &Value) {
    let token = CancellationToken::new();
    token.cancel();
    let kit = process_kit(subject.setting()).build();
    let ctx = kit.context().to_builder().cancellation(token).build();
    let began = Instant::now();
    let call = Call::new(subject.tool, args.clone());
    let error = kit.executor().call_blocking(call, &ctx, Caller::Test).unwrap_err();
    assert_eq!(error.kind().as_str(), "cancelled");
    let page = kit.call_blocking("process_output", json!({"process_id": "p1"})).unwrap().data();
    assert_eq!(page["state"], "running");
    // The time limits of its calls go by the clock of the kit.
    kit.advance(Duration::from_secs(60));
    let late = kit.context().to_builder().deadline(began).build();
    let call = Call::new(subject.tool, args.clone());
    // What is done at once may be done before anybody looks at the clock.
    if let Err(error) = kit.executor().call_blocking(call, &late, Caller::Test) {
        assert_eq!(error.kind().as_str(), "timeout");
    }
    assert!(began.elapsed() < ENDING * load_factor());
}

/// A call that waits ends soon when it is cancelled.
pub(crate) fn a_wait_ends(subject: &Subject, args: &Value) {
    a_cancelled_call_does_nothing(subject, args);
    let kit = process_kit(subject.setting()).build();
    let token = CancellationToken::new();
    let ctx = kit.context().to_builder().cancellation(token.clone()).build();
    let call = Call::new(subject.tool, args.clone());
    let (result, took) = block_on(async {
        let waiting = kit.executor().call(call, &ctx, Caller::Test);
        tokio::pin!(waiting);
        // It waits: nothing comes of looking.
        for _ in 0..100 {
            let looked = tokio::time::timeout(Duration::ZERO, &mut waiting).await;
            assert!(looked.is_err(), "{looked:?}");
        }
        token.cancel();
        let signal = Instant::now();
        (waiting.await, signal.elapsed())
    });
    assert_eq!(result.unwrap_err().kind().as_str(), "cancelled");
    assert!(took < ENDING * load_factor(), "{took:?}");
}
