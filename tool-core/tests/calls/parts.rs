//! Long results are read by lines, by pointer and by what is looked for; what is too long is cut where it says.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{
    Behavior, Call, Caller, Content, DynTool, Executor, MemoryResults, Parked, ReadResultTool, Registry,
    ResultScope, ResultStore, ShapeSettings,
};

use crate::scene::{CANARY, call, secrets};

/// An executor with one tool, `give`, that gives this.
fn giving(settings: ShapeSettings, result: impl Fn() -> ToolResult + Send + Sync + 'static) -> Executor {
    let tool = DynTool::builder("give").description("Gives.").behavior(Behavior::READ);
    let tool = tool.handler_sync(move |_, _| result()).build().unwrap();
    let registry = Registry::builder().add_dyn(tool).add::<ReadResultTool>().build().unwrap();
    Executor::standard(registry).shape(settings).build().unwrap()
}

fn texts(output: &ToolOutput) -> Vec<&str> {
    output
        .content
        .iter()
        .map(|block| match block {
            Content::Text { text } => text.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// What `read_result` shows of the result of `give`: without its first line, in which the id stands as `ID`, and that line.
async fn read(executor: &Executor, of: Value) -> (String, String) {
    let parked = call(executor, "give", json!({})).await.unwrap();
    let id = parked.meta["parked"].as_str().unwrap().to_owned();
    let mut args = of;
    args["id"] = json!(id);
    let output = call(executor, "read_result", args).await.unwrap();
    let text = texts(&output)[0].replace(&id, "ID");
    let (head, rest) = text.split_once('\n').unwrap();
    (head.to_owned(), rest.to_owned())
}

#[tokio::test]
async fn lines_are_shown_as_long_as_they_fit_one_page() {
    let line = |length: usize| format!("{}\n", "é".repeat(length - 1));
    let lines =
        move || Ok(ToolOutput::text([line(4_000), line(4_000), line(1), line(9_000), line(2)].concat()));
    let executor = giving(ShapeSettings::default(), lines);
    let (head, text) = read(&executor, json!({"lines": "1-2"})).await;
    assert_eq!((head.as_str(), text.chars().count()), ("[result ID, lines 1-2 of 5]", 8_000));
    let (head, text) = read(&executor, json!({"lines": "1-3"})).await;
    assert_eq!((head.as_str(), text.chars().count()), ("[result ID, lines 1-2 of 5]", 8_000));
    let (head, text) = read(&executor, json!({"lines": "4"})).await;
    assert_eq!((head.as_str(), text), ("[result ID, lines 4-4 of 5]", "é".repeat(8_000)));
    let (head, text) = read(&executor, json!({"lines": "3-5"})).await;
    assert_eq!((head.as_str(), text.as_str()), ("[result ID, lines 3-3 of 5]", "\n"));
}

#[tokio::test]
async fn what_is_found_stands_in_the_middle_of_what_is_shown_of_its_line() {
    let far = format!("{}needle{}", "a".repeat(1_000), "b".repeat(1_000));
    let text = format!("needle first\n{far}\n{}", "hay\n".repeat(4_000));
    let executor = giving(ShapeSettings::default(), move || Ok(ToolOutput::text(text.clone())));
    let (head, shown) = read(&executor, json!({"find": "needle"})).await;
    assert_eq!(head, "[result ID, 2 matching lines]");
    assert_eq!(shown, format!("1: needle first\n2: {}needle{}\n", "a".repeat(100), "b".repeat(94)));
}

#[tokio::test]
async fn as_many_matches_are_shown_as_may_be_and_more_are_told() {
    for (count, head) in
        [(19, "19 matching lines"), (20, "20 matching lines"), (21, "20 matching lines, and more")]
    {
        let text = format!("{}{}", "needle\n".repeat(count), "hay\n".repeat(4_000));
        let executor = giving(ShapeSettings::default(), move || Ok(ToolOutput::text(text.clone())));
        let (told, shown) = read(&executor, json!({"find": "needle"})).await;
        assert_eq!(told, format!("[result ID, {head}]"));
        assert_eq!(shown.lines().count(), count.min(20));
    }
}

/// Keeps what it was given, besides keeping it.
#[derive(Default)]
struct Spy {
    store: MemoryResults,
    seen: Mutex<Vec<Parked>>,
}

impl ResultStore for Spy {
    fn put(&self, scope: &ResultScope, result: Parked) -> Result<String, ToolError> {
        self.seen.lock().unwrap().push(result.clone());
        self.store.put(scope, result)
    }

    fn get(&self, scope: &ResultScope, id: &str) -> Result<Parked, ToolError> {
        self.store.get(scope, id)
    }

    fn sweep(&self) {
        self.store.sweep();
    }
}

#[tokio::test]
async fn a_part_that_is_longer_than_a_page_is_parked_by_itself() {
    let spy = Arc::new(Spy::default());
    let settings =
        ShapeSettings { results: Some(spy.clone()), secrets: secrets(), ..ShapeSettings::default() };
    // Only without its escapes is it the secret.
    let hidden = CANARY.replace('-', "\\u002d");
    let raw = format!(
        r#"{{"short": "x", "text": "{}", "list": {}, "secret": "{hidden}{}"}}"#,
        "t".repeat(8_001),
        json!(vec!["y"; 3_000]),
        "z".repeat(8_001),
    );
    let executor = giving(settings, move || Ok(ToolOutput::text(raw.clone())));
    assert_eq!(
        read(&executor, json!({"pointer": "/short"})).await,
        ("[result ID, /short]".into(), "x".into())
    );
    assert_eq!(spy.seen.lock().unwrap().len(), 1, "the whole");
    for (pointer, media, is_private) in [
        ("/text", "text/plain", false),
        ("/list", "application/json", false),
        ("/secret", "text/plain", true),
    ] {
        let (head, first) = read(&executor, json!({"pointer": pointer})).await;
        let part = spy.seen.lock().unwrap().last().unwrap().clone();
        assert!(head.starts_with(&format!("[result ID, {pointer}, parked as res_")), "{head}");
        assert_eq!((part.media.as_str(), part.is_private), (media, is_private), "{pointer}");
        assert!(is_private || part.text.starts_with(&first), "{pointer}: {first}");
    }
}

#[tokio::test]
async fn a_stub_has_both_ends_and_says_what_is_between() {
    let executor = |result: fn() -> ToolOutput| giving(ShapeSettings::default(), move || Ok(result()));
    let stub = async |result: fn() -> ToolOutput| {
        let output = call(&executor(result), "give", json!({})).await.unwrap();
        texts(&output)[0].to_owned()
    };
    let text =
        stub(|| ToolOutput::text(format!("{}{}{}", "a".repeat(1_500), "b".repeat(9_000), "c".repeat(500))))
            .await;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with(" parked: 11000 characters, 2 pages, text/plain; 1 lines]"), "{}", lines[0]);
    assert_eq!((lines[1], lines[2], lines[3]), (&*"a".repeat(1_500), "…", &*"c".repeat(500)));
    for (result, said) in [
        (
            (|| ToolOutput::structured(json!({"one": "x".repeat(12_000), "two": 2}))) as fn() -> ToolOutput,
            "object with keys one, two]",
        ),
        (
            || ToolOutput::structured(json!(vec![json!({"key": "x"}); 2_000])),
            "array of 2000 objects with keys key]",
        ),
        (|| ToolOutput::structured(json!(vec![1; 9_000])), "array of 9000 values]"),
        (|| ToolOutput::text("line\n".repeat(4_000)), "4000 lines]"),
    ] {
        let text = stub(result).await;
        let first = text.lines().next().unwrap();
        assert!(first.ends_with(&format!("; {said}")), "{first}");
    }
}

#[tokio::test]
async fn a_result_is_cut_where_it_is_longer_than_it_may_be() {
    let settings = || ShapeSettings { max_output_bytes: 10, results: None, ..ShapeSettings::default() };
    let given = async |output: ToolOutput| {
        let executor = giving(settings(), move || Ok(output.clone()));
        call(&executor, "give", json!({})).await.unwrap()
    };
    let text = |text: &str| Content::text(text);
    let whole = given(ToolOutput::text("0123456789")).await;
    assert_eq!((texts(&whole), whole.meta.get("truncated")), (vec!["0123456789"], None));
    for (blocks, shown, bytes, total) in [
        (vec![text("0123456789a")], vec!["0123456789"], 10, 11),
        // Between characters.
        (vec![text("012345678é")], vec!["012345678"], 9, 11),
        (vec![text("0123"), text("456789a"), text("b")], vec!["0123", "456789", ""], 10, 12),
        (vec![text("01234"), text("56789"), text("a")], vec!["01234", "56789", ""], 10, 11),
        (vec![text("0123456"), Content::Json { value: json!([1, 2]) }], vec!["0123456", "[1,"], 10, 12),
    ] {
        let cut = given(ToolOutput { content: blocks, ..ToolOutput::default() }).await;
        let note = format!("[cut: {bytes} of {total} bytes are shown]");
        assert_eq!(texts(&cut), [shown, vec![note.as_str()]].concat());
        assert_eq!(cut.meta["truncated"], json!({"bytes": bytes, "total": total}));
    }
    // A structured value is whole or not there.
    let value = given(ToolOutput::structured(json!([1, 2, 3, 4]))).await;
    assert_eq!((value.structured.is_some(), value.meta.get("truncated")), (true, None), "9 bytes");
    let value = given(ToolOutput::structured(json!([1, 2, 34, 5]))).await;
    assert_eq!((value.structured.is_some(), value.meta.get("truncated")), (true, None), "10 bytes");
    let value = given(ToolOutput::structured(json!([1, 2, 34, 56]))).await;
    assert_eq!((value.structured.is_some(), texts(&value)[0]), (false, "[1,2,34,56"));
    assert_eq!(value.meta["truncated"], json!({"bytes": 10, "total": 11}));
    let both = given(ToolOutput::structured(json!([1, 2, 34, 56])).with_content(text("short"))).await;
    assert_eq!((both.structured.is_some(), texts(&both)[0]), (false, "short"));
}

#[tokio::test]
async fn texts_anywhere_in_the_details_of_an_error_are_cut() {
    let settings = ShapeSettings { max_output_bytes: 10, results: None, ..ShapeSettings::default() };
    let executor = giving(settings, || {
        Err(ToolError::failed("It broke.").detail("a", json!(["0123", {"in": "4567"}])).detail("b", "89ab"))
    });
    let error = call(&executor, "give", json!({})).await.unwrap_err();
    assert_eq!(error.details()["a"], json!(["0123", {"in": "4567"}]));
    assert_eq!(error.details()["b"], "89");
    assert_eq!(error.details()["truncated"], json!({"bytes": 10, "total": 12}));
}

/// Counts, in many words.
#[tool(register = false)]
fn count_up() -> Vec<u64> {
    (0..5_000).collect()
}

#[tokio::test]
async fn a_parked_result_keeps_its_value_only_where_a_client_was_promised_one() {
    let registry = || {
        let tool = DynTool::builder("give").description("Gives.").behavior(Behavior::READ);
        let give =
            tool.handler_sync(|_, _| Ok(ToolOutput::structured(json!((0..5_000).collect::<Vec<u64>>()))));
        let registry = Registry::builder().add_dyn(give.build().unwrap()).add::<CountUpTool>();
        registry.add::<ReadResultTool>().build().unwrap()
    };
    let executor = Executor::standard(registry()).shape(ShapeSettings::default()).build().unwrap();
    for (tool, caller, keeps) in [
        ("count_up", Caller::Mcp, true),
        ("count_up", Caller::Llm, false),
        ("give", Caller::Mcp, false),
        ("give", Caller::Llm, false),
    ] {
        let output = executor.call(Call::new(tool, json!({})), &crate::scene::ctx(), caller).await.unwrap();
        assert!(texts(&output)[0].starts_with("[result res_"), "{tool}");
        assert_eq!(output.structured.is_some(), keeps, "{tool} {caller:?}");
    }
}

/// Keeps nothing.
struct Full;

impl ResultStore for Full {
    fn put(&self, _: &ResultScope, _: Parked) -> Result<String, ToolError> {
        Err(ToolError::unavailable("The disk is full."))
    }

    fn get(&self, _: &ResultScope, id: &str) -> Result<Parked, ToolError> {
        Err(ToolError::not_found(id.to_owned()))
    }

    fn sweep(&self) {}
}

#[tokio::test]
async fn a_result_that_cannot_be_kept_is_shown_from_both_ends() {
    let text: String = (0..4_000).map(|number| format!("{number:04} é\n")).collect();
    let (characters, bytes) = (text.chars().count(), text.len());
    let settings =
        ShapeSettings { inline_limit: 1_000, results: Some(Arc::new(Full)), ..ShapeSettings::default() };
    let executor = giving(settings, move || Ok(ToolOutput::text(text.clone())));
    let output = call(&executor, "give", json!({})).await.unwrap();
    let shown = texts(&output)[0];
    let (head, rest) = shown.split_once("\n…\n").unwrap();
    let (tail, note) = rest.rsplit_once('\n').unwrap();
    assert_eq!((head.chars().count(), tail.chars().count()), (750, 250));
    assert_eq!(note, format!("[cut: 1000 of {characters} characters are shown; the rest could not be kept]"));
    assert!(head.starts_with("0000 é\n") && tail.ends_with("3999 é\n"));
    assert_eq!(output.meta["truncated"], json!({"bytes": head.len() + tail.len(), "total": bytes}));
}

#[tokio::test]
async fn what_is_read_of_a_parked_result_is_neither_parked_nor_cut_itself() {
    let settings = ShapeSettings { inline_limit: 1_000, max_output_bytes: 2_000, ..ShapeSettings::default() };
    let executor = giving(settings, || Ok(ToolOutput::text("a line\n".repeat(1_000))));
    let parked = call(&executor, "give", json!({})).await.unwrap();
    let id = parked.meta["parked"].as_str().unwrap();
    let output = call(&executor, "read_result", json!({"id": id, "page": 1})).await.unwrap();
    let (_, shown) = texts(&output)[0].split_once('\n').unwrap();
    assert_eq!(shown.matches("a line\n").count(), 2_000 / 7);
    assert!(shown.ends_with("[cut: 2000 of 7000 bytes are shown]"), "{shown}");
    assert_eq!(output.meta.get("truncated"), None);
}

#[tokio::test]
async fn a_value_that_fits_stays_one_where_what_comes_behind_it_is_cut() {
    let settings = ShapeSettings { max_output_bytes: 20, results: None, ..ShapeSettings::default() };
    let executor = giving(settings, || {
        let value = Content::Json { value: json!({"a": 1}) };
        Ok(ToolOutput::default().with_content(value).with_content(Content::text("b".repeat(50))))
    });
    let output = call(&executor, "give", json!({})).await.unwrap();
    assert_eq!(output.content[0], Content::Json { value: json!({"a": 1}) });
    assert_eq!(output.content[1], Content::text("b".repeat(13)));
    assert_eq!(output.meta["truncated"], json!({"bytes": 20, "total": 57}));
}
