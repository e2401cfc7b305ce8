//! Methods of requests. (RFC 9110 §9)

use std::fmt;

/// What a request wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// A resource.
    Get,
    /// What `GET` would say of a resource, without it.
    Head,
    /// That a resource does something.
    Post,
    /// That a resource becomes this.
    Put,
    /// That a resource changes so.
    Patch,
    /// That a resource goes.
    Delete,
}

impl Method {
    /// Its name in a request.
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }

    /// Whether a tool may send it that declares no side effect. (calls.md §8)
    pub const fn is_read(self) -> bool {
        matches!(self, Method::Get | Method::Head)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
