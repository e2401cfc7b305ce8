//! What the type of a parameter means for its presence: told by the type checker, never by an identifier.

/// How a parameter of a type may be given or left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// Must be given, unless it has a default.
    Required,
    /// `Option<T>`: may be left out; null counts as left out.
    Optional,
    /// `Option<Option<T>>`: left out, null, or a value.
    Nullable,
    /// `bool`: left out is false.
    Flag,
    /// A list or set: left out is empty.
    List,
}

impl ParamKind {
    /// Whether the Rust type is an option.
    pub const fn is_option(self) -> bool {
        matches!(self, ParamKind::Optional | ParamKind::Nullable)
    }
}
