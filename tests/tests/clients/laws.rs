//! What holds for every client.

use std::collections::BTreeMap;

use crate::installed::installed;
use crate::scene::{Client, Scene};
use crate::server;

/// The whole of it, in one project.
pub(crate) fn hold(client: &'static Client) {
    let Some(modules) = installed(client) else { return };
    let scene = Scene::new(client, &modules, &[]);
    the_tools_are_offered_and_called(client, &scene);
    wrong_arguments_are_told_and_the_next_call_succeeds(client, &scene);
    failures_images_and_values_reach_the_model(&scene);
    only_readers_are_offered_where_that_was_asked_for(
        client,
        &Scene::new(client, &modules, &["--read-only"]),
    );
    println!("{}: its tools, calls, errors, images, values and its end are as specified", client.name);
}

fn the_tools_are_offered_and_called(client: &Client, scene: &Scene) {
    let talk = scene.talk(r#"CALL read_file {"path":"a.txt"}"#);
    assert!((client.is_connected)(&talk.stdout), "{}: {}", client.name, talk.stdout);
    let offered: BTreeMap<String, String> = (client.offered)(&talk.requests[0]["body"]).into_iter().collect();
    assert_eq!(offered, server::tools(&[], &scene.project(), &scene.home()));
    assert!(talk.last().contains("a line of the file"), "{}\n{}", talk.last(), talk.stderr);
    let rows = scene.journal();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let told = |key: &str| rows[0][key].as_str().unwrap_or_default().to_owned();
    assert_eq!([told("tool_name"), told("caller"), told("status")], ["read_file", "mcp", "ok"], "{rows:?}");
    assert!(told("program").contains(client.calls_itself), "{rows:?}");
}

fn wrong_arguments_are_told_and_the_next_call_succeeds(client: &Client, scene: &Scene) {
    let talk = scene.talk("CALL read_file {\"limit\":\"many\"}\nCALL read_file {\"path\":\"a.txt\"}");
    let told = talk.last();
    for part in client.told_of_wrong_arguments.iter().chain(&["a line of the file"]) {
        assert!(told.contains(part), "{part}: {told}");
    }
}

fn failures_images_and_values_reach_the_model(scene: &Scene) {
    let failed = scene.talk(r#"CALL read_file {"path":"none.txt"}"#).last();
    assert!(failed.contains("none.txt") && failed.contains("not_found"), "{failed}");
    let image = scene.talk("CALL test_image_content {}").last();
    assert!(image.contains("iVBORw0KGgo"), "{image}");
    let value = scene.talk(r#"CALL list_dir {"path":"."}"#).last();
    assert!(value.contains("entries") && value.contains("a.txt"), "{value}");
}

fn only_readers_are_offered_where_that_was_asked_for(client: &Client, scene: &Scene) {
    let talk = scene.talk(r#"CALL read_file {"path":"a.txt"}"#);
    let offered = (client.offered)(&talk.requests[0]["body"]);
    assert!(offered.iter().any(|tool| tool.0 == "read_file"), "{offered:?}");
    assert!(!offered.iter().any(|tool| tool.0 == "write_file"), "{offered:?}");
}
