//! What is listed: filters, pages, changes.

use std::num::NonZeroUsize;

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tool_core::prelude::*;
use tool_core::{Executor, Registry};
use tool_mcp::{Filter, McpServer};

use crate::client::{call, client, failure, initialize, legacy, modern, serve, talk, versions};
use crate::tools::builder;

#[tokio::test]
async fn a_filter_hides_tools_and_a_pattern_without_a_match_is_an_error() {
    let filter = Filter { only: vec!["group:words".into()], read_only: true, ..Filter::default() };
    let server = builder().filter(filter).build().unwrap();
    let client = client(server, ProtocolVersion::V_2025_11_25).await;
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["greet"]);
    let failed = failure(&client.call_tool(call("note", json!({"txt": 1}))).await.unwrap());
    assert_eq!(failed["error"]["kind"], "denied");
    assert!(!failed.to_string().contains("text\""), "no parameter is described: {failed}");

    let error = |filter: Filter| builder().filter(filter).build().unwrap_err();
    let none = error(Filter { only: vec!["gret*".into()], ..Filter::default() });
    assert_eq!((none.kind().as_str(), none.code_str()), ("invalid_args", "no_match"));
    assert_eq!(none.to_json()["hint"], "did you mean greet?");
    let nothing = error(Filter { except: vec!["*".into()], ..Filter::default() });
    assert_eq!((nothing.kind().as_str(), nothing.code_str()), ("not_configured", "no_tools"));
}

#[tokio::test]
async fn many_tools_come_in_pages_each_once() {
    let add = |registry: tool_core::registry::RegistryBuilder, at: usize| {
        let tool = tool_core::DynTool::builder(format!("tool_{at:03}"))
            .description("One of many.")
            .behavior(tool_core::Behavior::READ)
            .input_schema(json!({"type": "object", "properties": {}}))
            .handler_sync(|_, _| Ok(ToolOutput::text("here")))
            .build()
            .unwrap();
        registry.add_dyn(tool)
    };
    let registry = (0..250).fold(Registry::builder(), add).build().unwrap();
    let server = || McpServer::builder(Executor::standard(registry.clone()));
    let one_page = NonZeroUsize::new(1_000).unwrap();
    let long = server().page_size(one_page).live_filter().build().unwrap();
    // The size of a page holds for what is listed later, too.
    let hidden = Filter { except: vec!["tool_000".to_owned()], ..Filter::default() };
    let changed = server().page_size(one_page).live_filter().build().unwrap();
    changed.set_filter(&hidden).unwrap();
    for (server, listed, wanted) in [(server().build().unwrap(), 250, 3), (long, 250, 1), (changed, 249, 1)] {
        in_pages(&server, listed, wanted).await;
    }
}

async fn in_pages(server: &McpServer, listed: usize, wanted: usize) {
    for version in versions() {
        let client = client(server.clone(), version).await;
        let (mut names, mut pages, mut cursor) = (Vec::new(), 0, None);
        loop {
            let params = rmcp::model::PaginatedRequestParams::default().with_cursor(cursor);
            let page = client.list_tools(Some(params)).await.unwrap();
            names.extend(page.tools.iter().map(|tool| tool.name.to_string()));
            pages += 1;
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages, wanted);
        assert!(names.len() == listed && names.is_sorted_by(|a, b| a < b), "{names:?}");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_list_that_changes_is_told_in_both_eras() {
    let server = builder().live_filter().build().unwrap();
    let only = |name: &str| Filter { only: vec![name.to_owned()], ..Filter::default() };
    for modern_era in [false, true] {
        let (read, mut write) = tokio::io::split(serve(server.clone()));
        let mut read = BufReader::new(read).lines();
        let listen = modern(5, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let opened = match modern_era {
            true => format!("{listen}\n"),
            false => format!(
                "{}\n{}\n{}\n",
                initialize(),
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                legacy(5, "tools/list", &json!({}))
            ),
        };
        write.write_all(opened.as_bytes()).await.unwrap();
        let mut next =
            async || -> Value { serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap() };
        let first = next().await;
        match modern_era {
            true => assert_eq!(first["method"], "notifications/subscriptions/acknowledged"),
            false => {
                assert_eq!(first["result"]["capabilities"], json!({"tools": {"listChanged": true}}));
                assert_eq!(next().await["id"], 5);
            }
        }
        // The handler may begin to listen after this; a change that comes later is told.
        let told = async {
            loop {
                if next().await["method"] == "notifications/tools/list_changed" {
                    break;
                }
            }
        };
        let change = async {
            for name in ["add", "greet"].into_iter().cycle() {
                server.set_filter(&only(name)).unwrap();
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { () = told => {}, () = change => {} }
    }
    server.set_filter(&only("add")).unwrap();
    let answers = talk(server, &[modern(1, "tools/list", json!({}))], 1).await;
    assert_eq!(answers[0]["result"]["tools"].as_array().unwrap().len(), 1);
    let fixed = builder().build().unwrap();
    assert_eq!(fixed.set_filter(&only("add")).unwrap_err().code_str(), "filter_fixed");
}
