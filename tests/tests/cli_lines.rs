//! The printed command line of a call reads back as the same call.

use serde_json::{Value, json};
use tests::demo;
use tool_cli::Io;

/// Arguments whose words would be taken for something else, were they not written with care.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("store_search", json!({"query": "-x", "tags": ["--", "-n", ""], "level": "high"})),
        ("store_search", json!({"query": "--help", "min_score": -0.5})),
        ("store_search", json!({"query": "it's \"a\"\n$b", "limit": 100})),
        ("file_copy_missing", Value::Null),
        ("copy_file", json!({"src": "-", "dst": "-1e3", "force": true})),
        ("concat_files", json!({"paths": ["-a", "b"], "separator": ""})),
        ("list_files", json!({"path": "true", "hidden": true, "sorted": false, "follow": false, "depth": 3})),
        ("run_process", json!({"program": "ls", "args": ["-la", "--help", "a b"], "seconds": -9})),
        ("run_process", json!({"program": "-9", "nice": true, "args": ["--"]})),
        ("store_tag", json!({"id": 7, "labels": {"a=b": "1", "": "2"}, "counts": {"-x": -2}})),
        ("store_tag", json!({"id": 7, "labels": {"{": "}"}, "ports": {"web": {"port": 80, "tls": true}}})),
        ("store_assign", json!({"id": 1, "owner": {"name": "Ann", "tags": ["x"]}, "due": null})),
        (
            "draw_shapes",
            json!({"shape": {"kind": "circle", "radius": 1}, "filter": [1, "a"], "matrix": [[1], []]}),
        ),
        (
            "draw_shapes",
            json!({"shape": {"kind": "rect", "w": 1, "h": 2}, "edits": [{"line": 1, "text": "-"}]}),
        ),
        ("match_value", json!({"key": "1", "mark": true, "note": "null", "kind": "x", "size": 4})),
        ("match_value", json!({"key": 1, "note": "@x"})),
        ("math_stats", json!({"tags": [], "ids": [-1, 2], "values": [0.5, -1], "levels": ["low", "high"]})),
        ("write_note", json!({"title": "-", "body": "@x", "handle": "-"})),
        ("write_note", json!({"title": "t", "body": "-"})),
        ("deploy_app", json!({"region": "", "trace_id": "t", "hosts": ["[\"a\"]", "b"]})),
    ]
}

#[test]
fn a_printed_call_reads_back_as_the_same_call() {
    let (cli, reached) = demo::demo(&Value::Null).unwrap();
    let mut printed = 0;
    for (tool, args) in calls() {
        let Ok(argv) = cli.command_line(tool, args.as_object().unwrap_or(&Default::default())) else {
            assert_eq!(tool, "file_copy_missing");
            continue;
        };
        cli.run_from([vec!["--yes".to_owned()], argv.clone()].concat(), Io::detached("/"));
        let (name, found) = reached.take().unwrap_or_else(|| panic!("{argv:?} was refused"));
        assert_eq!(name, tool);
        for (key, value) in args.as_object().unwrap() {
            if key != "owner" && key != "ports" {
                assert_eq!(&found[key], value, "{key} of {argv:?}");
            }
        }
        printed += 1;
    }
    assert_eq!(printed, calls().len() - 1);
}
