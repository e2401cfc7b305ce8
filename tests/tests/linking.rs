//! What a program has of the tools that are linked into it: one test a situation, and whatever is linked in whatever way
//! has one contract, `fixtures/link/tools.lock`. `UPDATE=1` writes what is expected.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop at what it cannot build, and says what it skips"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use snapbox::{Data, assert_data_eq};
use tests::fixture::Fixture;
use tool_trials::skip;

const LINK: Fixture = Fixture("link");
const WASI: &str = "wasm32-wasip1";

#[test]
fn every_profile_linker_and_order_lists_the_same_tools() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let list = ["tools", "list", "--format", "json"];
    let run_with = |options: &[&str], words: &[&str]| {
        text(&cargo(&[&["run", "--package", "listing"], options, &["--"], words].concat()))
    };
    let listing = |options: &[&str]| run_with(options, &list);
    let for_models = |options: &[&str]| {
        ["anthropic", "openai", "openai-responses", "gemini", "mcp"]
            .map(|target| run_with(options, &["tools", "schema", "--target", target]))
    };
    let (debug, told) = (listing(&[]), for_models(&[]));
    expect("listing.json", &debug);
    let reversed = ["--features", "reversed"];
    assert_eq!(listing(&reversed), debug, "mentioned in the other order");
    assert_eq!(for_models(&reversed), told, "mentioned in the other order");
    for linker in ["bfd", "lld"] {
        if !has(&format!("ld.{linker}")) {
            skip(&format!("the linker {linker} is not installed"));
            continue;
        }
        // Only the last step differs: what is depended on is not built again.
        let argument = format!("-Clink-arg=-fuse-ld={linker}");
        let build = cargo(&["rustc", "--package", "listing", "--bin", "listing", "--", &argument]);
        assert!(build.status.success(), "{linker}: {}", String::from_utf8_lossy(&build.stderr));
        assert_eq!(run(&LINK.target().join("debug/listing"), &list), debug, "{linker}");
    }
    if !tool_trials::is_full() {
        println!("skipped: the profiles with optimisation are built with TOOL_FULL=1");
        return;
    }
    let one_unit = ["--config", "profile.dev.opt-level=1", "--config", "profile.dev.codegen-units=1"];
    let thin = ["--profile", "fat", "--config", "profile.fat.lto='thin'"];
    for options in [&["--profile", "release"][..], &one_unit, &thin, &["--profile", "fat"]] {
        assert_eq!(listing(options), debug, "{options:?}");
    }
}

#[test]
fn a_crate_that_is_no_longer_mentioned_is_missed_at_start_by_name() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let mentioned = cargo(&["run", "--package", "linked", "--features", "mention"]);
    assert_eq!(text(&mentioned), "own linked\nplug_read plug\nplug_write plug\n");

    let deleted = cargo(&["run", "--package", "linked"]);
    assert!(!deleted.status.success());
    let lines: Vec<String> = ["plug_read", "plug_write"]
        .map(|tool| {
            format!(
                "missing: set `linked::EXPECTED` expects `{tool}`, but it is not linked; mention its crate with \
                 `use plug as _;`, or add the set with `add_set`\n"
            )
        })
        .into();
    let told = String::from_utf8_lossy(&deleted.stderr);
    assert!(told.ends_with(&lines.concat()), "{told}");
}

#[test]
fn two_crates_with_one_name_are_told_at_start_and_not_by_the_linker() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let output = cargo(&["run", "--package", "listing", "--features", "twin", "--", "tools", "list"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("two tools are called `plug_read`: plug 0.0.0 plug/src/lib.rs:"), "{told}");
    assert!(told.contains("twin 0.0.0 twin/src/lib.rs:"), "{told}");
}

#[test]
fn unit_tests_integration_tests_and_documentation_see_what_they_mention() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    for package in ["plug", "listing"] {
        let output = cargo(&["test", "--package", package]);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
        for ran in match package {
            "plug" => ["unit_tests_see_the_tools_of_the_crate_and_their_own ... ok", "2 passed"].as_slice(),
            _ => &[
                "a_test_that_names_no_tool_crate_finds_none ... ok",
                "a_test_that_links_the_crates_finds_all ... ok",
                "a_test_with_sets_has_all ... ok",
            ],
        } {
            assert!(told.contains(ran), "{package}: {ran}: {told}");
        }
    }
}

#[test]
fn a_build_of_the_whole_workspace_may_have_more_tools_than_one_package() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let names = |packages: &[&str]| {
        let build = cargo(&[&["build"], packages].concat());
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        run(&LINK.target().join("debug/listing"), &["tools", "list", "-o", "jsonl", "--select", "name"])
    };
    let alone = "\"listing_local\"\n\"other_list\"\n\"plug_read\"\n\"plug_write\"\n";
    let more = alone.replace("\"plug_read\"", "\"plug_extra\"\n\"plug_read\"");
    assert_eq!(names(&["--package", "listing", "--package", "wide"]), more);
    assert_eq!(names(&["--package", "listing"]), alone);
}

