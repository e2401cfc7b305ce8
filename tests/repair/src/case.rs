//! The corpus: calls that were meant, and the forms in which models send them.
//!
//! The kinds, and how many of each, follow what public trackers report of models and of the clients around them: values
//! that arrive as texts, alone or all at once, before everything else (anthropics/claude-code#24597,
//! earendil-works/pi#9931, 0xMassi/webclaw#58, AtomicBot-ai/atomic-agent#182), whole floats for integers
//! (dmtrKovalenko/fff#323), case styles of keys (langchain-ai/langchain-mcp-adapters#277), trailing commas
//! (dataelement/Clawith#212), fences and prose around the object (google/adk-python#6811).

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

/// The files, one per tool.
const FILES: [&str; 12] = [
    include_str!("../calls/apply_edits.json"),
    include_str!("../calls/book_table.json"),
    include_str!("../calls/create_issue.json"),
    include_str!("../calls/draw_shape.json"),
    include_str!("../calls/http_request.json"),
    include_str!("../calls/move_file.json"),
    include_str!("../calls/plot_points.json"),
    include_str!("../calls/query_table.json"),
    include_str!("../calls/read_text.json"),
    include_str!("../calls/search_code.json"),
    include_str!("../calls/send_email.json"),
    include_str!("../calls/set_thermostat.json"),
];

/// One broken call.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is wrong with it.
    pub kind: String,
    /// Which tool it calls.
    pub tool: String,
    /// The text of the arguments, as the model wrote it.
    pub sent: String,
    /// The arguments that were meant.
    pub meant: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tool: String,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    meant: Value,
    broken: Vec<Broken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Broken {
    kind: String,
    /// The arguments as a value …
    args: Option<Value>,
    /// … or, where the text is no JSON object, as they were written.
    text: Option<String>,
}

/// Every case, in the order of the files.
///
/// # Panics
/// When a file is not of that form: it is part of this crate.
#[allow(clippy::panic, reason = "the files are compiled in, and a test reads them")]
pub fn corpus() -> Vec<Case> {
    let mut cases = Vec::new();
    for text in FILES {
        let File { tool, calls } =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for Call { meant, broken } in calls {
            for Broken { kind, args, text } in broken {
                let sent = match (args, text) {
                    (Some(args), None) => args.to_string(),
                    (None, Some(text)) => text,
                    _ => panic!("{tool}, {kind}: `args` or `text`, and one of them"),
                };
                cases.push(Case { kind, tool: tool.clone(), sent, meant: meant.clone() });
            }
        }
    }
    cases
}

/// The kinds, by name.
pub fn kinds(cases: &[Case]) -> Vec<&str> {
    let kinds: BTreeSet<&str> = cases.iter().map(|case| case.kind.as_str()).collect();
    kinds.into_iter().collect()
}
