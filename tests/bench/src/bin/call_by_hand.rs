//! The same small call written by hand: a derived struct, a direct call, `to_vec`. The limit that `call_by_tool` is held to.

use std::hint::black_box;

use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Hits {
    query: String,
    hits: u32,
}

fn ten() -> u32 {
    10
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    #[serde(default = "ten")]
    limit: u32,
    #[serde(default)]
    tags: Vec<String>,
    min_score: Option<f64>,
}

#[inline(never)]
fn search(query: &str, limit: u32, tags: Vec<String>, min_score: Option<f64>) -> Hits {
    Hits { query: query.to_owned(), hits: limit + tags.len() as u32 + min_score.unwrap_or(0.0) as u32 }
}

fn main() {
    let calls: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    for _ in 0..calls {
        let text = black_box(r#"{"query":"blue lamp","limit":5,"tags":["sale","new"],"min_score":0.5}"#);
        let args: Search = serde_json::from_slice(text.as_bytes()).unwrap();
        assert!((1..=100).contains(&args.limit));
        let hits = search(&args.query, args.limit, args.tags, args.min_score);
        black_box(serde_json::to_vec(&hits).unwrap());
    }
}
