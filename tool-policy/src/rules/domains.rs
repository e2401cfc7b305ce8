//! `allowed_domains` and `denied_domains`: only the parsed host of a URL is judged. (WHATWG URL, crate `url`)

use tool_core::def::Hint;
use tool_core::{Effect, ToolError};
use url::{Host, Url};

use super::{Finding, Lists, Names, Refusal, shown};

pub(crate) const NAMES: Names = Names {
    allowed: "allowed_domains",
    denied: "denied_domains",
    code_allowed: "domain_not_allowed",
    code_denied: "domain_denied",
};

/// The schemes of URLs that are judged at all.
const SCHEMES: [&str; 2] = ["http", "https"];

/// A pattern of hosts.
#[derive(Clone, Debug)]
pub(crate) struct DomainPattern {
    scheme: Option<&'static str>,
    hosts: Hosts,
    port: Port,
}

#[derive(Clone, Debug)]
enum Hosts {
    Any,
    One(Host),
    Below(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Unsaid,
    Any,
    One(u16),
}

/// Where a call wants to connect to.
struct Target {
    scheme: Option<String>,
    host: Host,
    /// The port, where it is not the default one of the scheme.
    port: Option<u16>,
}

impl DomainPattern {
    /// Reads a pattern; says why it is none.
    pub(crate) fn parse(text: &str) -> Result<DomainPattern, String> {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => {
                let known = SCHEMES.into_iter().find(|known| *known == scheme);
                (Some(known.ok_or_else(|| "only http:// and https:// may stand in front".to_owned())?), rest)
            }
            None => (None, text),
        };
        if rest.contains(['/', '@', '?', '#', '\\']) || rest.contains(char::is_whitespace) {
            return Err("it is a host and nothing else".to_owned());
        }
        let bracket = rest.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match rest.get(bracket..).and_then(|tail| tail.rfind(':')) {
            Some(at) => (rest.get(..bracket + at).unwrap_or_default(), rest.get(bracket + at + 1..)),
            None => (rest, None),
        };
        let port = match port {
            None => Port::Unsaid,
            Some("*") => Port::Any,
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Port::One(digits.parse().map_err(|_| format!("{digits} is no port"))?)
            }
            Some(word) => return Err(format!("{} is no port", shown(word))),
        };
        let hosts =
            match host.strip_prefix("*.") {
                _ if host == "*" => Hosts::Any,
                Some(name) => match parse_host(name) {
                    Some(Host::Domain(name)) => Hosts::Below(format!(".{name}")),
                    _ => return Err("behind `*.` stands a name".to_owned()),
                },
                None => Hosts::One(parse_host(host).ok_or_else(|| {
                    "a host is a name, `*.name`, `*`, or an address ([…] for IPv6)".to_owned()
                })?),
            };
        Ok(DomainPattern { scheme, hosts, port })
    }

    fn matches(&self, target: &Target, denies: bool) -> bool {
        let scheme =
            self.scheme.is_none_or(|scheme| target.scheme.as_deref().is_none_or(|own| own == scheme));
        let host = match (&self.hosts, &target.host) {
            (Hosts::Any, _) => true,
            (Hosts::One(host), own) => host == own,
            (Hosts::Below(suffix), Host::Domain(name)) => {
                name.len() > suffix.len() && name.ends_with(suffix.as_str())
            }
            (Hosts::Below(_), _) => false,
        };
        let port = match self.port {
            Port::Any => true,
            Port::Unsaid => denies || target.port.is_none(),
            Port::One(port) => {
                let default = target.scheme.as_deref().map(default_port);
                target.port.or(default) == Some(port)
            }
        };
        scheme && host && port
    }
}

fn default_port(scheme: &str) -> u16 {
    if scheme == "http" { 80 } else { 443 }
}

/// A host without regard to case, a final dot and IDN spelling.
fn parse_host(text: &str) -> Option<Host> {
    if text.contains('*') {
        return None;
    }
    match Host::parse(text).ok()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name).to_owned();
            (!name.is_empty()).then_some(Host::Domain(name))
        }
        address => Some(address),
    }
}

fn target(text: &str, hint: Hint) -> Result<Target, Refusal> {
    let bad = |what: &str| Refusal::invalid("bad_url", format!("{} is no {what}", shown(text)));
    if hint == Hint::Host {
        let whole = Url::parse(&format!("https://{text}/")).map_err(|_| bad("host"))?;
        let plain = !text.contains(['/', '@', '?', '#', '\\']) && !text.contains(char::is_whitespace);
        let host = whole.host_str().filter(|_| plain).and_then(parse_host).ok_or_else(|| bad("host"))?;
        let given =
            text.rsplit_once(':').filter(|(before, _)| !before.contains(':') || before.ends_with(']'));
        return Ok(Target { scheme: None, host, port: given.and_then(|(_, port)| port.parse().ok()) });
    }
    let url = Url::parse(text).map_err(|_| bad("URL"))?;
    if !SCHEMES.contains(&url.scheme()) {
        let text = format!("scheme {} is not allowed", shown(url.scheme()));
        return Err(Refusal::denied("scheme_not_allowed", text));
    }
    let host = url.host_str().and_then(parse_host).ok_or_else(|| bad("URL"))?;
    Ok(Target { scheme: Some(url.scheme().to_owned()), host, port: url.port() })
}

impl Lists<DomainPattern> {
    /// Judges a URL or a host.
    pub(crate) fn judge_target(&self, pointer: String, text: &str, hint: Hint) -> Finding {
        let (rule, refusal) = match target(text, hint) {
            Err(refusal) => (NAMES.allowed, Some(refusal)),
            Ok(target) => {
                let what = format!("host {}", shown(&target.host.to_string()));
                let denies = |pattern: &DomainPattern| pattern.matches(&target, true);
                self.judge(&NAMES, &what, denies, |pattern| pattern.matches(&target, false))
            }
        };
        Finding { rule: rule.to_owned(), pointer, refusal }
    }

    /// Judges an address that is about to be reached: what capabilities ask again about each, also behind a redirect.
    pub(crate) fn judge_reached(&self, tool: &str, url: &str) -> Result<(), ToolError> {
        let finding = self.judge_target(String::new(), url, Hint::Url);
        let Some(refusal) = finding.refusal else { return Ok(()) };
        let error = ToolError::new(refusal.kind, format!("{tool}: {}", refusal.text)).code(refusal.code);
        Err(error.effect(Effect::None).detail("layer", "gate"))
    }
}
