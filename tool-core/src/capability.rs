//! Capabilities by type: what a host provides and a `#[ctx]` parameter asks for.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::context::ToolContext;

/// How one type is provided.
#[derive(Clone)]
enum Provider {
    /// One value for all calls: an `Arc<T>`.
    Shared(Arc<dyn Any + Send + Sync>),
    /// A maker of values: a `Maker<T>`.
    PerCall(Arc<dyn Any + Send + Sync>),
}

type Maker<T> = Box<dyn Fn(&ToolContext) -> Arc<T> + Send + Sync>;

/// The provided types.
#[derive(Clone, Default)]
pub(crate) struct Capabilities {
    by_type: HashMap<TypeId, (&'static str, Provider)>,
}

impl Capabilities {
    pub(crate) fn insert<T: ?Sized + Send + Sync + 'static>(&mut self, value: Arc<T>) {
        self.put::<T>(Provider::Shared(Arc::new(value)));
    }

    pub(crate) fn insert_with<T: ?Sized + Send + Sync + 'static>(
        &mut self,
        make: impl Fn(&ToolContext) -> Arc<T> + Send + Sync + 'static,
    ) {
        let maker: Maker<T> = Box::new(make);
        self.put::<T>(Provider::PerCall(Arc::new(maker)));
    }

    fn put<T: ?Sized + 'static>(&mut self, provider: Provider) {
        self.by_type.insert(TypeId::of::<T>(), (std::any::type_name::<T>(), provider));
    }

    pub(crate) fn contains(&self, id: TypeId) -> bool {
        self.by_type.contains_key(&id)
    }

    pub(crate) fn get<T: ?Sized + Send + Sync + 'static>(&self, ctx: &ToolContext) -> Option<Arc<T>> {
        match &self.by_type.get(&TypeId::of::<T>())?.1 {
            Provider::Shared(value) => value.downcast_ref::<Arc<T>>().cloned(),
            Provider::PerCall(maker) => maker.downcast_ref::<Maker<T>>().map(|make| make(ctx)),
        }
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = self.by_type.values().map(|entry| entry.0).collect();
        names.sort_unstable();
        f.debug_set().entries(names).finish()
    }
}
