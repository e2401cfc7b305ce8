//! Documentation comments → the text that models and people read.
//!
//! Literal text is brought into its final form here; what only const evaluation knows is left to `Doc::Raw`, whose rule
//! (`tool-core/src/def/doc.rs`) is the same.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Documentation as written.
pub(crate) enum Docs {
    /// None, or nothing but blanks.
    None,
    /// Text in its final form.
    Text(String),
    /// A constant expression.
    Raw(TokenStream),
}

impl Docs {
    /// What the `#[doc]` attributes say.
    pub(crate) fn from_attrs(attrs: &[Attribute]) -> Docs {
        let values: Vec<&Expr> = attrs.iter().filter_map(doc_value).collect();
        let texts: Option<Vec<String>> = values.iter().map(|value| literal(value)).collect();
        match texts {
            Some(lines) => Docs::from_text(&lines.join("\n")),
            None => Docs::Raw(quote!(::core::concat!(#(#values, "\n"),*))),
        }
    }

    /// What a `description` says.
    pub(crate) fn from_expr(expr: &Expr) -> Docs {
        match literal(expr) {
            Some(text) => Docs::from_text(&text),
            None => Docs::Raw(quote!(#expr)),
        }
    }

    fn from_text(raw: &str) -> Docs {
        let text = join_wrapped(raw);
        if text.is_empty() { Docs::None } else { Docs::Text(text) }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Docs::None)
    }
}

/// The value of `#[doc = …]`; `#[doc(hidden)]` has none.
fn doc_value(attr: &Attribute) -> Option<&Expr> {
    match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<String> {
    match super::tokens::peel_expr(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(without_stars(&text.value())),
        _ => None,
    }
}

/// The text of a `/** … */` comment without the column of stars on its left.
fn without_stars(text: &str) -> String {
    let rest = || text.lines().skip(1).filter(|line| !line.trim().is_empty());
    if !text.contains('\n') || !rest().all(|line| line.trim_start().starts_with('*')) {
        return text.to_owned();
    }
    let line = |line: &str| line.trim_start().strip_prefix('*').unwrap_or(line).to_owned();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    std::iter::once(first).chain(lines.map(line)).collect::<Vec<_>>().join("\n")
}

/// Joins the wrapped lines of each paragraph by one blank; lists, headings, tables, quotes and fenced code keep theirs.
fn join_wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    let mut previous_joins = false;
    for line in text.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let blank = line.is_empty();
        let own_line = fenced || fence || blank || starts_own_line(line);
        if !out.is_empty() {
            out.push(if previous_joins && !own_line { ' ' } else { '\n' });
        }
        out.push_str(if fenced || fence || starts_own_line(line) { line } else { line.trim_start() });
        previous_joins = !fenced && !fence && !blank && !line.starts_with('#');
        fenced ^= fence;
    }
    out.trim_matches(|c: char| c == '\n' || c == ' ').to_owned()
}

/// Whether a line begins a list item, heading, table row or quotation, or is indented code.
fn starts_own_line(line: &str) -> bool {
    let trimmed = line.trim_start();
    let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < trimmed.len() && (number.starts_with(". ") || number.starts_with(") "));
    numbered
        || ["- ", "* ", "+ ", "#", "|", ">"].iter().any(|start| trimmed.starts_with(start))
        || line.starts_with("    ")
}

#[cfg(test)]
mod tests {
    use tool_core::def::Doc;

    use super::{join_wrapped, without_stars};

    /// Lines that mean something of their own, and lines that do not.
    const LINES: [&str; 22] = [
        "",
        " ",
        " Reads a file.",
        "Not indented.",
        "  Indented twice. ",
        "     code",
        "\tcode",
        " - item",
        " * item",
        " + item",
        " -no item",
        " 1. first",
        " 12) twelfth",
        " 3.5 kilograms",
        " # Heading",
        " #tag",
        " | a | b |",
        " > quoted",
        " ```text",
        " ```",
        " ~~~",
        " naïve – größer\u{a0}",
    ];

    /// The final form of a text, made here and by tool-core on first use.
    fn both(text: &str) -> (String, String) {
        (join_wrapped(text), Doc::Raw(text).text().into_owned())
    }

    #[test]
    fn literal_text_and_text_of_const_evaluation_are_joined_alike() {
        let mut texts = Vec::new();
        for a in LINES {
            for b in LINES {
                texts.push(format!("{a}\n{b}"));
                texts.extend(LINES.map(|c| format!("{a}\n{b}\n{c}\n a\n b\r\n\n")));
            }
        }
        let mut fenced = 0;
        for text in &texts {
            let (here, there) = both(text);
            assert_eq!(here, there, "{text:?}");
            fenced += usize::from(here.contains("a\nb"));
        }
        assert!(fenced > 0 && fenced < texts.len(), "some texts join their lines and some do not");
    }

    #[test]
    fn a_text_in_its_final_form_stays_as_it_is() {
        for text in ["Reads a file.", "Reads.\n\n- a\n- b", "```\na\n```"] {
            let (here, there) = both(text);
            assert_eq!((here.as_str(), there.as_str()), (text, text));
        }
    }

    #[test]
    fn the_stars_on_the_left_of_a_comment_go_and_other_stars_stay() {
        for (comment, text) in [
            (" Reads.\n * A file.\n *\n * Whole.\n ", " Reads.\n A file.\n\n Whole.\n "),
            (" Reads one of:\n * a file\n - a link", " Reads one of:\n * a file\n - a link"),
            (" * alone", " * alone"),
        ] {
            assert_eq!(without_stars(comment), text, "{comment:?}");
        }
    }
}
