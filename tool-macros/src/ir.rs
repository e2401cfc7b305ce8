//! What the author wrote: plain data with spans, nothing resolved.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, ExprRange, LitChar, LitStr, Path, ReturnType, Type, Visibility};

use crate::parse::docs::Docs;
use crate::parse::example_attr::Json;
use crate::parse::keys::Entry;

/// The keys of an attribute in the order written.
#[derive(Default)]
pub(crate) struct Said(Vec<(&'static str, Span)>);

impl Said {
    pub(crate) fn of(entries: &[Entry]) -> Said {
        Said(entries.iter().map(|entry| (entry.key, entry.span)).collect())
    }

    /// Where a key stands, if it does.
    pub(crate) fn span(&self, key: &str) -> Option<Span> {
        self.0.iter().find(|row| row.0 == key).map(|row| row.1)
    }

    /// Whether a key stands there.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.span(key).is_some()
    }

    /// Of two keys that both stand there, where the later one does.
    pub(crate) fn later(&self, one: &str, other: &str) -> Option<Span> {
        let place = |key| self.0.iter().position(|row| row.0 == key);
        let later = place(one)?.max(place(other)?);
        self.0.get(later).map(|row| row.1)
    }

    /// Every key with its place.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Span)> + '_ {
        self.0.iter().copied()
    }
}

/// A function that is to be a tool.
pub(crate) struct ToolIr {
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) cfgs: Vec<Attribute>,
    /// `#[deprecated]` of the function.
    pub(crate) deprecated_attr: bool,
    pub(crate) is_async: bool,
    pub(crate) owner: Option<OwnerIr>,
    pub(crate) docs: Docs,
    pub(crate) attr: ToolAttr,
    pub(crate) inputs: Vec<InputIr>,
    pub(crate) output: ReturnType,
    pub(crate) examples: Vec<ExampleIr>,
}

/// The type whose method the tool is.
pub(crate) struct OwnerIr {
    pub(crate) ty: Type,
    /// `&self`.
    pub(crate) receiver: bool,
    pub(crate) prefix: Option<String>,
}

impl ToolIr {
    /// The keys of declared and injected secrets.
    pub(crate) fn secret_keys(&self) -> impl Iterator<Item = &LitStr> {
        let declared = self.attr.secrets.iter().map(|secret| &secret.key);
        declared.chain(self.capabilities().filter_map(|ctx| ctx.secret.as_ref()))
    }

    /// The parameters that callers see.
    pub(crate) fn params(&self) -> impl Iterator<Item = &ParamIr> {
        self.inputs.iter().filter_map(|input| match input {
            InputIr::Param(param) => Some(&**param),
            InputIr::Ctx(_) | InputIr::Context(_) => None,
        })
    }

    /// What the host supplies.
    pub(crate) fn capabilities(&self) -> impl Iterator<Item = &CtxIr> {
        self.inputs.iter().filter_map(|input| match input {
            InputIr::Ctx(ctx) => Some(&**ctx),
            InputIr::Param(_) | InputIr::Context(_) => None,
        })
    }

    /// Whether the function takes the context.
    pub(crate) fn takes_context(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, InputIr::Context(_)))
    }

    /// The wire name.
    pub(crate) fn name(&self) -> String {
        match &self.attr.name {
            Some(name) => name.value(),
            None => {
                let prefix = self.owner.as_ref().and_then(|owner| owner.prefix.clone());
                prefix.unwrap_or_default() + &unraw(&self.ident)
            }
        }
    }
}

/// One input of the function.
pub(crate) enum InputIr {
    Param(Box<ParamIr>),
    Ctx(Box<CtxIr>),
    Context(Ident),
}

/// The keys of `#[tool]`, with those of the box added.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) said: Said,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: bool,
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) group: Option<LitStr>,
    pub(crate) tags: Vec<LitStr>,
    pub(crate) summary: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) secrets: Vec<SecretIr>,
    pub(crate) timeout: Option<LitStr>,
    pub(crate) surfaces: Option<Vec<Ident>>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) log: Option<LitStr>,
    pub(crate) reconcile: Option<Path>,
    pub(crate) revert: Option<Path>,
    pub(crate) replay: Option<LitStr>,
    pub(crate) constraints: Vec<ConstraintIr>,
    pub(crate) output: Option<Type>,
    pub(crate) handle: Option<Ident>,
    pub(crate) unregistered: bool,
    pub(crate) krate: Option<Path>,
}

/// `exactly_one(…)` or `at_least_one(…)`.
pub(crate) struct ConstraintIr {
    pub(crate) key: &'static str,
    pub(crate) span: Span,
    pub(crate) params: Vec<Ident>,
}

/// A declared secret.
#[derive(Clone)]
pub(crate) struct SecretIr {
    pub(crate) key: LitStr,
    pub(crate) label: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) optional: bool,
    pub(crate) choices: Vec<LitStr>,
}

/// A parameter that callers see.
pub(crate) struct ParamIr {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Docs,
    pub(crate) attr: ArgAttr,
}

impl ParamIr {
    /// The wire name.
    pub(crate) fn name(&self) -> String {
        match &self.attr.name {
            Some(name) => name.value(),
            None => unraw(&self.ident),
        }
    }
}

/// The keys of `#[arg]`.
#[derive(Default)]
pub(crate) struct ArgAttr {
    pub(crate) said: Said,
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) default: Option<DefaultIr>,
    pub(crate) range: Option<ExprRange>,
    pub(crate) len: Option<ExprRange>,
    pub(crate) item_len: Option<ExprRange>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) choices: Vec<LitStr>,
    pub(crate) format: Option<LitStr>,
    pub(crate) examples: Vec<Expr>,
    pub(crate) with: Option<Path>,
    pub(crate) schema_with: Option<Path>,
    pub(crate) log: Option<LitStr>,
    pub(crate) hint: Option<LitStr>,
    pub(crate) header: Option<LitStr>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) conflicts_with: Vec<LitStr>,
    pub(crate) requires: Vec<LitStr>,
    pub(crate) long: Option<LitStr>,
    pub(crate) short: Option<LitChar>,
    pub(crate) env: Option<LitStr>,
    pub(crate) value_name: Option<LitStr>,
}

/// What a parameter is when it is left out.
pub(crate) enum DefaultIr {
    /// `default`.
    Bare,
    /// `default = expr`.
    Expr(Expr),
}

/// An input that the host supplies.
pub(crate) struct CtxIr {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The key of a secret.
    pub(crate) secret: Option<LitStr>,
}

/// One `#[example]`.
pub(crate) struct ExampleIr {
    pub(crate) label: LitStr,
    pub(crate) args: Vec<(LitStr, Json)>,
    pub(crate) result: Option<Json>,
}

/// The text of an identifier without `r#`.
pub(crate) fn unraw(ident: &Ident) -> String {
    syn::ext::IdentExt::unraw(ident).to_string()
}
