//! `toolbox doctor`: the workspace, the sandbox and every limit of the standard tools.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn doctor(root: &Path, env: &[(&str, &str)]) -> Output {
    let mut toolbox = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    toolbox.args(["doctor", "--json", "--root"]).arg(root).env_clear().envs(env.iter().copied());
    toolbox.output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn it_tells_of_workspace_sandbox_and_limits_and_leaves_nothing_behind() {
    let root = tool_trials::directory();
    let output = doctor(root.path(), &[]);
    let report = report(&output);
    assert_eq!(report["workspace"]["root"], root.path().canonicalize().unwrap().to_str().unwrap());
    let layers = report["sandbox"]["layers"].as_object().unwrap();
    assert!(layers.contains_key("landlock") && layers.values().all(|layer| layer["ok"].is_boolean()));
    for name in ["max_read_bytes", "max_timeout_seconds", "max_args_bytes"] {
        let limits = report["limits"].as_array().unwrap();
        let limit = limits.iter().find(|limit| limit["name"] == name).unwrap();
        assert_eq!((&limit["value"], &limit["from"]), (&limit["default"], &json!("default")), "{name}");
    }
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    let checks = report["checks"].as_array().unwrap();
    let protected = checks.iter().find(|check| check["name"] == "protected names").unwrap();
    assert!(protected["value"].as_str().unwrap().ends_with("deeper from file tools alone"), "{protected}");
}

/// What sandbox.md §15 says of the three sections.
fn schema() -> Value {
    let word = |words: &[&str]| json!({"enum": words});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let layer = json!({"type": "object", "required": ["ok"], "properties": {
        "ok": {"type": "boolean"}, "version": {"type": "integer"}, "why": {"type": "string"}, "open": texts},
        "if": {"properties": {"ok": {"const": false}}}, "then": {"required": ["why", "open"]}});
    let object = |properties: Value| {
        let required: Vec<String> =
            properties.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
        json!({"type": "object", "required": required, "properties": properties})
    };
    object(json!({
        "sandbox": object(json!({
            "mode": word(&["enforce", "best_effort", "off"]),
            "level": word(&["full", "partial", "none"]),
            "helper": {"type": "string"},
            "forced_missing": texts,
            "gaps": texts,
            "guarantees": object(json!({"writes": texts, "metadata": texts, "network": texts, "tree": texts,
                "secrets": texts, "limits": texts})),
            "layers": {"type": "object", "additionalProperties": layer},
        })),
        "workspace": object(json!({
            "root": {"type": "string", "pattern": "^/"},
            "opener": word(&["openat2", "cap-std"]),
            "managed": {"type": "boolean"},
            "hardlinks": word(&["allow", "deny"]),
            "mounts": word(&["allow", "deny"]),
            "quota": {"type": ["integer", "null"]},
            "max_files": {"type": ["integer", "null"]},
            "used": {"type": ["object", "null"]},
            "protected": object(json!({"secret": {"type": "integer", "minimum": 17}, "guarded": {"type": "integer", "minimum": 21}})),
            "warnings": texts,
        })),
        "limits": {"type": "array", "minItems": 37, "items": object(json!({
            "name": {"type": "string", "pattern": "^[a-z0-9_]+$"},
            "value": {"type": "integer", "minimum": 0},
            "default": {"type": "integer", "minimum": 0},
            "from": {"type": "string", "minLength": 1},
        }))},
    }))
}

/// Mounts and processes of the machine that know a directory.
fn left(directory: &Path) -> usize {
    let name = directory.to_str().unwrap().to_owned();
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap().matches(&name).count();
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let texts = processes.flat_map(|process| ["environ", "cmdline"].map(|file| process.path().join(file)));
    mounts
        + texts
            .filter(|file| {
                std::fs::read(file).is_ok_and(|text| String::from_utf8_lossy(&text).contains(&name))
            })
            .count()
}

#[test]
fn the_report_has_the_documented_form_with_and_without_layers_and_leaves_nothing_behind() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    for missing in ["", "seccomp", "userns,landlock", "openat2", "pidns,cgroup,pid_max"] {
        let base = tool_trials::directory();
        let [root, temporary] = ["root", "temporary"].map(|name| base.path().join(name));
        [&root, &temporary].into_iter().for_each(|directory| std::fs::create_dir(directory).unwrap());
        let env = [("TOOLBOX_SANDBOX_FORCE_MISSING", missing), ("TMPDIR", temporary.to_str().unwrap())];
        let report = report(&doctor(&root, &env));
        let wrong: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| format!("{} {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{missing}: {wrong:?}");
        let forced: Vec<&str> =
            missing.split(',').filter(|word| !word.is_empty() && *word != "openat2").collect();
        assert_eq!(report["sandbox"]["forced_missing"], json!(forced));
        let opener = if missing == "openat2" { "cap-std" } else { "openat2" };
        assert_eq!(report["workspace"]["opener"], opener, "{missing}");
        for directory in [&root, &temporary] {
            assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0, "{missing}");
        }
        assert_eq!(left(base.path()), 0, "{missing}");
    }
}

