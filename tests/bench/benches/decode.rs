//! Four scalars from a parsed object: taken one by one by their types, against `serde_json::from_value` into a struct.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may stop at what it cannot build")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::Tool;
use tool_core::args::{Args, Coerce};
use tool_core::prelude::tool;

/// Takes four scalars.
#[tool(register = false)]
fn four(
    /// Text.
    text: String,
    /// Whole number.
    count: u64,
    /// Number.
    share: f64,
    /// Flag.
    flag: bool,
) -> bool {
    std::hint::black_box((text, count, share));
    flag
}

/// The same as a struct.
#[derive(Deserialize)]
struct Four {
    text: String,
    count: u64,
    share: f64,
    flag: bool,
}

fn input() -> Value {
    json!({"text": "some words", "count": 5, "share": 0.5, "flag": true})
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("four scalars");
    group.bench_function("by type", |bencher| {
        let take = |input: Value| {
            let mut args = Args::new(FourTool::DEF, input, Coerce::Lenient).unwrap();
            let four =
                (args.take::<String>(0), args.take::<u64>(1), args.take::<f64>(2), args.take::<bool>(3));
            args.finish().unwrap();
            four
        };
        bencher.iter_batched(input, take, BatchSize::SmallInput);
    });
    group.bench_function("derived struct", |bencher| {
        let take = |input: Value| {
            let Four { text, count, share, flag } = serde_json::from_value(input).unwrap();
            (text, count, share, flag)
        };
        bencher.iter_batched(input, take, BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, decode);
criterion_main!(benches);
