//! Golden expansions: what the macros write for each case of `tests/expand/`, formatted and reviewed like code.
//! `UPDATE=1` rewrites them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item};

use crate::{parse, tool, tool_set, toolbox};

/// The most lines of a tool: for the tool itself and for each parameter. (definition.md §9) The `#[cfg]`s of the function are
/// not counted: every item repeats them, however many there are.
const LINES: (usize, usize) = (45, 26);

/// The most bytes of a tool with four parameters.
const BYTES: usize = 8 * 1024;

#[test]
fn expansions_are_as_reviewed() {
    let update = tool_trials::updates();
    let cases = cases();
    assert!(cases.len() >= 20, "{} cases", cases.len());
    for case in cases {
        let written = formatted(expand(&case).0);
        let golden = case.with_extension("expanded");
        if update {
            fs::write(&golden, &written).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(expected, written, "{}", case.display());
    }
}

#[test]
fn expansions_stay_in_the_budget_and_cannot_panic() {
    for case in cases() {
        let (tokens, params) = expand(&case);
        let emitted = formatted(tokens);
        let name = case.display();
        for word in [".unwrap()", ".expect(", "panic!"] {
            assert!(!emitted.contains(word), "{name}: {word}");
        }
        let Some(params) = params else { continue };
        let lines = emitted.lines().filter(|line| !line.starts_with("#[cfg")).count();
        assert!(lines <= LINES.0 + LINES.1 * params, "{name}: {lines} lines for {params} parameters");
        if params == 4 {
            assert!(lines <= 150 && emitted.len() <= BYTES, "{name}: {lines} lines, {} bytes", emitted.len());
        }
    }
}

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand");
    let mut cases: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    cases.sort();
    cases
}

/// What the macro adds to the one item of a case, and the number of parameters of a function.
fn expand(case: &Path) -> (TokenStream, Option<usize>) {
    let file: syn::File = syn::parse_str(&fs::read_to_string(case).unwrap()).unwrap();
    let item = file.items.into_iter().next().unwrap();
    match item {
        Item::Fn(mut function) => {
            let attr = take(&mut function.attrs, "tool");
            let params = function.sig.inputs.len();
            (added(tool::expand(attr, function.into_token_stream())), Some(params))
        }
        Item::Impl(mut block) => {
            let attr = take(&mut block.attrs, "toolbox");
            (added(toolbox::expand(attr, block.into_token_stream())), None)
        }
        Item::Macro(call) => (tool_set::expand(call.mac.tokens), None),
        _ => panic!("{} is no case", case.display()),
    }
}

fn take(attrs: &mut Vec<Attribute>, name: &str) -> TokenStream {
    let at = attrs.iter().position(|attr| attr.path().is_ident(name)).unwrap();
    parse::signature::inside(&attrs.remove(at))
}

/// The items behind the author's own.
fn added(tokens: TokenStream) -> TokenStream {
    let file: syn::File = syn::parse2(tokens).unwrap();
    let items = file.items.iter().skip(1);
    quote!(#(#items)*)
}

fn formatted(tokens: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}
