//! What MCP is told of results and tools.

use super::*;

#[test]
fn structured_results_are_wrapped_exactly_where_their_schema_is() {
    let object = json!({"type": "object"});
    let defined = |definitions: Value| json!({"$ref": "#/$defs/T", "$defs": definitions});
    for (schema, bare) in [
        (Some(object.clone()), true),
        (None, true),
        (Some(json!({"type": "string"})), false),
        (Some(json!({"type": ["object", "null"]})), false),
        (Some(json!({})), false),
        (Some(json!({"anyOf": [object, object]})), true),
        (Some(json!({"oneOf": [object]})), true),
        (Some(json!({"anyOf": [object, {"type": "string"}]})), false),
        (Some(json!({"anyOf": []})), false),
        (Some(defined(json!({"T": object}))), true),
        (Some(defined(json!({"T": {"type": "array"}}))), false),
        (Some(defined(json!({"U": object}))), false),
        (Some(defined(json!({"T": {"$ref": "#/$defs/T"}}))), false),
        (Some(json!({"$ref": "http://x"})), false),
    ] {
        let told = |dialect, value: Value| {
            let result = Ok(ToolOutput::structured(value));
            mcp::result(dialect, "look", schema.as_ref(), &result, &Limits::default())["structuredContent"]
                .clone()
        };
        let value = json!({"a": 1});
        let expected = if bare { value.clone() } else { json!({"result": value}) };
        assert_eq!(told(Mcp20251125, value.clone()), expected, "{schema:?}");
        assert_eq!(told(Mcp20251125, json!([1])), json!({"result": [1]}), "{schema:?}");
        for any in [value, json!([1]), json!("x")] {
            assert_eq!(told(Mcp20260728, any.clone()), any, "{schema:?}");
        }
    }
}

#[test]
fn a_success_tells_what_the_journal_knows_of_it_and_nothing_else() {
    let told = |meta: Value| {
        let meta = meta.as_object().unwrap().clone();
        let output = ToolOutput { meta, ..ToolOutput::text("x") };
        mcp::result(Mcp20260728, "look", None, &Ok(output), &Limits::default()).get("_meta").cloned()
    };
    assert_eq!(told(json!({})), None);
    assert_eq!(told(json!({"call_id": "c", "layer": 1})), None);
    assert_eq!(
        told(json!({"replayed": true, "call_id": "c", "layer": 1})),
        Some(json!({"toolbox/replayed": true, "toolbox/callId": "c"}))
    );
    assert_eq!(
        told(json!({"journal": "unknown", "call_id": "c"})),
        Some(json!({"toolbox/journal": "unknown"}))
    );
}

#[test]
fn mcp_has_every_block_but_values_which_are_text() {
    let output = contents().into_iter().fold(ToolOutput::default(), ToolOutput::with_content);
    let told = mcp::result(Mcp20260728, "look", None, &Ok(output), &Limits::default());
    let kinds: Vec<&str> =
        told["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    let expected =
        ["text", "image", "image", "resource", "resource", "resource", "resource", "audio", "text"];
    assert_eq!((kinds, told.get("isError")), (expected.to_vec(), None));
    assert_eq!(told["content"][8]["text"], r#"{"a":1}"#);
    // Clients that do not read structured values read the text.
    let image = Content::Image { data: "aGk=".to_owned(), mime_type: "image/png".to_owned() };
    let both = ToolOutput::structured(json!({"a": 1})).with_content(image.clone());
    let told = mcp::result(Mcp20260728, "look", None, &Ok(both), &Limits::default());
    assert_eq!(
        (&told["content"][0]["text"], &told["content"][1]["type"]),
        (&json!(r#"{"a":1}"#), &json!("image"))
    );
    let said =
        ToolOutput::structured(json!({"a": 1})).with_content(image).with_content(Content::text("Said."));
    let told = mcp::result(Mcp20260728, "look", None, &Ok(said), &Limits::default());
    assert_eq!(
        (told["content"].as_array().unwrap().len(), &told["content"][1]["text"]),
        (2, &json!("Said."))
    );
}

#[test]
fn headers_are_told_from_2026_on_and_a_listed_tool_has_its_fingerprint() {
    let schema = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}, "additionalProperties": false});
    let tool = DynTool::builder("look")
        .description("Looks.")
        .group("eyes")
        .behavior(Behavior::READ)
        .input_schema(schema);
    let tool = tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap();
    let registry = Registry::builder().add_dyn(tool).build().unwrap();
    let entry = registry.get("look").unwrap();
    for (dialect, header) in [(Mcp20251125, None), (Mcp20260728, Some(&json!("Region")))] {
        let plan = dialect.plan(&[entry], &PlanOptions::default()).unwrap();
        let descriptor = dialect.tools(&plan)[0].clone();
        assert_eq!(
            descriptor["inputSchema"]["properties"]["region"].get("x-mcp-header"),
            header,
            "{dialect}"
        );
        assert_eq!(descriptor["_meta"], json!({"toolbox/group": "eyes"}));
        let listed = mcp::listed(entry, descriptor.clone());
        let meta = json!({"toolbox/group": "eyes", "toolbox/fingerprint": tool_core::fingerprint(entry)});
        assert_eq!(listed["_meta"], meta);
        assert_eq!(
            (&listed["name"], &listed["inputSchema"]),
            (&descriptor["name"], &descriptor["inputSchema"])
        );
    }
    let bare = mcp::listed(entry, json!({"name": "look"}));
    assert_eq!(bare["_meta"], json!({"toolbox/fingerprint": tool_core::fingerprint(entry)}));
}
