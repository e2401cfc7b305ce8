//! Effects: whether they are stated, can be settled after a crash, and end in time.

use super::{Hit, Subject};
use crate::def::Handler;
use crate::journal::EffectWithoutContext;

pub(super) fn effect_without_context(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    // The handler of a tool that is made at run time is always handed the context.
    let takes_none = !matches!(def.handler, Handler::Dynamic(_));
    let found = EffectWithoutContext::of(def).filter(|found| takes_none && found.needs_person);
    found.map(|found| Hit::of_tool(found.text)).into_iter().collect()
}

pub(super) fn open_world_untimed(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    let text = "it talks to other systems and has the default timeout: say how long that may take";
    (def.behavior.open_world && def.timeout.is_none()).then(|| Hit::of_tool(text)).into_iter().collect()
}

pub(super) fn effects_unknown(subject: &Subject<'_>) -> Vec<Hit> {
    let text = "its effects are not stated, so the worst is assumed: give its `behavior`";
    subject.def().behavior_assumed.then(|| Hit::of_tool(text)).into_iter().collect()
}
