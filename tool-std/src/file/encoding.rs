//! Encodings by name: bytes to text and back, strictly, without replacing anything (Encoding Standard, WHATWG).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::{DecoderResult, EncoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use tool_core::{Effect, ToolError};

use super::misfit;
use crate::limits::Limits;
use crate::workspace::refusal::echo;

/// Bytes looked at for a NUL before UTF-8 is believed.
const NUL_WINDOW: usize = 8_192;
/// How to go on when a file is not text.
const BINARY_HINT: &str = "Read it with binary = true.";

/// How a caller wants bytes to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    /// By the byte-order mark, else UTF-8.
    Auto,
    /// By this encoding.
    As(&'static Encoding),
}

/// How a caller wants a text to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writing {
    /// The text is base64 of the bytes.
    Base64,
    /// In this encoding.
    As(&'static Encoding),
}

/// A decoded text.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: &'static Encoding,
}

impl Decoded {
    /// The canonical name in lower case.
    pub(crate) fn encoding_name(&self) -> String {
        self.encoding.name().to_ascii_lowercase()
    }

    /// Whether the text begins with a byte-order mark.
    pub(crate) fn has_bom(&self) -> bool {
        self.text.starts_with('\u{feff}')
    }
}

fn by_label(label: &str, limits: &Limits) -> Result<&'static Encoding, ToolError> {
    Encoding::for_label_no_replacement(label.as_bytes()).ok_or_else(|| {
        ToolError::invalid_args(format!("There is no encoding called {}.", echo(label, limits.echo_chars)))
            .code("encoding_unknown")
            .hint("use utf-8, auto, or a label of the Encoding Standard such as windows-1252, shift_jis, utf-16le")
            .effect(Effect::None)
    })
}

impl Reading {
    /// # Errors
    /// `encoding_unknown`.
    pub(crate) fn parse(label: &str, limits: &Limits) -> Result<Self, ToolError> {
        if label.eq_ignore_ascii_case("auto") {
            Ok(Reading::Auto)
        } else {
            by_label(label, limits).map(Reading::As)
        }
    }

    /// Decodes bytes; every byte must mean something.
    ///
    /// # Errors
    /// `binary_file`, `not_text`.
    pub(crate) fn decode(self, path: &str, bytes: Vec<u8>) -> Result<Decoded, ToolError> {
        let encoding = match self {
            Reading::As(encoding) => encoding,
            Reading::Auto => Encoding::for_bom(&bytes).map_or(UTF_8, |(encoding, _)| encoding),
        };
        if encoding == UTF_8 {
            return utf_8(path, bytes).map(|text| Decoded { text, encoding });
        }
        let text =
            strictly(encoding, &bytes).map_err(|at| not_text(path, &encoding.name().to_lowercase(), at))?;
        Ok(Decoded { text, encoding })
    }
}

fn utf_8(path: &str, bytes: Vec<u8>) -> Result<String, ToolError> {
    if let Some(at) = bytes.iter().take(NUL_WINDOW).position(|byte| *byte == 0) {
        let message = format!("{path} looks binary ({} bytes, NUL at offset {at}).", bytes.len());
        return Err(ToolError::failed(message).code("binary_file").hint(BINARY_HINT).effect(Effect::None));
    }
    String::from_utf8(bytes).map_err(|error| not_text(path, "UTF-8", error.utf8_error().valid_up_to()))
}

fn not_text(path: &str, encoding: &str, at: usize) -> ToolError {
    let message = format!("{path} is not valid {encoding} (first bad byte at offset {at}).");
    ToolError::failed(message)
        .code("not_text")
        .hint("Read it with binary = true, or name its encoding.")
        .effect(Effect::None)
}

/// The text of bytes, or the offset of the first that are malformed. A byte-order mark stays.
fn strictly(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, usize> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::new();
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let room = decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(rest.len());
        text.reserve(room);
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => return Ok(text),
            DecoderResult::OutputFull => continue,
            DecoderResult::Malformed(bad, after) => {
                return Err(at.saturating_sub(usize::from(bad) + usize::from(after)));
            }
        }
    }
}

impl Writing {
    /// # Errors
    /// `encoding_unknown`.
    pub(crate) fn parse(label: &str, limits: &Limits) -> Result<Self, ToolError> {
        if label.eq_ignore_ascii_case("base64") {
            Ok(Writing::Base64)
        } else {
            by_label(label, limits).map(Writing::As)
        }
    }

