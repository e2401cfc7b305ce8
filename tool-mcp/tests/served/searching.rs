//! Six hundred tools behind four. (mcp.md §15, acceptance 10)

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};
use tool_core::{Behavior, DynTool, Executor, Registry, ToolError, ToolOutput};
use tool_mcp::{Filter, McpServer, McpServerBuilder};

use crate::client::{call, client, failure, versions};

const VERBS: [(&str, &str, bool); 6] = [
    ("create", "Makes a new", true),
    ("delete", "Removes an existing", true),
    ("list", "Shows every", false),
    ("read", "Shows all fields of one", false),
    ("update", "Changes fields of one", true),
    ("archive", "Puts away an old", true),
];

const THINGS: [&str; 20] = [
    "invoice",
    "customer",
    "ticket",
    "branch",
    "calendar",
    "contact",
    "contract",
    "deployment",
    "document",
    "employee",
    "folder",
    "meeting",
    "message",
    "order",
    "payment",
    "product",
    "project",
    "report",
    "shipment",
    "warehouse",
];

const PLACES: [(&str, &str); 5] = [
    ("crm", "of the sales team"),
    ("erp", "in the accounts"),
    ("git", "on the code host"),
    ("hr", "of the personnel office"),
    ("web", "on the public site"),
];

/// What a person would type, and the tool that is meant.
const QUERIES: [(&str, &str); 20] = [
    ("create invoice accounts", "erp_create_invoice"),
    ("removes an existing customer of the sales team", "crm_delete_customer"),
    ("list ticket on the public site", "web_list_ticket"),
    ("delete branch on the code host", "git_delete_branch"),
    ("shows all fields of one employee of the personnel office", "hr_read_employee"),
    ("put away an old contract accounts", "erp_archive_contract"),
    ("crm create contact", "crm_create_contact"),
    ("changes fields payment accounts", "erp_update_payment"),
    ("show every deployment code host", "git_list_deployment"),
    ("meeting new personnel", "hr_create_meeting"),
    ("public site update product", "web_update_product"),
    ("shipment read erp", "erp_read_shipment"),
    ("archive report sales", "crm_archive_report"),
    ("warehouse list accounts", "erp_list_warehouse"),
    ("delete the message on the public site", "web_delete_message"),
    ("hr calendar update", "hr_update_calendar"),
    ("read document code host", "git_read_document"),
    ("new folder public site", "web_create_folder"),
    ("git_archive_project", "git_archive_project"),
    ("list order of sales team", "crm_list_order"),
];

