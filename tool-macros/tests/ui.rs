//! Every mistake is told by its own sentence: one wrong program and what the compiler says of it per case of `ui/`.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::Path;

#[test]
fn every_wrong_program_is_told_why() {
    if !tool_trials::can_build() {
        return;
    }
    tool_trials::keep_from_overwriting("TRYBUILD");
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn every_sentence_occurs_in_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let said = said(&root.join("tests/ui"));
    let sentences = sentences(&fs::read_to_string(root.join("src/errors.rs")).unwrap());
    assert!(sentences.len() > 80, "{}", sentences.len());
    let missing: Vec<_> =
        sentences.iter().filter(|sentence| !said.iter().any(|line| fits(line, sentence))).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Every message of the recorded outputs.
fn said(ui: &Path) -> Vec<String> {
    let outputs = fs::read_dir(ui).unwrap().map(|entry| entry.unwrap().path());
    let outputs = outputs.filter(|path| path.extension().is_some_and(|extension| extension == "stderr"));
    outputs
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let lines: Vec<String> = text
                .lines()
                .filter_map(|line| Some(line.strip_prefix("error")?.split_once(": ")?.1.to_owned()))
                .collect();
            lines
        })
        .collect()
}

/// The string literals of the catalogue that have a blank: sentences, not words.
fn sentences(source: &str) -> Vec<String> {
    let file: syn::File = syn::parse_str(source).unwrap();
    let mut literals = Vec::new();
    for item in file.items {
        collect(quote::quote!(#item), &mut literals);
    }
    // A program without tool-core has a crate of its own, `tests/fixtures/stranger`.
    literals.retain(|literal| !literal.starts_with("cannot find tool-core"));
    literals.retain(|literal| literal.contains(' ') && literal.contains(|c: char| c.is_ascii_lowercase()));
    literals
}

fn collect(tokens: proc_macro2::TokenStream, literals: &mut Vec<String>) {
    let mut after_doc = false;
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Group(group) if !group.stream().to_string().starts_with("doc =") => {
                collect(group.stream(), literals);
            }
            proc_macro2::TokenTree::Literal(literal) if !after_doc => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    literals.push(text.value());
                }
            }
            other => after_doc = other.to_string() == "doc",
        }
    }
}

/// Whether a line is the sentence with something in place of each `{…}`.
fn fits(line: &str, sentence: &str) -> bool {
    let mut rest = line;
    let mut fragments = sentence.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    fragments.all(|fragment| match rest.find(fragment) {
        Some(at) => {
            rest = &rest[at + fragment.len()..];
            true
        }
        None => false,
    })
}
