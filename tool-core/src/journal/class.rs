//! Replay classes: what a call whose outcome is unknown means, by what its tool says of itself. (journal.md §2)

use crate::def::ToolDef;

/// What is done about a call in doubt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Class {
    /// Run it again: it changes nothing.
    Pure,
    /// Run it again with the same key: a second effect is none.
    Idempotent,
    /// Ask the outside world.
    Reconcile,
    /// Run it again with the same key, which the tool has promised to hand on.
    Keyed,
    /// A person decides.
    #[default]
    Manual,
}

impl Class {
    /// The class of a tool: the first that fits.
    pub fn of(tool: &ToolDef<'_>) -> Class {
        match tool.behavior {
            behavior if !behavior.side_effect => Class::Pure,
            _ if tool.replay_manual => Class::Manual,
            behavior if behavior.idempotent => Class::Idempotent,
            _ if tool.reconcile.is_some() => Class::Reconcile,
            _ if tool.takes_context => Class::Keyed,
            _ => Class::Manual,
        }
    }

    /// Whether a repeat may do harm.
    pub fn is_unsafe(self) -> bool {
        !matches!(self, Class::Pure | Class::Idempotent)
    }
}

/// A tool that has an effect and cannot hand a key on. The lint `effect-without-context`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectWithoutContext {
    /// What is wrong, and what to do.
    pub text: String,
    /// Whether nothing else settles a call in doubt: a warning at start, an error of a check. Otherwise it is only worth a note.
    pub needs_person: bool,
}

impl EffectWithoutContext {
    /// What is wrong with a tool; `None` where nothing is.
    pub fn of(tool: &ToolDef<'_>) -> Option<EffectWithoutContext> {
        let bare = tool.behavior.side_effect && !tool.behavior.idempotent && !tool.takes_context;
        bare.then(|| EffectWithoutContext {
            text: format!(
                "{} has a side effect that is not idempotent, but takes no &ToolContext: it cannot pass \
                 ctx.idempotency_key() on, so a retry after a crash needs a person. Take &ToolContext, or add \
                 reconcile = ….",
                tool.name
            ),
            needs_person: tool.reconcile.is_none(),
        })
    }
}
