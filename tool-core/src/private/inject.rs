//! Capabilities: how they are declared, fetched and lent.

use std::sync::Arc;

use crate::context::ToolContext;
use crate::def::CapabilityDef;
use crate::error::ToolError;

/// A type that the host can supply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a capability: it must be `Send + Sync + 'static`",
    label = "not shareable between threads"
)]
pub trait Capability: Send + Sync + 'static {}
#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> Capability for T {}

/// How a capability is declared and fetched; the one place that asks for its bounds.
pub struct Inject<T: ?Sized> {
    /// What the registry sees.
    pub def: CapabilityDef,
    require: fn(&ToolContext) -> Result<Arc<T>, ToolError>,
    find: fn(&ToolContext) -> Option<Arc<T>>,
}

impl<T: ?Sized> Inject<T> {
    /// Of the given presence.
    pub const fn new(optional: bool) -> Self
    where
        T: Capability,
    {
        let def = if optional { CapabilityDef::optional::<T>() } else { CapabilityDef::required::<T>() };
        Inject { def, require: ToolContext::require::<T>, find: ToolContext::capability::<T> }
    }
}

/// The written type of a `#[ctx]` parameter, with `'static` lifetimes.
#[diagnostic::on_unimplemented(
    message = "a capability is shared: write `&T`, `Arc<T>` or `Option<&T>`",
    label = "`{Self}` is none of these"
)]
pub trait Shared {
    /// The capability's type.
    type Target: ?Sized;
    /// What is kept for the call.
    type Held;
    /// What the function gets.
    type Lent<'a>;
    /// Whether the tool also works without it.
    const OPTIONAL: bool;
    /// Fetches it.
    fn fetch(inject: &Inject<Self::Target>, ctx: &ToolContext) -> Result<Self::Held, ToolError>;
    /// Lends what is kept.
    fn lend(held: &Self::Held) -> Self::Lent<'_>;
}

macro_rules! shared {
    ($([$type:ty, $held:ty, $lent:ty, $optional:literal] |$inject:ident, $ctx:ident| $fetch:expr, |$kept:ident| $lend:expr;)*) => {
        $(impl<T: ?Sized + 'static> Shared for $type {
            type Target = T;
            type Held = $held;
            type Lent<'a> = $lent;
            const OPTIONAL: bool = $optional;
            fn fetch($inject: &Inject<T>, $ctx: &ToolContext) -> Result<$held, ToolError> {
                $fetch
            }
            fn lend($kept: &$held) -> Self::Lent<'_> {
                $lend
            }
        })*
    };
}
shared! {
    [&'static T, Arc<T>, &'a T, false] |inject, ctx| (inject.require)(ctx), |held| held;
    [Arc<T>, Arc<T>, Arc<T>, false] |inject, ctx| (inject.require)(ctx), |held| held.clone();
    [Option<&'static T>, Option<Arc<T>>, Option<&'a T>, true] |inject, ctx| Ok((inject.find)(ctx)), |held| held.as_deref();
    [Option<Arc<T>>, Option<Arc<T>>, Option<Arc<T>>, true] |inject, ctx| Ok((inject.find)(ctx)), |held| held.clone();
}
