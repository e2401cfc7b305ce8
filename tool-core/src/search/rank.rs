//! Ranking tools by words: BM25 over what is written about each, where a word of the name counts most.
//! (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009)

use std::collections::HashMap;

use crate::registry::ToolEntry;

/// How soon more of the same word adds less.
const K1: f64 = 1.2;

/// How much a long text is marked down.
const B: f64 = 0.75;

/// What a word counts in the name, the title, the group, and everything else.
const NAME: f64 = 4.0;
const TITLE: f64 = 3.0;
const GROUP: f64 = 2.0;
const TEXT: f64 = 1.0;

/// How often each word stands in what is written about a tool, weighted.
struct Document {
    words: HashMap<String, f64>,
    length: f64,
}

/// The tools that match, best first: one of exactly that name before all others, ties by name.
pub(super) fn ranked<'t>(query: &str, tools: &[&'t ToolEntry]) -> Vec<(&'t ToolEntry, f64)> {
    let documents: Vec<Document> = tools.iter().map(|tool| Document::of(tool)).collect();
    let count = documents.len() as f64;
    let average = documents.iter().map(|document| document.length).sum::<f64>() / count.max(1.0);
    let mut wanted: Vec<String> = words(query).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let rarity: Vec<(String, f64)> = wanted
        .into_iter()
        .map(|word| {
            let having =
                documents.iter().filter(|document| document.words.contains_key(&word)).count() as f64;
            (word, (1.0 + (count - having + 0.5) / (having + 0.5)).ln())
        })
        .collect();
    let named = |tool: &ToolEntry| tool.names().any(|name| name == query.trim());
    let mut found: Vec<(&ToolEntry, f64)> = tools
        .iter()
        .zip(&documents)
        .map(|(tool, document)| (*tool, document.score(&rarity, average)))
        .filter(|(tool, score)| *score > 0.0 || named(tool))
        .collect();
    found.sort_by(|(a, a_score), (b, b_score)| {
        let exact = named(b).cmp(&named(a));
        exact.then(b_score.total_cmp(a_score)).then_with(|| a.name().cmp(b.name()))
    });
    found
}

impl Document {
    fn of(tool: &ToolEntry) -> Document {
        let def = tool.def();
        let mut document = Document { words: HashMap::new(), length: 0.0 };
        tool.names().for_each(|name| document.add(name, NAME));
        document.add(def.title.unwrap_or_default(), TITLE);
        document.add(def.group.unwrap_or_default(), GROUP);
        document.add(def.description(), TEXT);
        for param in def.params {
            document.add(param.name, TEXT);
            document.add(&param.doc.text(), TEXT);
        }
        document
    }

    fn add(&mut self, text: &str, weight: f64) {
        for word in words(text) {
            *self.words.entry(word).or_default() += weight;
            self.length += weight;
        }
    }

    fn score(&self, rarity: &[(String, f64)], average: f64) -> f64 {
        let norm = K1 * (1.0 - B + B * self.length / average.max(f64::MIN_POSITIVE));
        let of = |(word, rarity): &(String, f64)| {
            let often = self.words.get(word).copied().unwrap_or_default();
            rarity * often * (K1 + 1.0) / (often + norm)
        };
        rarity.iter().map(of).sum()
    }
}

/// The words of a text, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
