//! The network guard: an early, readable refusal of commands that would want the network (sandbox.md §14).
//!
//! Pure. It looks at tokens only and is not the boundary: what it lets pass still meets the sandbox.

/// What the guard saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding<'a> {
    /// A program or an address that means the network.
    Network(&'a str),
    /// A git subcommand that talks to a remote.
    GitRemote(&'a str),
}

/// Programs that exist to reach the network.
const PROGRAMS: [&str; 5] = ["curl", "wget", "npm", "bun", "pip"];
/// Beginnings of addresses.
const ADDRESSES: [&str; 2] = ["http://", "https://"];
/// Subcommands of git that talk to a remote.
const REMOTE: [&str; 5] = ["push", "pull", "fetch", "clone", "remote"];

/// The first finding in the texts of a command: its words, or a whole line for a shell.
pub fn check<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<Finding<'a>> {
    let tokens = || texts.clone().flat_map(tokens);
    if let Some(token) = tokens().find(|token| is_network(token)) {
        return Some(Finding::Network(token));
    }
    let has_git = tokens().any(|token| base_name(token) == "git");
    let remote = tokens().find(|token| REMOTE.contains(token));
    remote.filter(|_| has_git).map(Finding::GitRemote)
}

fn is_network(token: &str) -> bool {
    PROGRAMS.contains(&base_name(token)) || ADDRESSES.iter().any(|scheme| token.starts_with(scheme))
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_blank).filter(|piece| !piece.is_empty())
}

fn base_name(token: &str) -> &str {
    token.rsplit(['/', '\\']).next().unwrap_or(token)
}

/// The blanks of sandbox.md §14: not those of [`char::is_whitespace`], which has U+0085 and lacks U+FEFF.
fn is_blank(c: char) -> bool {
    matches!(c,
        '\u{9}'..='\u{d}' | '\u{20}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
        | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding<'a>(texts: &'a [&'a str]) -> Option<Finding<'a>> {
        check(texts.iter().copied())
    }

    #[test]
    fn programs_and_addresses_are_network_and_their_look_alikes_are_not() {
        assert_eq!(finding(&["/usr/bin/curl", "-V"]), Some(Finding::Network("/usr/bin/curl")));
        assert_eq!(finding(&["echo", "a http://x"]), Some(Finding::Network("http://x")));
        assert_eq!(finding(&["curl.exe", "--url=http://x", "Curl", "curl/"]), None);
    }

    #[test]
    fn git_and_a_remote_word_together_are_refused_and_each_alone_is_not() {
        assert_eq!(finding(&["git", "-C", "x", "push"]), Some(Finding::GitRemote("push")));
        assert_eq!(finding(&["git", "status"]), None);
        assert_eq!(finding(&["echo", "push"]), None);
    }

    #[test]
    fn the_network_finding_comes_first_and_the_first_token_is_named() {
        assert_eq!(finding(&["git push", "wget curl"]), Some(Finding::Network("wget")));
    }

    #[test]
    fn the_byte_order_mark_splits_and_next_line_does_not() {
        assert_eq!(finding(&["a\u{feff}curl"]), Some(Finding::Network("curl")));
        assert_eq!(finding(&["a\u{85}curl"]), None);
    }
}
