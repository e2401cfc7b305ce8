//! Skills as resources, and nothing else of resources. (mcp.md §10)

use serde_json::{Value, json};

use crate::client::{initialize, legacy, modern, talk};
use crate::tools::builder;

#[tokio::test]
async fn skills_are_served_where_they_are_asked_for() {
    let entry = "---\nname: demo-words\ndescription: \"Words.\"\n---\n\n# demo-words\n";
    let files = [("demo-words/SKILL.md", entry), ("demo-words/reference/greet.md", "# greet\n")];
    let server =
        || builder().skills(files.map(|(path, text)| (path.to_owned(), text.to_owned()))).build().unwrap();
    let uri = "skill://demo/demo-words/SKILL.md";
    let requests = [
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": uri})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": uri})),
        ("resources/read", json!({"uri": "skill://demo/other/SKILL.md"})),
        ("resources/read", json!({"uri": "file:///etc/passwd"})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
    ];
    for is_modern in [false, true] {
        let write = |(id, (method, params)): (u32, &(&str, Value))| match is_modern {
            true => modern(id, method, params.clone()),
            false => legacy(id, method, params),
        };
        let opening = if is_modern { modern(0, "server/discover", json!({})) } else { initialize() };
        let lines: Vec<String> = std::iter::once(opening).chain((1..).zip(&requests).map(write)).collect();
        let answers = talk(server(), &lines, lines.len()).await;
        let of = |id: usize| answers.iter().find(|answer| answer["id"] == id).unwrap();
        let capabilities = &of(0)["result"]["capabilities"];
        assert!(capabilities["resources"].is_object(), "{capabilities}");
        assert!(capabilities["extensions"]["io.modelcontextprotocol/skills"].is_object(), "{capabilities}");
        let skill = &of(1)["result"]["skills"][0];
        assert_eq!((&skill["uri"], &skill["frontmatter"]["description"]), (&json!(uri), &json!("Words.")));
        assert_eq!(skill["resources"].as_array().unwrap().len(), 2, "{skill}");
        assert_eq!(&of(2)["result"]["skill"], skill);
        assert_eq!(of(3)["result"]["resources"].as_array().unwrap().len(), 2);
        assert_eq!(of(4)["result"]["contents"][0]["text"], entry);
        let code = if is_modern { -32602 } else { -32002 };
        for id in [5, 6] {
            assert_eq!(of(id)["error"]["code"], code, "{}", of(id));
        }
        for id in [7, 8] {
            assert_eq!(of(id)["error"]["code"], -32601, "{}", of(id));
        }
        // Without skills there are no resources.
        let none = talk(builder().build().unwrap(), &lines, lines.len()).await;
        for answer in none.iter().filter(|answer| answer["id"] != 0) {
            assert_eq!(answer["error"]["code"], -32601, "{answer}");
        }
    }
}