/// The constants of files.md §2, shell.md §3 and §6 and sandbox.md §10, and their values.
const CONSTANTS: [(&str, u64); 52] = [
    ("max_read_bytes", 200_000),
    ("max_binary_read_bytes", 150_000),
    ("max_read_file_bytes", 67_108_864),
    ("max_edit_file_bytes", 10_485_760),
    ("max_write_bytes", 10_485_760),
    ("max_patch_bytes", 1_048_576),
    ("max_hunks", 1_000),
    ("max_line_patches", 1_000),
    ("echo_chars", 80),
    ("excerpt_lines", 2),
    ("excerpt_bytes", 4_096),
    ("list_limit", 1_000),
    ("list_limit_max", 10_000),
    ("walk_depth_max", 128),
    ("walk_entries", 1_000_000),
    ("walk_seconds", 10),
    ("pattern_bytes", 8_192),
    ("glob_bytes", 1_024),
    ("globs_max", 64),
    // Ten times that of the table: what the attack catalogue asks for does not compile in it.
    ("regex_size_limit", 10_485_760),
    ("regex_dfa_size_limit", 10_485_760),
    ("regex_nest_limit", 250),
    ("search_line_bytes", 1_048_576),
    ("search_multiline_file_bytes", 10_485_760),
    ("search_results", 1_000),
    ("search_results_max", 10_000),
    ("search_context_max", 20),
    ("search_line_chars", 500),
    ("submatches_max", 32),
    ("tree_entries", 10_000),
    ("copy_bytes", 1_073_741_824),
    ("free_space_floor", 67_108_864),
    ("undo_bytes", 268_435_456),
    ("max_command_chars", 8_192),
    ("max_args", 128),
    ("max_arg_chars", 8_192),
    ("max_cwd_chars", 1_024),
    ("max_timeout_seconds", 3_600),
    ("max_background", 8),
    ("max_background_seconds", 86_400),
    ("background_buffer_bytes", 1_048_576),
    ("kill_grace_ms", 300),
    ("max_stream_bytes", 200_000),
    ("max_total_output_bytes", 268_435_456),
    ("max_file_bytes", 1_073_741_824),
    ("max_memory_bytes", 4_294_967_296),
    ("max_processes", 1_024),
    // Five seconds more than the timeout.
    ("max_cpu_seconds", 0),
    ("max_open_files", 1_024),
    ("parallel_commands", 16),
    ("queued_commands", 1_000),
    ("ready_commands", 2),
];

/// A value that is not the default and that every limit takes.
fn other(default: u64) -> u64 {
    default.checked_sub(1).unwrap_or(1)
}

#[test]
fn every_limit_is_told_with_its_value_and_where_it_was_set() {
    let root = tool_trials::directory();
    let file = root.path().join("settings.toml");
    let settings: String =
        CONSTANTS.iter().map(|(name, value)| format!("{name} = {}\n", other(*value))).collect();
    std::fs::write(&file, format!("[limits]\n{settings}")).unwrap();
    let told = |report: &Value, name: &str| {
        let mut limits = report["limits"].as_array().unwrap().iter();
        let limit = limits.find(|limit| limit["name"] == name).unwrap_or_else(|| panic!("no {name}")).clone();
        (limit["value"].as_u64(), limit["default"].as_u64(), limit["from"].as_str().map(str::to_owned))
    };
    let (plain, set) = (
        report(&doctor(root.path(), &[])),
        report(&doctor(root.path(), &[("TOOLBOX_CONFIG", file.to_str().unwrap())])),
    );
    for (line, (name, value)) in CONSTANTS.iter().enumerate() {
        assert_eq!(told(&plain, name), (Some(*value), Some(*value), Some("default".to_owned())), "{name}");
        let place = format!("{}:{}", file.display(), line + 2);
        assert_eq!(told(&set, name), (Some(other(*value)), Some(*value), Some(place)), "{name}");
    }
}

