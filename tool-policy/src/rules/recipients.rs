//! `allowed_recipients` and `denied_recipients`: mail addresses. Without an allowed list nobody may be written to.

use url::Host;

use super::{Finding, Lists, Names, Refusal, shown};

pub(crate) const NAMES: Names = Names {
    allowed: "allowed_recipients",
    denied: "denied_recipients",
    code_allowed: "recipient_not_allowed",
    code_denied: "recipient_denied",
};

/// A pattern of addresses; everything in lower case.
#[derive(Clone, Debug)]
pub(crate) struct RecipientPattern {
    /// `None` for any.
    local: Option<String>,
    domain: Domain,
}

#[derive(Clone, Debug)]
enum Domain {
    Any,
    One(String),
    Below(String),
}

/// A mail address, in lower case.
struct Address {
    local: String,
    domain: String,
}

impl RecipientPattern {
    /// Reads a pattern; says why it is none.
    pub(crate) fn parse(text: &str) -> Result<RecipientPattern, String> {
        if text == "*" {
            return Ok(RecipientPattern { local: None, domain: Domain::Any });
        }
        let form = || "write local@domain, *@domain, *@*.domain or *".to_owned();
        let (local, domain) = text.rsplit_once('@').ok_or_else(form)?;
        let local = match local {
            "*" => None,
            local if is_local(local) => Some(local.to_ascii_lowercase()),
            _ => return Err(form()),
        };
        let domain = match domain.strip_prefix("*.") {
            Some(name) => Domain::Below(format!(".{}", parse_domain(name).ok_or_else(form)?)),
            None => Domain::One(parse_domain(domain).ok_or_else(form)?),
        };
        Ok(RecipientPattern { local, domain })
    }

    fn matches(&self, address: &Address) -> bool {
        let local = self.local.as_ref().is_none_or(|local| *local == address.local);
        local
            && match &self.domain {
                Domain::Any => true,
                Domain::One(name) => *name == address.domain,
                Domain::Below(suffix) => {
                    address.domain.len() > suffix.len() && address.domain.ends_with(suffix.as_str())
                }
            }
    }
}

/// Whether a text can be the unquoted local part of an address. (RFC 5322 §3.2.3, and letters beyond ASCII)
fn is_local(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || "!#$%&'+-/=?^_`{|}~.".contains(c);
    !text.is_empty() && text.chars().all(fits)
}

fn parse_domain(text: &str) -> Option<String> {
    let plain = !text.contains(['*', ' ', '@', '[', ':', '<', '>', ',', ';']);
    match Host::parse(text).ok().filter(|_| plain)? {
        Host::Domain(name) => Some(name.strip_suffix('.').unwrap_or(&name).to_owned()),
        _ => None,
    }
}

/// The one address of a text: `a@b` or `Name <a@b>`.
fn address(text: &str) -> Option<Address> {
    if text.contains(['\r', '\n', '\0']) {
        return None;
    }
    let text = text.trim();
    let bare = match text.strip_suffix('>') {
        Some(rest) => {
            let (name, bare) = rest.split_once('<')?;
            let name = name.trim();
            let quoted = name.len() >= 2 && name.starts_with('"') && name.ends_with('"');
            let inner = if quoted { name.get(1..name.len() - 1)? } else { name };
            let wrong = if quoted { &['"', '<', '>'][..] } else { &['"', '<', '>', ',', ';'][..] };
            if inner.contains(wrong) {
                return None;
            }
            bare
        }
        None => text,
    };
    let (local, domain) = bare.rsplit_once('@')?;
    let local = is_local(local).then(|| local.to_ascii_lowercase())?;
    Some(Address { local, domain: parse_domain(domain)? })
}

impl Lists<RecipientPattern> {
    /// Judges a recipient.
    pub(crate) fn judge_recipient(&self, pointer: String, text: &str) -> Finding {
        let what = format!("recipient {}", shown(text));
        let (rule, refusal) = match address(text) {
            None => {
                let text = format!("{} is not one mail address", shown(text));
                (NAMES.allowed, Some(Refusal::invalid("bad_address", text)))
            }
            Some(address) => {
                let matches = |pattern: &RecipientPattern| pattern.matches(&address);
                match self.judge(&NAMES, &what, matches, matches) {
                    (_, None) if self.allowed.is_none() => {
                        let text = format!("{what}: nobody is allowed until there is {}", NAMES.allowed);
                        (NAMES.allowed, Some(Refusal::denied("no_allow_list", text)))
                    }
                    judged => judged,
                }
            }
        };
        Finding { rule: rule.to_owned(), pointer, refusal }
    }
}
