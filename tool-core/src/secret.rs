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

/// What a secret must not be able to do, each beside a text that can.
///
/// ```
/// fn is<T: std::fmt::Debug + std::fmt::Display + Clone + PartialEq + AsRef<str>>() {}
/// fn travels<T: serde::Serialize + serde::de::DeserializeOwned>() {}
/// fn points<T: std::ops::Deref>() {}
/// is::<String>(); travels::<String>(); points::<String>();
/// # let _: tool_core::Secret;
/// ```
/// ```compile_fail,E0277
/// fn is<T: std::fmt::Debug>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: std::fmt::Display>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: serde::Serialize>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: serde::de::DeserializeOwned>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: Clone>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: PartialEq>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: std::ops::Deref>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: AsRef<str>>() {} is::<tool_core::Secret>();
/// ```
/// ```compile_fail,E0277
/// fn is<T: AsRef<[u8]>>() {} is::<tool_core::Secret>();
/// ```
#[cfg(doctest)]
struct NeverShown;

/// Where the values of declared secrets come from.
///
/// It is asked only for keys that the calling tool declares.
pub trait SecretSource: Send + Sync {
    /// The value of a key; `None` when it is not set.
    fn get(&self, key: &str) -> Option<Secret>;
}

/// A source without secrets.
pub(crate) struct NoSecrets;

impl SecretSource for NoSecrets {
    fn get(&self, _: &str) -> Option<Secret> {
        None
    }
}

/// Secrets from a map, for instance a copy of the environment.
impl<S: std::hash::BuildHasher + Send + Sync> SecretSource for std::collections::HashMap<String, String, S> {
    fn get(&self, key: &str) -> Option<Secret> {
        std::collections::HashMap::get(self, key).map(|text| Secret::new(text.as_str()))
    }
}

/// Secrets from the environment of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnvSecrets;

impl SecretSource for EnvSecrets {
    fn get(&self, key: &str) -> Option<Secret> {
        std::env::var(key).ok().map(Secret::new)
    }
}