fn tool(place: (&str, &str), verb: (&'static str, &str, bool), thing: &str) -> DynTool {
    let name = format!("{}_{}_{thing}", place.0, verb.0);
    let effect =
        Behavior { side_effect: true, idempotent: true, destructive: verb.0 == "delete", open_world: false };
    let told = name.clone();
    DynTool::builder(name)
        .group(place.0)
        .description(format!("{} {thing} {}.", verb.1, place.1))
        .behavior(if verb.2 { effect } else { Behavior::READ })
        .input_schema(
            json!({"type": "object", "properties": {"id": {"type": "integer", "description": "Which."}},
            "required": ["id"], "additionalProperties": false}),
        )
        .handler_sync(move |args, _| match args["id"].as_u64() {
            Some(404) => Err(ToolError::not_found("There is none.")),
            _ => Ok(ToolOutput::text(format!("{told} {args}"))),
        })
        .build()
        .unwrap()
}

fn builder() -> McpServerBuilder {
    let all = PLACES.into_iter().flat_map(|place| VERBS.into_iter().map(move |verb| (place, verb)));
    let all = all.flat_map(|(place, verb)| THINGS.into_iter().map(move |thing| tool(place, verb, thing)));
    let registry = all.fold(Registry::builder(), |registry, tool| registry.add_dyn(tool)).build().unwrap();
    assert_eq!(registry.len(), 600);
    McpServer::builder(Executor::standard(registry))
}

/// The value of a result; the legacy era has one that is no object in an object.
fn value(structured: Option<Value>) -> Value {
    let value = structured.unwrap();
    value.get("result").cloned().unwrap_or(value)
}

#[tokio::test]
async fn the_right_tool_is_found_first_and_called_through_the_right_door() {
    let server = builder().search(["crm_list_order".to_owned()]).build().unwrap();
    for version in versions() {
        let client = client(server.clone(), version).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let four = ["call_read_tool", "call_write_tool", "crm_list_order", "describe_tools", "search_tools"];
        assert_eq!(names, four);
        for (query, meant) in QUERIES {
            let result = client.call_tool(call("search_tools", json!({"query": query}))).await.unwrap();
            let found = value(result.structured_content);
            assert_eq!(found[0]["name"], meant, "{query}: {found}");
            assert!(found.as_array().unwrap().len() <= 8);
        }
        let told = json!({"names": ["crm_delete_order", "crm_delet_order"]});
        let told = value(client.call_tool(call("describe_tools", told)).await.unwrap().structured_content);
        assert_eq!(told[0]["input_schema"]["required"], json!(["id"]), "{told}");
        assert_eq!(told[0]["annotations"]["destructive"], true, "{told}");
        assert_eq!(told[1]["nearest"][0], "crm_delete_order", "{told}");

        let through = |door: &'static str, name: &str, args: Value| {
            call(door, json!({"name": name, "arguments": args}))
        };
        let read =
            client.call_tool(through("call_read_tool", "erp_read_order", json!({"id": 7}))).await.unwrap();
        assert_eq!(read.content[0].as_text().unwrap().text, "erp_read_order {\"id\":7}");
        let write = through("call_read_tool", "erp_update_order", json!({"id": 7}));
        let refused = failure(&client.call_tool(write).await.unwrap());
        assert_eq!(refused["error"]["code"], "not_a_read_tool", "{refused}");
        assert_eq!(refused["error"]["hint"], "Use call_write_tool.");
        let written =
            client.call_tool(through("call_write_tool", "erp_update_order", json!({"id": 7}))).await;
        assert_eq!(written.unwrap().content[0].as_text().unwrap().text, "erp_update_order {\"id\":7}");
        // What needs approval needs it behind the door as well, and this client cannot be asked.
        let deleted =
            client.call_tool(through("call_write_tool", "erp_delete_order", json!({"id": 7}))).await;
        assert_eq!(failure(&deleted.unwrap())["error"]["code"], "confirmation_unavailable");
        let wrong = client.call_tool(through("call_read_tool", "erp_read_order", json!({"id": "x"}))).await;
        let wrong = failure(&wrong.unwrap());
        assert_eq!(wrong["error"]["issues"][0]["path"], "/arguments/id", "{wrong}");
        let nothing = client.call_tool(call("search_tools", json!({"query": "zebra"}))).await.unwrap();
        let hint = &nothing.content.last().unwrap().as_text().unwrap().text;
        assert!(hint.contains("crm, erp, git, hr, web"), "{hint}");
        assert_eq!(value(nothing.structured_content), json!([]));
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn filters_hold_behind_the_door_too() {
    let filter = Filter { only: vec!["group:crm".into()], read_only: true, ..Filter::default() };
    let server = builder().filter(filter).search([]).build().unwrap();
    let client = client(server, ProtocolVersion::V_2026_07_28).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["call_read_tool", "describe_tools", "search_tools"], "nothing writes");
    let found = client.call_tool(call("search_tools", json!({"query": "order", "limit": 25}))).await.unwrap();
    let found = value(found.structured_content);
    let found: Vec<&str> =
        found.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(found, ["crm_list_order", "crm_read_order"]);
    let other = call("call_read_tool", json!({"name": "erp_read_order", "arguments": {"id": 1}}));
    assert_eq!(failure(&client.call_tool(other).await.unwrap())["error"]["kind"], "denied");
    let wrong = builder().search(["crm_list_oder".to_owned()]).build().unwrap_err();
    assert_eq!(
        (wrong.code_str(), wrong.to_json()["hint"].as_str()),
        ("no_match", Some("did you mean crm_list_order?"))
    );
}