#[test]
fn without_a_layer_that_commands_need_it_fails_and_names_the_layer() {
    let root = tool_trials::directory();
    let missing = [("TOOLBOX_SANDBOX_FORCE_MISSING", "mounts,landlock")];
    let output = doctor(root.path(), &missing);
    assert_eq!(output.status.code(), Some(6));
    let report = report(&output);
    assert_eq!((&report["status"], &report["sandbox"]["level"]), (&json!("fail"), &json!("none")));
    let checks = report["checks"].as_array().unwrap();
    let sandbox = checks.iter().find(|check| check["name"] == "sandbox").unwrap();
    assert!(sandbox["value"].as_str().unwrap().contains("no write isolation"), "{sandbox}");
}

#[test]
fn a_root_that_is_the_home_directory_is_a_warning() {
    let root = tool_trials::directory();
    let real = root.path().canonicalize().unwrap();
    let report = report(&doctor(&real, &[("HOME", real.to_str().unwrap())]));
    assert_eq!(report["workspace"]["warnings"], json!(["the root is the home directory"]));
}

#[test]
fn a_link_hides_neither_home_nor_root_from_the_warning() {
    let place = tool_trials::directory();
    let (real, link) = (place.path().join("real"), place.path().join("link"));
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for (root, home, warned) in
        [(&link, &real, true), (&real, &link, true), (&link, &place.path().to_owned(), false)]
    {
        let report = report(&doctor(root, &[("HOME", home.to_str().unwrap())]));
        let expected = if warned { json!(["the root is the home directory"]) } else { json!([]) };
        assert_eq!(report["workspace"]["warnings"], expected, "{} {}", root.display(), home.display());
    }
}

#[test]
fn commands_run_in_a_root_that_holds_the_temporary_files_as_in_any_other() {
    let [root, other] = [tool_trials::directory(), tool_trials::directory()];
    let level = |temporary: &Path| {
        let report = report(&doctor(root.path(), &[("TMPDIR", temporary.to_str().unwrap())]));
        report["sandbox"]["level"].clone()
    };
    assert_eq!(level(root.path()), level(other.path()));
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn it_tells_the_quota_with_what_is_used_and_the_layers_with_what_is_open_without_them() {
    let base = tool_trials::directory();
    let (root, settings) = (base.path().join("root"), base.path().join("settings.toml"));
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::write(&settings, "").unwrap();
    std::fs::write(root.join("sub/file"), "12345").unwrap();
    let env = [
        ("TOOLBOX_CONFIG", settings.to_str().unwrap()),
        ("TOOLBOX_SANDBOX_FORCE_MISSING", "userns,cgroup,pid_max"),
    ];
    let check = |report: &Value, name: &str| {
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name).cloned();
        check.unwrap_or_else(|| panic!("{name}: {checks:?}"))
    };
    let unlimited = report(&doctor(&root, &env));
    assert_eq!(check(&unlimited, "quota")["value"], "none");
    assert_eq!(unlimited["workspace"]["used"], json!(null));
    for (max_files, status) in [(3, "ok"), (2, "warn")] {
        std::fs::write(&settings, format!("[workspace]\nmax_bytes = 100\nmax_files = {max_files}\n"))
            .unwrap();
        let report = report(&doctor(&root, &env));
        let quota = check(&report, "quota");
        let value = format!("5 of 100 bytes, 2 of {max_files} files");
        assert_eq!((&quota["value"], &quota["status"]), (&json!(value), &json!(status)));
        let workspace = &report["workspace"];
        assert_eq!((&workspace["quota"], &workspace["max_files"]), (&json!(100), &json!(max_files)));
        assert_eq!(workspace["used"], json!({"bytes": 5, "files": 2}));
    }
    // Each layer that is missing has its line, and each gap is told with one of them.
    let layers = unlimited["sandbox"]["layers"].as_object().unwrap();
    let mut open: Vec<&str> = Vec::new();
    for (name, layer) in layers.iter().filter(|(_, layer)| layer["ok"] == false) {
        let line = check(&unlimited, &format!("no layer {name}"))["value"].as_str().unwrap().to_owned();
        assert!(line.starts_with(layer["why"].as_str().unwrap()), "{line}");
        for gap in layer["open"].as_array().unwrap() {
            assert!(line.contains(gap.as_str().unwrap()), "{line}");
            open.push(gap.as_str().unwrap());
        }
    }
    assert!(!layers["mounts"]["open"].as_array().unwrap().is_empty(), "{layers:?}");
    for gap in unlimited["sandbox"]["gaps"].as_array().unwrap() {
        assert!(open.contains(&gap.as_str().unwrap()), "{gap}");
    }
    if layers["landlock"]["ok"] == true {
        let version = layers["landlock"]["version"].as_i64().unwrap();
        assert!(version >= 3, "what is older is no layer");
        let line = check(&unlimited, "layers")["value"].as_str().unwrap().to_owned();
        assert!(line.contains(&format!("landlock (version {version})")), "{line}");
    }
}
