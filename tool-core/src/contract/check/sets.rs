//! Tools among each other: names that meet, groups of one, and too many.

use std::cmp::Ordering;

use super::Options;
use crate::def::Surface;
use crate::dialect::{SEARCH_TOOLS, limits};
use crate::registry::{Registry, ToolEntry, cmp_folded};

/// The number of tools up to which a group may have one.
const FEW: usize = 8;

/// What is said of a tool, or of all.
type Hits<'a> = Vec<(Option<&'a ToolEntry>, String)>;

fn same(a: &str, b: &str) -> bool {
    cmp_folded(a, b) == Ordering::Equal
}

pub(super) fn name_clash<'a>(registry: &'a Registry, options: &Options) -> Hits<'a> {
    let others = || options.beside.iter().flat_map(Registry::iter);
    let met = |tool: &'a ToolEntry| {
        let other = others().find(|other| same(other.name(), tool.name()) && !other.is(tool))?;
        let text = format!(
            "`{}` ({}) differs from it only in case or in `-` and `_`, if at all",
            other.name(),
            other.def().origin
        );
        Some((Some(tool), text))
    };
    registry.iter().filter_map(met).collect()
}

pub(super) fn alias_shadow<'a>(registry: &'a Registry, _: &Options) -> Hits<'a> {
    let shadows = |tool: &'a ToolEntry| {
        tool.aliases().filter_map(move |alias| {
            let other = registry.iter().find(|other| !other.is(tool) && same(other.name(), alias))?;
            let text = format!(
                "its alias `{alias}` is `{}` where case, `-` and `_` are not told apart",
                other.name()
            );
            Some((Some(tool), text))
        })
    };
    registry.iter().flat_map(shadows).collect()
}

pub(super) fn group_single<'a>(registry: &'a Registry, _: &Options) -> Hits<'a> {
    let alone = |tool: &&ToolEntry| {
        let group = tool.def().group;
        group.is_some() && registry.iter().filter(|other| other.def().group == group).count() == 1
    };
    let tools = registry.iter().filter(|_| registry.len() > FEW).filter(alone);
    let text =
        |tool: &ToolEntry| format!("it is alone in the group `{}`", tool.def().group.unwrap_or_default());
    tools.map(|tool| (Some(tool), text(tool))).collect()
}

pub(super) fn tools_many<'a>(registry: &'a Registry, _: &Options) -> Hits<'a> {
    let advised = limits::ANTHROPIC_TOOLS_ADVISED.number();
    let offered = |tool: &&ToolEntry| {
        let surfaces = tool.def().surfaces;
        surfaces.contains(Surface::Llm) || surfaces.contains(Surface::Mcp)
    };
    let searched = SEARCH_TOOLS.iter().all(|name| registry.get(name).is_some());
    let count = registry.iter().filter(offered).count();
    let text = || format!("{count} tools are offered without search; models choose well among {advised}");
    (count > advised && !searched).then(|| (None, text())).into_iter().collect()
}
