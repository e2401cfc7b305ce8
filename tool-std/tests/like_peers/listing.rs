//! `find_files` against `rg --files`, and `list_dir` against `find`.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

use crate::search::listing;
use crate::trees;

const GLOBS: [&str; 6] = ["*", "*.log", "*.{txt,rs}", "d0/**", "**/é*", "[a-c]*"];

fn call(root: &Path, tool: &str, args: Value) -> Value {
    let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let executor = Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap();
    let data = executor.call_blocking(Call::new(tool, args), &ctx, Caller::Test).unwrap().data();
    assert_eq!(data["truncated"], false);
    data
}

/// One field of all items, sorted: older versions of ripgrep compare whole paths, not components.
fn sorted(items: &Value, text: impl Fn(&Value) -> String) -> Vec<String> {
    let mut all: Vec<String> = items.as_array().unwrap().iter().map(text).collect();
    all.sort();
    all
}

fn lines(program: &str, root: &Path, args: &[&str]) -> Vec<String> {
    let output = Command::new(program).args(args).current_dir(root).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| line.replacen("./", "", 1)).collect();
    lines.sort();
    lines
}

#[test]
fn the_files_found_are_those_that_ripgrep_lists() {
    trees::on_every("rg", |seed, random, root| {
        let glob = random.pick(&GLOBS);
        let mut found = 0;
        for hidden in [false, true] {
            let data = call(root, "find_files", json!({"pattern": glob, "hidden": hidden, "limit": 10_000}));
            let ours = sorted(&data["files"], |one| one["path"].as_str().unwrap().to_owned());
            let mut args = vec![
                "--no-config",
                "--no-require-git",
                "--no-ignore-parent",
                "--no-ignore-global",
                "--files",
            ];
            args.extend(if hidden { &["--hidden", "--glob", "!.git/"][..] } else { &[] });
            args.push("./");
            // What ignore files say is ripgrep's; the glob is looked at here, since an including glob of ripgrep's outweighs
            // ignore files.
            let all = call(root, "find_files", json!({"pattern": "*", "hidden": hidden, "limit": 10_000}));
            let theirs = lines("rg", root, &args);
            assert_eq!(
                sorted(&all["files"], |one| one["path"].as_str().unwrap().to_owned()),
                theirs,
                "seed {seed}, hidden {hidden}, files:\n{}",
                listing(root)
            );
            let matcher =
                globset::GlobBuilder::new(glob).literal_separator(true).build().unwrap().compile_matcher();
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            let matching = theirs.iter().filter(|path| match glob.contains('/') {
                true => matcher.is_match(path),
                false => matcher.is_match(name(path)),
            });
            let matching: Vec<String> = matching.cloned().collect();
            assert_eq!(ours, matching, "seed {seed}, glob {glob}, hidden {hidden}");
            found += ours.len();
        }
        found
    });
}

#[test]
fn a_listing_is_what_find_prints() {
    trees::on_every("find", |seed, random, root| {
        let depth = 1 + random.below(5);
        let data = call(root, "list_dir", json!({"hidden": true, "depth": depth, "limit": 10_000}));
        let ours = sorted(&data["entries"], |one| {
            let text = |field: &str| one[field].as_str().unwrap().to_owned();
            format!("{} {} {}", &text("type")[..1], text("path"), one["size"].as_u64().unwrap_or_default())
        });
        let depth = depth.to_string();
        let args = [".", "-mindepth", "1", "-maxdepth", &depth, "-not", "-path", "*/.git/*", "-printf"];
        let print = ["%y %P %s\\n"];
        let theirs: Vec<String> = lines("find", root, &[&args[..], &print[..]].concat())
            .into_iter()
            .map(|line| match line.split_once(' ') {
                // Only files have a size here; a link begins with `l` there.
                Some(("f", _)) => line,
                Some((kind, rest)) => {
                    let (path, _) = rest.rsplit_once(' ').unwrap();
                    format!("{} {path} 0", if kind == "l" { "s" } else { kind })
                }
                None => line,
            })
            .collect();
        let mut theirs = theirs;
        theirs.sort();
        assert_eq!(ours, theirs, "seed {seed}, depth {depth}");
        ours.len()
    });
}
