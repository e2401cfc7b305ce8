//! What URLs carry besides the place they name: userinfo, query and fragment.

use super::Form;
use super::mode::reads_like_credential;

/// What stands for a hidden part.
const HIDDEN: &str = "***";

/// What ends a sentence or a bracket behind a URL, and is not part of it.
const CLOSING: [char; 8] = ['.', ',', ';', ':', '!', '?', ')', ']'];

/// Hides what the URLs inside a text carry. Says whether anything was hidden.
pub(super) fn hide_in_text(text: &str, form: Form) -> (String, bool) {
    let (mut out, mut rest, mut changed) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find("://") {
        let start = scheme_start(rest, at);
        let (before, url) = rest.split_at(start);
        out.push_str(before);
        let end = url
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`' | '\''))
            .unwrap_or(url.len());
        let whole = url.get(..end).unwrap_or(url);
        let trimmed = whole.trim_end_matches(CLOSING);
        // The separator itself ends in none of them, so a bare `https://` is kept as it is.
        let url_end = if start == at { at - start + 3 } else { trimmed.len().max(at - start + 3) };
        let (own, behind) = url.split_at(url_end);
        match start == at {
            // No scheme in front: no URL.
            true => out.push_str(own),
            false => {
                let (hidden, any) = hide_whole(own, form);
                out.push_str(&hidden);
                changed |= any;
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    (out, changed)
}

/// Where the scheme in front of `://` begins.
fn scheme_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    let scheme = before.len() - before.chars().rev().take_while(|c| fits(*c)).count();
    let letters = before.get(scheme..).unwrap_or_default();
    letters.find(|c: char| c.is_ascii_alphabetic()).map_or(at, |first| scheme + first)
}

/// Hides what a text carries that is a URL or a reference as a whole.
pub(super) fn hide_whole(url: &str, form: Form) -> (String, bool) {
    let (rest, fragment) = split(url, '#');
    let (rest, query) = split(rest, '?');
    let mut changed = false;
    let mut out = match rest.split_once("//") {
        Some((scheme, after)) if scheme.is_empty() || scheme.ends_with(':') => {
            let end = after.find(['/', '\\']).unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            match authority.rsplit_once('@') {
                Some((_, host)) => {
                    changed = true;
                    format!("{scheme}//{HIDDEN}@{host}{path}")
                }
                None => rest.to_owned(),
            }
        }
        _ => rest.to_owned(),
    };
    if let Some(query) = query {
        out.push('?');
        match form {
            Form::Audit => {
                out.push_str(HIDDEN);
                changed = true;
            }
            Form::Journal => {
                let (kept, any) = hide_credentials(query);
                out.push_str(&kept);
                changed |= any;
            }
        }
    }
    if fragment.is_some() {
        out.push('#');
        out.push_str(HIDDEN);
        changed = true;
    }
    (out, changed)
}

fn split(text: &str, separator: char) -> (&str, Option<&str>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// A query without the values of names that read like credentials.
fn hide_credentials(query: &str) -> (String, bool) {
    let mut changed = false;
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if reads_like_credential(&percent_decoded(name)) => {
            changed = true;
            format!("{name}={HIDDEN}")
        }
        _ => pair.to_owned(),
    });
    let kept: Vec<String> = pairs.collect();
    (kept.join("&"), changed)
}

/// A name with its percent escapes read; what is no UTF-8 then is replaced.
fn percent_decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
