//! Which mode a value is shown in: the strictest of the schema nodes that can describe it, or what its key reads like.

use serde_json::Value;

use crate::def::LogMode;

/// The keywords whose schemas describe the same value.
const SAME_VALUE: [&str; 7] = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/// Keys that hold a credential.
const CREDENTIALS: [&str; 22] = [
    "authorization",
    "proxyauthorization",
    "cookie",
    "setcookie",
    "apikey",
    "xapikey",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "authtoken",
    "xauthtoken",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "clientsecret",
    "privatekey",
    "sessionid",
    "credential",
    "credentials",
];

/// How keys end that hold a credential.
const ENDINGS: [&str; 7] = ["token", "password", "passwd", "secret", "apikey", "privatekey", "passphrase"];

/// Whether a key reads like that of a credential, whatever its case and separators.
pub(crate) fn reads_like_credential(key: &str) -> bool {
    let plain = key.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).flat_map(char::to_lowercase);
    let plain: String = plain.collect();
    CREDENTIALS.contains(&plain.as_str()) || ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// How strict a mode is.
fn strictness(mode: LogMode) -> u8 {
    match mode {
        LogMode::Full => 0,
        LogMode::Preview => 1,
        LogMode::Length => 2,
        LogMode::Hash => 3,
        LogMode::Secret => 4,
        LogMode::Omit => 5,
    }
}

pub(super) fn strictest(modes: impl Iterator<Item = LogMode>) -> Option<LogMode> {
    modes.max_by_key(|mode| strictness(*mode))
}

/// A place in a value.
pub(super) struct Node<'a> {
    pub(super) nodes: Nodes<'a>,
    /// The mode of what it stands in.
    pub(super) inherited: Option<LogMode>,
    pub(super) depth: usize,
}

impl<'a> Node<'a> {
    pub(super) fn mode(&self) -> Option<LogMode> {
        strictest(self.nodes.mode().into_iter().chain(self.inherited))
    }

    /// Whether nobody has said how it is to be shown.
    pub(super) fn is_undecided(&self) -> bool {
        self.nodes.mode().is_none() && matches!(self.inherited, None | Some(LogMode::Preview))
    }

    pub(super) fn below(&self, nodes: Nodes<'a>, mode: Option<LogMode>) -> Node<'a> {
        Node { nodes, inherited: mode, depth: self.depth + 1 }
    }
}

/// The schema nodes that can describe one value.
pub(super) struct Nodes<'a>(Vec<&'a Value>);

impl<'a> Nodes<'a> {
    /// A node with all that describe the same value.
    pub(super) fn of(root: &'a Value, node: &'a Value) -> Nodes<'a> {
        let mut nodes = Nodes(Vec::new());
        nodes.add(root, node);
        nodes
    }

    fn add(&mut self, root: &'a Value, node: &'a Value) {
        if self.0.iter().any(|known| std::ptr::eq(*known, node)) {
            return;
        }
        self.0.push(node);
        for reference in ["$ref", "$dynamicRef"] {
            let target = node.get(reference).and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
            if let Some(target) = target.and_then(|pointer| root.pointer(pointer)) {
                self.add(root, target);
            }
        }
        for keyword in SAME_VALUE {
            match node.get(keyword) {
                Some(Value::Array(branches)) => branches.iter().for_each(|branch| self.add(root, branch)),
                Some(Value::Object(branches)) if keyword == "dependentSchemas" => {
                    branches.values().for_each(|branch| self.add(root, branch));
                }
                Some(branch) => self.add(root, branch),
                None => {}
            }
        }
    }

    /// The strictest mode that any of them names.
    pub(super) fn mode(&self) -> Option<LogMode> {
        strictest(self.0.iter().filter_map(|node| {
            let word = node.get("x-log").and_then(Value::as_str);
            let named = word.and_then(|word| LogMode::ALL.iter().find(|row| row.1 == word)).map(|row| row.0);
            let write_only = node.get("writeOnly") == Some(&Value::Bool(true));
            strictest(named.into_iter().chain(write_only.then_some(LogMode::Secret)))
        }))
    }

    /// Whether the value is a URL as a whole.
    pub(super) fn is_url(&self) -> bool {
        let mut formats = self.0.iter().filter_map(|node| node.get("format").and_then(Value::as_str));
        formats.any(|format| matches!(format, "uri" | "uri-reference"))
    }

    /// Whether one of them names this member.
    pub(super) fn declares(&self, key: &str) -> bool {
        self.0.iter().any(|node| node.get("properties").is_some_and(|members| members.get(key).is_some()))
    }

    /// The nodes of a member.
    pub(super) fn member(&self, root: &'a Value, key: &str) -> Nodes<'a> {
        let mut nodes = Nodes(Vec::new());
        for node in &self.0 {
            let own = node.get("properties").and_then(|properties| properties.get(key));
            match own {
                Some(own) => nodes.add(root, own),
                None => {
                    // Which patterns match is not looked at: the strictest of all is safe.
                    let patterns = node.get("patternProperties").and_then(Value::as_object);
                    patterns.into_iter().flat_map(|all| all.values()).for_each(|one| nodes.add(root, one));
                    for rest in ["additionalProperties", "unevaluatedProperties"] {
                        node.get(rest).into_iter().for_each(|rest| nodes.add(root, rest));
                    }
                }
            }
        }
        nodes
    }

    /// The nodes of an element.
    pub(super) fn item(&self, root: &'a Value, index: usize) -> Nodes<'a> {
        let mut nodes = Nodes(Vec::new());
        for node in &self.0 {
            let own = node.get("prefixItems").and_then(|items| items.get(index));
            own.or_else(|| node.get("items")).into_iter().for_each(|item| nodes.add(root, item));
            node.get("contains").into_iter().for_each(|item| nodes.add(root, item));
        }
        nodes
    }
}