#[test]
fn a_shared_library_has_all_when_c_links_it_and_a_static_one_when_its_tools_are_listed() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let Some(c) = Compiler::here() else { return skip("no C compiler is installed") };
    build_exported(&["--features", "discovered"]);
    let shared = c.program("print.c", "shared", &["-L", &c.debug(), "-lexported", "-Wl,-rpath", &c.debug()]);
    expect("tools.lock", &run(&shared, &[]));

    // What nobody mentions stays in the archive, unless the linker is told to take the whole of it.
    let archive = format!("{}/libexported.a", c.debug());
    assert!(
        run(&c.program("print.c", "dropped", &[&archive]), &[]).starts_with("empty: no tool is registered")
    );
    let whole = ["-Wl,--whole-archive", &archive, "-Wl,--no-whole-archive"];
    expect("tools.lock", &run(&c.program("print.c", "whole", &whole), &[]));
    let host = c.program("load.c", "host", &[&archive]);

    build_exported(&["--no-default-features", "--features", "listed"]);
    expect("tools.lock", &run(&c.program("print.c", "listed", &[&archive]), &[]));

    // A library that is loaded keeps its inventory to itself, and offers a set.
    let loaded = run(&host, &[&format!("{}/libexported.so", c.debug())]);
    let (own, offered) = loaded.split_at(loaded.find('{').unwrap());
    assert!(own.starts_with("empty: no tool is registered"), "{own}");
    expect("tools.lock", offered);
}

#[test]
fn a_static_library_with_whole_program_optimisation_keeps_all() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let Some(c) = Compiler::here() else { return skip("no C compiler is installed") };
    if !tool_trials::is_full() {
        return println!("skipped: the profiles with optimisation are built with TOOL_FULL=1");
    }
    build_exported(&["--profile", "fat"]);
    let archive = LINK.target().join("fat/libexported.a").display().to_string();
    expect("tools.lock", &run(&c.program("print.c", "fat", &[&archive]), &[]));
}

#[test]
fn web_assembly_has_listed_tools_and_found_ones_where_that_was_asked_for() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    if !is_target_installed() {
        return println!("skipped: the target {WASI} is not installed");
    }
    let refused = cargo(&["check", "--package", "wasm", "--target", WASI, "--features", "hoped"]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(told.contains("`discover` is not reliable on this target;"), "{told}");
    assert!(told.contains("list the tools with `tool_set!` and use `add_set`"), "{told}");

    if !has("node") {
        return skip("node is not installed");
    }
    let print = |features: &str| {
        let build = cargo(&["build", "--package", "wasm", "--target", WASI, "--features", features]);
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        let mut node = Command::new("node");
        node.arg("--no-warnings").arg(LINK.folder().join("wasm/run.mjs"));
        text(&node.arg(LINK.target().join(WASI).join("debug/wasm.wasm")).output().unwrap())
    };
    // The same contract, fingerprints too, with pointers of 32 bits.
    expect("tools.lock", &print(""));
    assert!(print("found").lines().any(|name| name == "wasm_own"));
}

#[test]
fn without_discovery_there_is_no_inventory_and_all_else_works() {
    if !tool_trials::can_build() {
        return;
    }
    let _alone = alone();
    let listed = ["--package", "exported", "--no-default-features", "--features", "listed"];
    let build = cargo(&[&["check"], listed.as_slice()].concat());
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let tree = text(&cargo(&[&["tree", "--edges", "normal"], listed.as_slice()].concat()));
    assert!(tree.contains("tool-core v") && !tree.contains("inventory v"), "{tree}");

    let discovering = cargo(&["check", "--package", "exported", "--no-default-features"]);
    let told = String::from_utf8_lossy(&discovering.stderr);
    assert!(!discovering.status.success() && told.contains("no method named `discover`"), "{told}");
}

fn cargo(args: &[&str]) -> Output {
    LINK.cargo(args).unwrap()
}

/// All that builds leaves its results in the same place: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static BUILDING: Mutex<()> = Mutex::new(());
    BUILDING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn build_exported(options: &[&str]) {
    let build = cargo(&[&["build", "--package", "exported"], options].concat());
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
}

/// What a program printed that ended well.
fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn run(program: &Path, args: &[&str]) -> String {
    text(&Command::new(program).args(args).output().unwrap())
}

fn expect(file: &str, got: &str) {
    let path = LINK.folder().join(file);
    if tool_trials::updates() {
        std::fs::write(&path, got).unwrap();
    }
    assert_data_eq!(got, Data::read_from(&path, None).raw());
}

/// The C compiler of this machine, and where it leaves its programs.
struct Compiler {
    programs: tool_trials::Directory,
}

impl Compiler {
    fn here() -> Option<Self> {
        has("cc").then(|| Self { programs: tool_trials::directory() })
    }

    /// Where cargo leaves libraries.
    fn debug(&self) -> String {
        LINK.target().join("debug").display().to_string()
    }

    fn program(&self, source: &str, name: &str, libraries: &[&str]) -> PathBuf {
        let program = self.programs.path().join(name);
        let mut cc = Command::new("cc");
        cc.arg(LINK.folder().join("exported/c").join(source)).arg("-o").arg(&program).args(libraries);
        let output = cc.args(["-lpthread", "-ldl", "-lm"]).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        program
    }
}

fn is_target_installed() -> bool {
    let rustc = Command::new("rustc").args(["--print", "target-libdir", "--target", WASI]).output().unwrap();
    Path::new(String::from_utf8_lossy(&rustc.stdout).trim()).is_dir()
}

fn has(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
