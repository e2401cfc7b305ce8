//! Long results are parked or cut, and read in parts.

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{
    Behavior, Call, Caller, Content, DynTool, ErrorKind, Executor, ReadResultTool, Registry, ShapeSettings,
};

use crate::scene::{RowsTool, call, ctx, registry};

fn stub(output: &ToolOutput) -> (String, usize) {
    let Content::Text { text } = &output.content[0] else { panic!("{output:?}") };
    let first = text.lines().next().unwrap();
    let id = first.split(' ').nth(1).unwrap().to_owned();
    let pages = first.split(", ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    (id, pages)
}

fn text(output: &ToolOutput) -> &str {
    match &output.content[..] {
        [Content::Text { text }] => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn long_results_are_parked_and_their_pages_give_them_back() {
    let executor = Executor::standard(registry()).shape(ShapeSettings::default()).build().unwrap();
    let whole = executor.call(Call::new("rows", json!({"count": 600})), &ctx(), Caller::Cli).await.unwrap();
    let payload = text(&whole).to_owned();
    let output = call(&executor, "rows", json!({"count": 600})).await.unwrap();
    let (id, count) = stub(&output);
    let shown = text(&output);
    let characters = payload.chars().count();
    assert!(shown.starts_with(&format!(
        "[result {id} parked: {characters} characters, {count} pages, application/json; array of 600 objects with keys id, name, tags]\n"
    )), "{shown}");
    assert!(shown.ends_with(&format!("[read more: read_result(id=\"{id}\", page=1..{count})]")), "{shown}");
    assert!(id.len() == 16 && id.starts_with("res_"), "{id}");

    let mut joined = String::new();
    for page in 1..=count {
        let output = call(&executor, "read_result", json!({"id": id, "page": page})).await.unwrap();
        let page_text = text(&output);
        assert!(page_text.chars().count() <= 10_000 && !page_text.contains(" parked: "));
        joined.push_str(page_text.split_once('\n').unwrap().1);
    }
    assert_eq!(joined, payload, "the pages joined are the payload");
    let beyond = call(&executor, "read_result", json!({"id": id, "page": count + 1})).await.unwrap_err();
    assert_eq!((beyond.kind(), beyond.arg_issues()[0].path.as_str()), (ErrorKind::InvalidArgs, "/page"));
    assert_eq!(beyond.arg_issues()[0].expected, format!("1..={count}"));

    let part = call(&executor, "read_result", json!({"id": id, "pointer": "/599/name"})).await.unwrap();
    assert!(text(&part).ends_with("\nnäme 😀 599"), "{}", text(&part));
    let found = call(&executor, "read_result", json!({"id": id, "find": "😀 599"})).await.unwrap();
    assert!(text(&found).contains("1: ") && text(&found).contains("😀 599"), "{}", text(&found));
    let both = call(&executor, "read_result", json!({"id": id, "page": 1, "find": "x"})).await.unwrap_err();
    assert_eq!(both.kind(), ErrorKind::InvalidArgs);

    let stranger = ToolContext::builder().agent("other").build();
    let read = Call::new("read_result", json!({"id": id, "page": 1}));
    assert_eq!(executor.call(read, &stranger, Caller::Llm).await.unwrap_err().kind(), ErrorKind::NotFound);
    let short = call(&executor, "rows", json!({"count": 3})).await.unwrap();
    assert!(text(&short).starts_with("[{"));

    let without = Registry::builder().add::<RowsTool>().build().unwrap();
    let refused = Executor::standard(without).shape(ShapeSettings::default()).build().unwrap_err();
    assert_eq!(refused.code_str(), "read_result_missing");
}

#[tokio::test]
async fn lines_are_read_by_number_and_long_errors_and_results_are_cut() {
    let tool =
        DynTool::builder("lines").description("Prints.").behavior(Behavior::READ).handler_sync(|_, _| {
            Ok(ToolOutput::text((1..=3_000).map(|line| format!("line {line}\r\n")).collect::<String>()))
        });
    let long = DynTool::builder("long").description("Fails.").behavior(Behavior::READ);
    let long = long.handler_sync(|_, _| Err(ToolError::failed("é".repeat(9_000))));
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).add_dyn(long.build().unwrap());
    let registry = registry.add::<ReadResultTool>().build().unwrap();
    let executor = Executor::standard(registry.clone()).shape(ShapeSettings::default()).build().unwrap();
    let (id, _) = stub(&call(&executor, "lines", json!({})).await.unwrap());
    let some = call(&executor, "read_result", json!({"id": id, "lines": "10-12"})).await.unwrap();
    assert_eq!(text(&some), format!("[result {id}, lines 10-12 of 3000]\nline 10\r\nline 11\r\nline 12\r\n"));
    let many = call(&executor, "read_result", json!({"id": id, "lines": "1-3000"})).await.unwrap();
    assert!(text(&many).starts_with(&format!("[result {id}, lines 1-400 of 3000]\n")));
    assert!(call(&executor, "read_result", json!({"id": id, "lines": "5-3001"})).await.is_err());
    let error = call(&executor, "long", json!({})).await.unwrap_err();
    assert_eq!(error.message().chars().count(), 4_000);

    let small = ShapeSettings { max_output_bytes: 100, results: None, ..ShapeSettings::default() };
    let executor = Executor::standard(registry).shape(small).build().unwrap();
    let cut = call(&executor, "lines", json!({})).await.unwrap();
    assert_eq!(cut.meta["truncated"]["bytes"], 100);
    assert_eq!(cut.content.len(), 2, "the cut is named");
}

#[tokio::test]
async fn the_details_of_an_error_are_cut_like_a_result() {
    let tool = DynTool::builder("broken").description("Breaks.").behavior(Behavior::READ);
    let tool = tool.handler_sync(|_, _| {
        Err(ToolError::failed("It broke.")
            .detail("status", 3)
            .detail("partial", json!({"stdout": "é".repeat(4_000)})))
    });
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let error = async |max_output_bytes| {
        let settings = ShapeSettings { max_output_bytes, results: None, ..ShapeSettings::default() };
        let executor = Executor::standard(registry.clone()).shape(settings).build().unwrap();
        call(&executor, "broken", json!({})).await.unwrap_err()
    };
    let (whole, cut) = (error(8_000).await, error(999).await);
    let length = |error: &ToolError| error.details()["partial"]["stdout"].as_str().unwrap().len();
    assert_eq!((length(&whole), whole.details().get("truncated")), (8_000, None));
    assert_eq!((length(&cut), &cut.details()["truncated"]), (998, &json!({"bytes": 998, "total": 8_000})));
    assert_eq!(cut.details()["status"], 3);
}
