//! Origins of web pages: scheme, host and port. Another port is another origin. (RFC 6454 §4)

use axum::http::Uri;
use tool_core::ToolError;
use tool_core::args::shown_name;

use crate::http::LOOPBACK_HOSTS;

/// An origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin in a text such as `https://app.example` or `http://app.example:8080`; none for any other text.
    pub(crate) fn read(text: &str) -> Option<Origin> {
        let uri: Uri = text.parse().ok()?;
        let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
        let usual = match scheme.as_str() {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let behind = text.get(scheme.len() + "://".len()..)?;
        // Nothing stands around host and port: no user, no path.
        if behind != authority.as_str() || authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str() == authority.host() => usual,
            None => return None,
        };
        Some(Origin { scheme, host: authority.host().to_ascii_lowercase(), port })
    }

    /// [`read`](Self::read) for an option.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_origin`.
    pub(crate) fn of_option(text: &str) -> Result<Origin, ToolError> {
        Origin::read(text).ok_or_else(|| {
            ToolError::invalid_args(format!("{} is no origin.", shown_name(text)))
                .code("bad_origin")
                .hint("use SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example")
        })
    }

    /// Whether it is one of pages that this machine serves.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        self.scheme == "http" && LOOPBACK_HOSTS.contains(&host)
    }

    /// Whether another one is of the same scheme and host.
    pub(crate) fn is_beside(&self, other: &Origin) -> bool {
        (&self.scheme, &self.host) == (&other.scheme, &other.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_port_is_another_origin_and_the_usual_one_need_not_be_named() {
        let read = |text: &str| Origin::read(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(read("https://app.example"), read("HTTPS://App.Example:443"));
        assert_eq!(read("http://app.example"), read("http://app.example:80"));
        assert_eq!(read("http://[::1]:7").port, 7);
        assert!(
            ["http://[::1]:7", "http://localhost", "http://127.0.0.1:9"]
                .into_iter()
                .all(|text| read(text).is_loopback())
        );
        assert!(!read("https://localhost").is_loopback() && !read("http://localhost.evil").is_loopback());
        assert_ne!(read("https://app.example"), read("https://app.example:8443"));
        assert!(read("https://app.example").is_beside(&read("https://app.example:8443")));
        assert!(!read("https://app.example").is_beside(&read("http://app.example")));
    }

    #[test]
    fn what_is_no_origin_is_none() {
        for text in [
            "",
            "null",
            "*",
            "evil",
            "app.example",
            "https://",
            "https://a/",
            "https://a/b",
            "https://a?b",
            "https://u@a",
            "file:///x",
            "ftp://a",
            "https://a:b",
            "https://a b",
        ] {
            assert_eq!(Origin::read(text), None, "{text}");
        }
    }
}
