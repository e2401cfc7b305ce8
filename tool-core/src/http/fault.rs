//! What keeps an answer from coming, in the words that every implementation of [`Http`](super::Http) has for it.

use crate::error::{Effect, ToolError};

/// Why there is no answer, or no whole one. As an error each is `unavailable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The name of the host has no address.
    Dns,
    /// Nobody listens there, or nobody can be reached.
    Connect,
    /// The other side does not prove who it is, or speaks no TLS.
    Tls,
    /// The connection broke off before the answer had ended.
    Cut,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 4] = [Fault::Dns, Fault::Connect, Fault::Tls, Fault::Cut];

    /// The code of the error.
    pub const fn code(self) -> &'static str {
        match self {
            Fault::Dns => "dns_failed",
            Fault::Connect => "connect_failed",
            Fault::Tls => "tls_failed",
            Fault::Cut => "response_cut",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Fault::Dns => "has no address",
            Fault::Connect => "cannot be reached",
            Fault::Tls => "cannot be trusted: the TLS connection failed",
            Fault::Cut => "broke the answer off",
        }
    }

    /// The error that a host answers a request with.
    pub fn error(self, host: &str) -> ToolError {
        let error = ToolError::unavailable(format!("{host} {}.", self.text())).code(self.code());
        match self {
            // Nothing of the request was sent.
            Fault::Dns | Fault::Connect | Fault::Tls => error.effect(Effect::None),
            Fault::Cut => error,
        }
    }
}
