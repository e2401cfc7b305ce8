//! Collecting definitions into one immutable [`Registry`], and refusing what cannot work.
//!
//! A registry is built once, sorted by name and never changed: a changed set of tools is a new registry, swapped by the
//! host. Who may see and call its tools is decided elsewhere.

mod builder;
mod dynamic;
mod header;
mod input;
mod link;
#[cfg(feature = "inventory")]
mod listed;
mod names;
mod problem;
mod select;
mod unknown;
mod unmet;

use std::fmt;
use std::sync::Arc;

use crate::def::ToolDef;

pub use builder::RegistryBuilder;
pub use dynamic::{DynParam, DynTool, DynToolBuilder};
pub use header::SetHeader;
pub(crate) use input::fault_of as input_fault;
pub use input::{MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH};
#[cfg(feature = "inventory")]
pub use listed::listed;
pub(crate) use names::{cmp_folded, is_valid};
pub use problem::{Problem, ProblemCode, RegistryError};
pub use select::Select;
pub use select::glob_matches;
pub use unknown::unknown_tool;
pub use unmet::Unmet;

/// What `#[tool]` leaves for discovery: one pointer.
#[derive(Debug)]
pub struct Registration(pub &'static ToolDef<'static>);

#[cfg(feature = "inventory")]
inventory::collect!(Registration);

/// A tool of either kind: made by `#[tool]`, or at run time.
pub trait AnyTool: Send + Sync {
    /// The definition.
    fn def(&self) -> &ToolDef<'_>;
}

/// An immutable set of tools, sorted by name. A clone shares it.
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    /// Sorted by effective name, in bytes.
    tools: Box<[ToolEntry]>,
    /// The head of each name, in the same order: by it alone most names are told apart.
    heads: Box<[u64]>,
    /// Aliases with the place of their tool, sorted.
    aliases: Box<[(usize, usize)]>,
    unmet: Unmet,
}

/// A tool of a registry.
#[derive(Clone)]
pub struct ToolEntry {
    pub(super) effective: Option<Box<Effective>>,
    pub(super) source: Source,
}

/// What a registry calls a tool, where that is not what the definition says.
#[derive(Clone)]
pub(super) struct Effective {
    pub(super) name: Option<Box<str>>,
    pub(super) aliases: Option<Box<[Box<str>]>>,
}

#[derive(Clone)]
pub(super) enum Source {
    Static(&'static ToolDef<'static>),
    Dynamic(Arc<dyn AnyTool>),
}

impl ToolEntry {
    /// The effective name: journal, audit and results carry it.
    pub fn name(&self) -> &str {
        self.effective.as_ref().and_then(|effective| effective.name.as_deref()).unwrap_or(self.def().name)
    }

