//! Local references: `#/$defs/NAME` and any other JSON pointer in a URI fragment (RFC 6901 §6).

use std::borrow::Cow;

const DEFINITIONS: &str = "#/$defs/";

/// The reference to a definition.
pub(crate) fn to_definition(name: &str) -> String {
    let mut reference = DEFINITIONS.to_owned();
    for byte in name.bytes() {
        match byte {
            b'~' => reference.push_str("~0"),
            b'/' => reference.push_str("~1"),
            // RFC 3986 §3.5: what a fragment may hold as it is.
            b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' => {
                reference.push(char::from(byte))
            }
            other => reference.push_str(&format!("%{other:02X}")),
        }
    }
    reference
}

/// The name of the definition that a reference leads to.
pub(crate) fn definition_name(reference: &str) -> Option<String> {
    let name = reference.strip_prefix(DEFINITIONS)?;
    (!name.contains('/')).then(|| unescape(&percent_decode(name)))
}

/// The JSON pointer of a local reference; `None` for one that leads elsewhere.
pub(crate) fn pointer(reference: &str) -> Option<String> {
    reference.strip_prefix('#').map(|fragment| percent_decode(fragment).into_owned())
}

/// The keys of a pointer, unescaped.
pub(crate) fn keys(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(unescape).collect()
}

fn unescape(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

fn percent_decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        match part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(part.bytes().skip(2));
            }
            None => {
                bytes.push(b'%');
                bytes.extend(part.as_bytes());
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_way_into_a_reference_and_back() {
        for name in ["Node", "a/b", "~", "My Node", "Größe", "100%", "%41", "#", ""] {
            assert_eq!(definition_name(&to_definition(name)).as_deref(), Some(name));
        }
        assert_eq!(to_definition("a/b ~"), "#/$defs/a~1b%20~0");
        assert_eq!(definition_name("#/$defs/a/b"), None);
        assert_eq!(pointer("#/properties/My%20Node").as_deref(), Some("/properties/My Node"));
        assert_eq!(pointer("other.json#/a"), None);
    }
}
