//! Tools that have a schema and no type: what is refused of them, and what their definition has.

use super::*;

#[test]
fn what_is_said_of_a_schema_only_tool_stands_in_its_definition() {
    let tool = DynTool::builder("fetch")
        .title("Fetch a page")
        .description("Fetches it.")
        .input_schema(json!({"type": "object", "properties": {"url": {"type": "string"}}}))
        .secret("PAGE_KEY")
        .hidden()
        .verbatim()
        .param("url", |param| param.positional().short('u'))
        .build()
        .unwrap();
    let def = tool.def();
    assert_eq!((def.title, def.hidden, def.verbatim), (Some("Fetch a page"), true, true));
    assert!(def.secrets.iter().any(|secret| secret.key == "PAGE_KEY"));
    let url = &def.params[0];
    assert_eq!((url.name, url.keys.cli.positional, url.keys.cli.short), ("url", true, Some('u')));
    let bare = DynTool::builder("fetch").description("Fetches it.").build().unwrap();
    assert_eq!((bare.def().title, bare.def().hidden, bare.def().verbatim), (None, false, false));
}

#[test]
fn a_schema_may_be_as_large_as_is_said_and_no_larger() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let size = schema.to_string().len();
    for (most, fits) in [(size, true), (size + 5, true), (size - 1, false), (size - 5, false), (0, false)] {
        let tool = DynTool::builder("echo").description("Says it.").max_schema_bytes(most);
        let built = tool.input_schema(schema.clone()).build().map(drop).map_err(lines);
        match built {
            Ok(()) => assert!(fits, "{most}"),
            Err(told) => {
                assert!(!fits && told[0].ends_with(&format!("it is larger than {most} bytes")), "{told:?}");
            }
        }
    }
}

#[test]
fn a_reference_that_leads_out_is_found_in_lists_and_not_in_values() {
    let build = |schema| DynTool::builder("echo").description("Says it.").input_schema(schema).build();
    let within = json!({"type": "object", "properties": {"a/b": {"anyOf": [{"type": "string"}, {"$ref": "other.json#/x"}]}}});
    let told = lines(build(within).unwrap_err());
    let place = "schema_remote_ref: the input schema of `echo` is not valid at `/properties/a~1b/anyOf/1/$ref`: `other.json#/x` is";
    assert!(told[0].starts_with(place), "{}", told[0]);
    let value = json!({"$ref": "other.json"});
    let values = json!({"type": "object", "properties": {"a": {"default": value, "examples": [value], "enum": [value, null]},
        "b": {"const": value}}});
    assert!(build(values).is_ok());
}

#[test]
fn what_is_said_of_a_wrong_schema_is_not_the_schema() {
    let build = |schema| {
        lines(DynTool::builder("echo").description("Says it.").input_schema(schema).build().unwrap_err())
    };
    let told = build(json!({"type": "object", "required": "name"}));
    assert!(
        told[0].contains("`/required`: ") && told[0].contains("\"name\"") && !told[0].contains('…'),
        "{}",
        told[0]
    );
    let told = build(json!({"type": "object", "required": "x".repeat(5_000)}));
    assert!(told[0].ends_with('…') && told[0].chars().count() < 500, "{}", told[0]);
}

#[test]
fn parameters_of_a_schema_only_tool_have_their_aliases_and_whether_they_must_be_given() {
    let schema = json!({"type": "object", "properties": {"url": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["url"]});
    let tool = DynTool::builder("fetch")
        .description("Fetches it.")
        .behavior(Behavior::READ)
        .input_schema(schema)
        .param("url", |param| param.alias("address"))
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)))
        .build()
        .unwrap();
    let must: Vec<(&str, bool)> =
        tool.def().params.iter().map(|param| (param.name, param.is_required())).collect();
    assert_eq!(must, [("url", true), ("limit", false)]);
    assert_eq!(tool.def().params[0].keys.aliases, ["address"]);
    let registry = Registry::builder().add_dyn(tool).build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let called = tool_core::Call::new("fetch", json!({"address": "x"}));
    let output = executor.call_blocking(called, &ToolContext::empty(), tool_core::Caller::Llm).unwrap();
    assert_eq!(output.data(), json!({"url": "x"}));
}

#[test]
fn a_name_to_try_keeps_what_a_name_may_have() {
    for (bad, near) in
        [("a-b_c d", "a-b_c_d"), ("a  b", "a_b"), ("é", "_"), ("1st", "_1st"), ("-x", "_-x"), (" x ", "x")]
    {
        let lines = lines(DynTool::builder(bad).description("Does it.").build().unwrap_err());
        assert!(lines[0].ends_with(&format!("try `{near}`")), "{bad}: {}", lines[0]);
    }
}