    /// The bytes of a text.
    ///
    /// # Errors
    /// `base64_invalid`, `unmappable_character`.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, ToolError> {
        match self {
            Writing::Base64 => STANDARD.decode(text).map_err(|error| {
                ToolError::invalid_args("The content is not base64 (RFC 4648, padded).")
                    .code("base64_invalid")
                    .source(error)
                    .effect(Effect::None)
            }),
            Writing::As(encoding) if encoding == UTF_8 => Ok(text.as_bytes().to_vec()),
            Writing::As(encoding) if encoding == UTF_16LE => {
                Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
            }
            Writing::As(encoding) if encoding == UTF_16BE => {
                Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect())
            }
            Writing::As(encoding) => mapped(encoding, text),
        }
    }
}

fn mapped(encoding: &'static Encoding, text: &str) -> Result<Vec<u8>, ToolError> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(rest.len());
        bytes.reserve(room);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::OutputFull => continue,
            EncoderResult::Unmappable(char) => return Err(unmappable(encoding, char)),
        }
    }
}

fn unmappable(encoding: &'static Encoding, char: char) -> ToolError {
    let name = encoding.name().to_ascii_lowercase();
    ToolError::invalid_args(format!("{name} has not every character of the content."))
        .quoting_message(format!("{name} has no character for U+{:04X}.", u32::from(char)))
        .code("unmappable_character")
        .hint("write it in utf-8")
        .effect(Effect::None)
}

/// Base64 of bytes, RFC 4648 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A label as an issue shows it.
pub(crate) fn shown(label: &str) -> String {
    misfit::text(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(label: &str, bytes: &[u8]) -> Result<(String, String), (String, String)> {
        Reading::parse(label, &Limits::default())
            .unwrap()
            .decode("f", bytes.to_vec())
            .map(|decoded| (decoded.encoding_name(), decoded.text))
            .map_err(|error| (error.code_str().to_owned(), error.message().to_owned()))
    }

    fn write(label: &str, text: &str) -> Result<Vec<u8>, String> {
        Writing::parse(label, &Limits::default())
            .unwrap()
            .encode(text)
            .map_err(|error| error.code_str().to_owned())
    }

    #[test]
    fn bytes_are_decoded_by_name_or_by_their_mark() {
        let ok = |name: &str, text: &str| Ok((name.to_owned(), text.to_owned()));
        assert_eq!(read("latin1", b"caf\xe9"), ok("windows-1252", "café"));
        assert_eq!(read("auto", b"\xff\xfea\0"), ok("utf-16le", "\u{feff}a"));
        assert_eq!(read("AUTO", "é".as_bytes()), ok("utf-8", "é"));
        assert_eq!(read("utf-8", b"\xef\xbb\xbfa"), ok("utf-8", "\u{feff}a"));
    }

    #[test]
    fn nothing_is_replaced() {
        let error = |code: &str, message: &str| Err((code.to_owned(), message.to_owned()));
        assert_eq!(
            read("utf-8", b"ab\xff"),
            error("not_text", "f is not valid UTF-8 (first bad byte at offset 2).")
        );
        assert_eq!(
            read("shift_jis", b"a\x81"),
            error("not_text", "f is not valid shift_jis (first bad byte at offset 1).")
        );
        assert_eq!(
            read("utf-8", b"a\0b"),
            error("binary_file", "f looks binary (3 bytes, NUL at offset 1).")
        );
        let far = [vec![b'a'; NUL_WINDOW], vec![0]].concat();
        assert!(read("utf-8", &far).is_ok());
    }

    #[test]
    fn text_is_written_as_it_is_read() {
        for label in ["utf-8", "utf-16le", "utf-16be", "windows-1252", "shift_jis", "gb18030"] {
            let text = if label == "windows-1252" { "café" } else { "aé日".trim_matches('é') };
            let text = if label == "shift_jis" { "a日" } else { text };
            let bytes = write(label, text).unwrap();
            assert_eq!(read(label, &bytes).unwrap().1, text, "{label}");
        }
        assert_eq!(write("latin1", "日"), Err("unmappable_character".into()));
        assert_eq!(write("base64", "AAH/"), Ok(vec![0, 1, 255]));
        assert_eq!(write("base64", "A?"), Err("base64_invalid".into()));
        assert_eq!(Writing::parse("klingon", &Limits::default()).unwrap_err().code_str(), "encoding_unknown");
        assert_eq!(
            Reading::parse("hz-gb-2312", &Limits::default()).unwrap_err().code_str(),
            "encoding_unknown"
        );
    }
}
