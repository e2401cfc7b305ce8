//! Comparing what tools need with what a context provides.

use super::problem::{Problem, ProblemCode, RegistryError};
use super::{Registry, ToolEntry};
use crate::context::ToolContext;
use crate::def::CapabilityDef;

/// What becomes of tools whose capabilities the context does not provide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmet {
    /// They are errors of `build`, all in one.
    #[default]
    Refuse,
    /// They stay in the registry, and whoever lists tools hides them: see [`Registry::unmet`].
    Hide,
}

impl Registry {
    /// The tools that cannot run with a context, each with a required capability that it lacks.
    pub fn unmet<'a>(
        &'a self,
        ctx: &'a ToolContext,
    ) -> impl Iterator<Item = (&'a ToolEntry, &'a CapabilityDef)> {
        unmet(&self.0.tools, ctx)
    }

    /// Whether a context provides what the tools need.
    ///
    /// # Errors
    /// `capability_missing` for every tool and type at once; none where the registry was built with [`Unmet::Hide`].
    pub fn check_capabilities(&self, ctx: &ToolContext) -> Result<(), RegistryError> {
        let problems = match self.0.unmet {
            Unmet::Refuse => problems(&self.0.tools, ctx),
            Unmet::Hide => Vec::new(),
        };
        if problems.is_empty() { Ok(()) } else { Err(RegistryError::new(problems)) }
    }
}

fn unmet<'a>(
    tools: &'a [ToolEntry],
    ctx: &'a ToolContext,
) -> impl Iterator<Item = (&'a ToolEntry, &'a CapabilityDef)> {
    let lacks = |capability: &&CapabilityDef| !capability.optional && !ctx.provides((capability.id)());
    tools.iter().flat_map(move |tool| {
        tool.def().capabilities.iter().filter(lacks).map(move |capability| (tool, capability))
    })
}

pub(super) fn problems(tools: &[ToolEntry], ctx: &ToolContext) -> Vec<Problem> {
    let problem = |(tool, capability): (&ToolEntry, &CapabilityDef)| {
        let (origin, name) = (tool.def().origin.to_string(), (capability.name)());
        let text = format!("`{}` ({origin}) needs {name}, which the context does not provide", tool.name());
        Problem {
            code: ProblemCode::CapabilityMissing,
            tool: tool.name().to_owned(),
            origins: vec![origin],
            text,
            hint: None,
        }
    };
    unmet(tools, ctx).map(problem).collect()
}
