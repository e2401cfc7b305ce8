//! A `#[ctx]` parameter as the registry sees it.

use std::any::TypeId;
use std::fmt;

/// A type that the context must, or may, provide.
#[derive(Clone, Copy)]
pub struct CapabilityDef {
    /// Identity of the type.
    pub id: fn() -> TypeId,
    /// Its path, for messages.
    pub name: fn() -> &'static str,
    /// Whether the tool also works without it.
    pub optional: bool,
}

impl CapabilityDef {
    /// A capability without which the tool cannot run.
    pub const fn required<T: ?Sized + Send + Sync + 'static>() -> Self {
        Self { id: TypeId::of::<T>, name: std::any::type_name::<T>, optional: false }
    }

    /// A capability that the tool can do without.
    pub const fn optional<T: ?Sized + Send + Sync + 'static>() -> Self {
        Self { id: TypeId::of::<T>, name: std::any::type_name::<T>, optional: true }
    }

    /// The type's name without its path, as the lock file has it.
    pub fn short_name(&self) -> &'static str {
        let full = (self.name)();
        full.rsplit("::").next().unwrap_or(full)
    }
}

impl fmt::Debug for CapabilityDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapabilityDef")
            .field("name", &(self.name)())
            .field("optional", &self.optional)
            .finish()
    }
}
