//! A secret value: it can be used, and by no ordinary means shown.

/// A secret, such as an API key.
///
/// It has no `Debug`, `Display`, `Serialize`, `Deserialize`, `Clone`, `PartialEq`, `Deref` or `AsRef`; the only way to its
/// text is [`expose`](Secret::expose).
///
/// ```
/// let key = tool_core::Secret::new("k-123");
/// assert_eq!(key.expose(), "k-123");
/// ```
pub struct Secret(Box<str>);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text, to be handed to whatever needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text as bytes.
    pub fn expose_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whether it is empty or blank: a blank secret counts as absent.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}
