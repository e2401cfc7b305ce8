//! What every peer is asked, and whether it answers right.
//!
//! A peer is a library with the same tools. [`ask`] makes a program of it that repeats one question so often: a call from text
//! to text, or the list of all tools ([`show`] is the program that only lists). It prints the nanoseconds of each; what it
//! executes is counted from outside.

mod arguments;
mod executor;

use std::hint::black_box;
use std::time::Instant;

use serde_json::Value;

pub use arguments::{BAD, QUESTIONS, Question};
pub use executor::block_on;

/// A library with tools that it lists.
pub trait Listed {
    /// The list of all tools as bytes that can be sent: names, descriptions and schemas.
    fn list(&mut self) -> Vec<u8>;
}

/// A library with tools that it calls.
pub trait Peer: Listed {
    /// Calls a tool by its name with the text of its arguments; the answer is the text that a model reads.
    ///
    /// # Errors
    /// What a model reads instead.
    fn call(&mut self, tool: &str, args: &str) -> impl Future<Output = Result<String, String>>;
}

/// The program of a peer: `call QUESTION COUNT`, `list COUNT`, or `start` for what comes before either.
///
/// # Panics
/// Where an answer is wrong, or the question is none.
pub fn ask(mut peer: impl Peer) {
    let words = words();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["call", name, count] => {
            let question = QUESTIONS.iter().find(|question| question.name == name).expect("a question");
            let args = (question.args)();
            block_on(check(&mut peer, question, &args));
            report(count, |count| {
                block_on(async {
                    for _ in 0..count {
                        let _ = black_box(peer.call(question.tool, black_box(&args)).await);
                    }
                });
            });
        }
        _ => show(peer),
    }
}

/// The program of a library that only lists: `list COUNT`, or `start`.
///
/// # Panics
/// Where the list is none, or the question.
pub fn show(mut tools: impl Listed) {
    let words = words();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["start"] => drop(black_box(tools)),
        ["list", count] => {
            let listed: Value = serde_json::from_slice(&tools.list()).expect("JSON");
            println!("{} tools", listed.as_array().map_or(0, Vec::len));
            report(count, |count| (0..count).for_each(|_| drop(black_box(tools.list()))));
        }
        _ => panic!("call QUESTION COUNT, list COUNT or start"),
    }
}

fn words() -> Vec<String> {
    std::env::args().skip(1).collect()
}

/// The answer is right, and what does not fit is refused.
async fn check(peer: &mut impl Peer, question: &Question, args: &str) {
    let text = peer.call(question.tool, args).await.expect("it fits");
    let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    let right: Value = serde_json::from_str(question.answer).expect("JSON");
    assert_eq!(value, right, "{}", question.name);
    for (tool, args) in BAD.iter().filter(|(tool, _)| *tool == question.tool) {
        let answer = peer.call(tool, args).await;
        assert!(answer.is_err(), "{tool} took {args}: {answer:?}");
    }
}

fn report(count: &str, repeat: impl FnOnce(u32)) {
    let count: u32 = count.parse().expect("a number");
    let started = Instant::now();
    repeat(count);
    println!("{:.1} ns", started.elapsed().as_nanos() as f64 / f64::from(count.max(1)));
}
