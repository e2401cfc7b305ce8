//! The key of a request: it travels in one header, and nothing that is told afterwards has it.

use std::borrow::Cow;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use tool_core::{Secret, ToolContext, ToolError};

use super::provider::Provider;

/// The key that a server on this machine gets where there is none.
const LOOPBACK_KEY: &str = "loopback";

/// What stands where a server repeated the key.
const HIDDEN: &str = "[secret]";

/// Shorter ones are words, and would be missed in texts that have nothing to do with them.
const LEAST_HIDDEN_BYTES: usize = 8;

/// The key of one provider; a server on this machine needs none.
pub(super) struct Key {
    provider: &'static Provider,
    secret: Option<Arc<Secret>>,
}

impl Key {
    /// The key that the context has for a provider.
    pub(super) fn of(
        provider: &'static Provider,
        cx: &ToolContext,
        is_loopback: bool,
    ) -> Result<Key, ToolError> {
        let secret = cx.optional_secret(provider.secret)?;
        if secret.is_none() && !is_loopback {
            let text = format!("The secret {} is not set.", provider.secret);
            return Err(ToolError::not_configured(text).code("secret_missing"));
        }
        Ok(Key { provider, secret })
    }

    fn text(&self) -> &str {
        self.secret.as_ref().map_or(LOOPBACK_KEY, |secret| secret.expose().trim())
    }

    /// The header that carries it.
    pub(super) fn header(&self) -> Result<(HeaderName, HeaderValue), ToolError> {
        let (name, before) = self.provider.key;
        let mut value = HeaderValue::from_str(&format!("{before}{}", self.text())).map_err(|_| {
            let text = format!(
                "The secret {} is no key: it has characters that no header takes.",
                self.provider.secret
            );
            ToolError::not_configured(text).code("secret_invalid")
        })?;
        value.set_sensitive(true);
        Ok((HeaderName::from_static(name), value))
    }

    /// A text of the server without the key.
    pub(super) fn hidden_in<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let key = self.secret.as_ref().map(|secret| secret.expose().trim());
        match key.filter(|key| key.len() >= LEAST_HIDDEN_BYTES && text.contains(key)) {
            Some(key) => Cow::Owned(text.replace(key, HIDDEN)),
            None => Cow::Borrowed(text),
        }
    }

    /// An error without the key, which servers repeat in what they say of it.
    pub(super) fn hide(&self, error: ToolError) -> ToolError {
        let told = error.details().iter().filter_map(|(name, value)| match self.hidden_in(value.as_str()?) {
            Cow::Owned(text) => Some((name.clone(), Value::from(text))),
            Cow::Borrowed(_) => None,
        });
        let told: Vec<_> = told.collect();
        told.into_iter().fold(error, |error, (name, value)| error.detail(name, value))
    }
}