    /// The definition.
    pub fn def(&self) -> &ToolDef<'_> {
        match &self.source {
            Source::Static(def) => def,
            Source::Dynamic(tool) => tool.def(),
        }
    }

    /// Name and aliases, all of which calls may use.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name()).chain(self.aliases())
    }

    /// Name and aliases, each beside the name it leads to: what names are suggested from.
    pub fn spellings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names().map(|spelling| (self.name(), spelling))
    }

    /// The effective aliases.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        (0..self.def().aliases.len()).filter_map(|index| self.alias(index))
    }

    fn alias(&self, index: usize) -> Option<&str> {
        match self.effective.as_ref().and_then(|effective| effective.aliases.as_ref()) {
            Some(own) => own.get(index).map(|alias| &**alias),
            None => self.def().aliases.get(index).copied(),
        }
    }

    /// Whether both are the same definition.
    pub(crate) fn is(&self, other: &ToolEntry) -> bool {
        match (&self.source, &other.source) {
            (Source::Static(a), Source::Static(b)) => std::ptr::eq(*a, *b),
            (Source::Dynamic(a), Source::Dynamic(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolEntry({} from {})", self.name(), self.def().origin)
    }
}

impl Registry {
    /// Starts collecting.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// No tools at all.
    pub(crate) fn none() -> Registry {
        Registry::new(Vec::new(), Unmet::default())
    }

    /// Starts from the tools of this registry.
    pub fn to_builder(&self) -> RegistryBuilder {
        RegistryBuilder::of(self.0.tools.to_vec(), self.0.unmet)
    }

    /// The tools, sorted by name in bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ToolEntry> + Clone {
        self.0.tools.iter()
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.0.tools.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.0.tools.is_empty()
    }

    /// The tool of a name or, failing that, of an alias; exact bytes only.
    pub fn get(&self, name: &str) -> Option<&ToolEntry> {
        self.position(name).map(|(_, entry)| entry)
    }

    /// How many schemas this process has built: start-up builds none, and tests hold it to that.
    pub fn built() -> usize {
        crate::schema::built()
    }

    pub(crate) fn position(&self, name: &str) -> Option<(usize, &ToolEntry)> {
        let index = self.by_name(name).or_else(|| self.by_alias(name))?;
        self.at(index).map(|entry| (index, entry))
    }

    fn by_name(&self, name: &str) -> Option<usize> {
        let head = head(name);
        let first = self.0.heads.partition_point(|other| *other < head);
        let behind = self.0.heads.get(first..)?;
        let count = match behind {
            [_, next, ..] if *next == head => behind.partition_point(|other| *other == head),
            _ => 1,
        };
        let alike = self.0.tools.get(first..first + count)?;
        alike.binary_search_by(|entry| entry.name().cmp(name)).ok().map(|found| first + found)
    }

    fn by_alias(&self, alias: &str) -> Option<usize> {
        let place = |(tool, alias): &(usize, usize)| {
            self.at(*tool).and_then(|entry| entry.alias(*alias)).unwrap_or("")
        };
        let found = self.0.aliases.binary_search_by(|entry| place(entry).cmp(alias)).ok()?;
        self.0.aliases.get(found).map(|entry| entry.0)
    }

    pub(crate) fn at(&self, index: usize) -> Option<&ToolEntry> {
        self.0.tools.get(index)
    }

    pub(super) fn new(tools: Vec<ToolEntry>, unmet: Unmet) -> Registry {
        let mut aliases: Vec<(usize, usize)> = tools
            .iter()
            .enumerate()
            .flat_map(|(tool, entry)| (0..entry.def().aliases.len()).map(move |alias| (tool, alias)))
            .collect();
        let text = |&(tool, alias): &(usize, usize)| tools.get(tool).and_then(|entry| entry.alias(alias));
        aliases.sort_by(|a, b| text(a).cmp(&text(b)));
        let heads = tools.iter().map(|tool| head(tool.name())).collect();
        Registry(Arc::new(Inner { tools: tools.into(), heads, aliases: aliases.into(), unmet }))
    }
}

/// The first eight bytes of a name, as a number that is ordered as they are.
fn head(name: &str) -> u64 {
    let name = name.as_bytes();
    if let Some(first) = name.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    // Of four to seven bytes the first four and the last four are all; where they overlap they agree.
    if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
        return u64::from(first) << 32 | u64::from(last) << (8 * (8 - name.len()));
    }
    name.iter().rev().fold(0, |behind, byte| u64::from(*byte) << 56 | behind >> 8)
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_without_tools_is_empty() {
        assert!(Registry::none().is_empty() && Registry::none().get("").is_none());
    }

    #[test]
    fn heads_are_ordered_as_names_are() {
        let mut names = Vec::new();
        for text in ["", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi"] {
            names.extend([text.to_owned(), format!("{text}_"), format!("{text}Z"), text.to_uppercase()]);
        }
        for one in &names {
            let mut first = [0; 8];
            first.iter_mut().zip(one.bytes()).for_each(|(byte, given)| *byte = given);
            assert_eq!(head(one), u64::from_be_bytes(first), "{one}");
            for other in &names {
                let order = head(one).cmp(&head(other));
                assert!(order.is_eq() || order == one.cmp(other), "{one} and {other}");
            }
        }
    }
}
