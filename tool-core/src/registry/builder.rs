//! Collecting tools. Steps run in one order, whatever the order of the calls:
//! collect → expect → only → rename → prefix → names → flattened types → secrets → capabilities.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use super::header::SetHeader;
use super::names::{NAME_PATTERN, cmp_folded, is_folded, is_valid, suggestion};
use super::problem::{Problem, ProblemCode, RegistryError};
use super::select::Select;
use super::unmet::{self, Unmet};
use super::{AnyTool, Effective, Registry, Source, ToolEntry};
use crate::args::{shown_name, suggest};
use crate::context::ToolContext;
use crate::def::ToolDef;
use crate::set::ToolSet;
use crate::tool::Tool;

/// Collects tools into a [`Registry`].
#[derive(Default)]
#[must_use]
pub struct RegistryBuilder {
    tools: Vec<ToolEntry>,
    /// What is wrong with loaded libraries.
    loaded: Vec<Problem>,
    expected: Vec<&'static ToolSet>,
    only: Vec<Select>,
    renames: Vec<(String, String)>,
    prefix: Option<String>,
    context: Option<ToolContext>,
    unmet: Unmet,
}

impl RegistryBuilder {
    pub(super) fn of(tools: Vec<ToolEntry>, unmet: Unmet) -> Self {
        Self { tools, unmet, ..Self::default() }
    }

    /// Adds every tool that is linked into this program.
    ///
    /// A crate that is only in `Cargo.toml` is not linked: mention it with `use my_tools as _;` or [`crate::link!`]. A
    /// static library linked by a C compiler has no discovery, and on WebAssembly only what the linker had another reason to
    /// take is found: use [`add_set`](Self::add_set) there.
    #[cfg(all(feature = "inventory", any(not(target_family = "wasm"), feature = "wasm-inventory")))]
    pub fn discover(mut self) -> Self {
        let found = inventory::iter::<super::Registration>;
        self.tools.extend(found.into_iter().map(|registration| entry(registration.0)));
        self
    }

    /// Discovery depends on constructors that this target may never run; the feature `wasm-inventory` accepts that.
    #[cfg(all(feature = "inventory", target_family = "wasm", not(feature = "wasm-inventory")))]
    pub fn discover(self) -> Self
    where
        for<'a> &'a Self: DiscoveryIsReliable,
    {
        self
    }

    /// Adds a tool by its handle.
    pub fn add<T: Tool>(self) -> Self {
        self.add_def(T::DEF)
    }

    /// Adds a tool by its definition.
    pub fn add_def(mut self, def: &'static ToolDef<'static>) -> Self {
        self.tools.push(entry(def));
        self
    }

    /// Adds the tools of a set; works on every target.
    pub fn add_set(mut self, set: &'static ToolSet) -> Self {
        self.tools.extend(set.tools.iter().map(|def| entry(def)));
        self
    }

    /// Adds the set of a loaded library, whose header tells what it was built for.
    pub fn add_loaded(mut self, header: &'static SetHeader) -> Self {
        match header.set() {
            Ok(set) => self.add_set(set),
            Err(problem) => {
                self.loaded.push(problem);
                self
            }
        }
    }

    /// Adds a tool that is made at run time.
    pub fn add_dyn(mut self, tool: impl AnyTool + 'static) -> Self {
        self.tools.push(ToolEntry { effective: None, source: Source::Dynamic(Arc::new(tool)) });
        self
    }

    /// The tools of the set must be there after collecting.
    pub fn expect(mut self, set: &'static ToolSet) -> Self {
        self.expected.push(set);
        self
    }

    /// Keeps only what the selection keeps; several selections all apply.
    pub fn only(mut self, select: Select) -> Self {
        self.only.push(select);
        self
    }

    /// Gives a tool another name; its aliases stay.
    pub fn rename(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.renames.push((from.into(), to.into()));
        self
    }

    /// Puts a text before every name and alias.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// The context must provide what the tools need.
    pub fn capabilities(mut self, ctx: &ToolContext) -> Self {
        self.context = Some(ctx.clone());
        self
    }

    /// What becomes of tools whose capabilities a context does not provide; they are refused by default.
    pub fn unmet(mut self, unmet: Unmet) -> Self {
        self.unmet = unmet;
        self
    }

    /// The registry.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let mut problems = self.loaded;
        let mut tools = self.tools;
        if tools.iter().any(|tool| tool.effective.is_some()) {
            renamed_once(&mut tools);
        }
        sort(&mut tools);
        tools.dedup_by(|a, b| a.is(b));
        if tools.is_empty() && self.expected.is_empty() && problems.is_empty() {
            problems.push(nothing_linked());
        }
        expect(&self.expected, &tools, &mut problems);
        let mut tools = select(&self.only, tools, &mut problems);
        rename(&self.renames, &mut tools, &mut problems);
        if let Some(prefix) = &self.prefix {
            for tool in &mut tools {
                let prefixed = |name: &str| format!("{prefix}{name}").into_boxed_str();
                let aliases: Box<[_]> = tool.aliases().map(prefixed).collect();
                let name = Some(prefixed(tool.name()));
                tool.effective = Some(Box::new(Effective { name, aliases: Some(aliases) }));
            }
        }
        if self.prefix.is_some() || !self.renames.is_empty() {
            sort(&mut tools);
        }
        check_names(&tools, &mut problems);
        check_flattened(&tools, &mut problems);
        check_secrets(&tools, &mut problems);
        if let (Some(ctx), Unmet::Refuse) = (&self.context, self.unmet) {
            problems.extend(unmet::problems(&tools, ctx));
        }
        if problems.is_empty() {
            Ok(Registry::new(tools, self.unmet))
        } else {
            Err(RegistryError::new(problems))
        }
    }
}

impl std::fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegistryBuilder").field("tools", &self.tools).finish_non_exhaustive()
    }
}

/// What no type has: on this target, [`RegistryBuilder::discover`] does not compile.
#[cfg(all(feature = "inventory", target_family = "wasm", not(feature = "wasm-inventory")))]
#[diagnostic::on_unimplemented(
    message = "`discover` is not reliable on this target; list the tools with `tool_set!` and use `add_set`"
)]
pub trait DiscoveryIsReliable {}

fn entry(def: &'static ToolDef<'static>) -> ToolEntry {
    ToolEntry { effective: None, source: Source::Static(def) }
}

/// By effective name; equal names by origin, so that messages do not depend on the order of linking.
fn sort(tools: &mut Vec<ToolEntry>) {
    fn place(entry: &ToolEntry) -> (&str, &str, u32) {
        let origin = entry.def().origin;
        (origin.source.krate, origin.source.file, origin.line)
    }
    // Every start of a program sorts all of its tools, and again where they may have got other names.
    if tools.is_sorted_by(|a, b| a.name() < b.name()) {
        return;
    }
    let tie = |a: &ToolEntry, b: &ToolEntry| if a.is(b) { Ordering::Equal } else { place(a).cmp(&place(b)) };
    let rest = |a: &ToolEntry, b: &ToolEntry| a.name().cmp(b.name()).then_with(|| tie(a, b));
    let mut begun: Vec<(u128, ToolEntry)> =
        tools.drain(..).map(|tool| (beginning(tool.name()), tool)).collect();
    begun.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| rest(&a.1, &b.1)));
    tools.extend(begun.into_iter().map(|(_, tool)| tool));
}

/// The first bytes of a name as a number, which decides the order of almost all pairs: greater where the bytes are.
fn beginning(name: &str) -> u128 {
    let mut bytes = [0; 16];
    for (slot, byte) in bytes.iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    u128::from_be_bytes(bytes)
}

fn problem(code: ProblemCode, tool: &str, tools: &[&ToolEntry], text: String) -> Problem {
    let origins = tools.iter().map(|entry| entry.def().origin.to_string()).collect();
    Problem { code, tool: tool.to_owned(), origins, text, hint: None }
}

fn nothing_linked() -> Problem {
    let hint =
        "no tool crate is linked: mention one with `use my_tools as _;`, or use `tool_set!` and `add_set`";
    let text = "no tool is registered".to_owned();
    Problem { hint: Some(hint.to_owned()), ..problem(ProblemCode::Empty, "", &[], text) }
}

/// Keeps every definition once, as it came first: one that has another name by now is sorted away from itself.
fn renamed_once(tools: &mut Vec<ToolEntry>) {
    let mut seen = HashSet::with_capacity(tools.len());
    tools.retain(|tool| seen.insert(std::ptr::from_ref(tool.def()).addr()));
}

fn expect(sets: &[&'static ToolSet], tools: &[ToolEntry], problems: &mut Vec<Problem>) {
    for set in sets {
        // A set that names tools without linking them has definitions of its own: a tool is its name and its crate.
        let is = |def: &ToolDef<'_>, other: &ToolDef<'_>| {
            def.name == other.name && def.origin.source.krate == other.origin.source.krate
        };
        let is_there = |def: &ToolDef<'_>| tools.iter().any(|entry| is(entry.def(), def));
        let lost = set.tools.iter().filter(|def| !is_there(def));
        problems.extend(lost.map(|def| {
            let text = format!("set `{}` expects `{}`, but it is not linked", set.name, def.name);
            let hint = format!(
                "mention its crate with `use {} as _;`, or add the set with `add_set`",
                def.origin.source.krate.replace('-', "_")
            );
            Problem { hint: Some(hint), ..problem(ProblemCode::Missing, def.name, &[], text) }
        }));
    }
}

fn select(selections: &[Select], mut tools: Vec<ToolEntry>, problems: &mut Vec<Problem>) -> Vec<ToolEntry> {
    for select in selections {
        problems.extend(select.unmatched(&tools).map(|(pattern, near)| {
            let mut text = format!("the pattern `{}` matches no tool", shown_name(pattern));
            text.push_str(&did_you_mean(&near));
            problem(ProblemCode::SelectionEmpty, "", &[], text)
        }));
    }
    tools.retain(|entry| selections.iter().all(|select| select.keeps(entry)));
    tools
}

fn rename(renames: &[(String, String)], tools: &mut [ToolEntry], problems: &mut Vec<Problem>) {
    // All names are those before any renaming, so that two tools can exchange theirs.
    let places: Vec<_> =
        renames.iter().map(|(from, _)| tools.iter().position(|entry| entry.name() == from)).collect();
    for ((from, to), place) in renames.iter().zip(places) {
        if let Some(tool) = place.and_then(|place| tools.get_mut(place)) {
            let aliases = tool.effective.take().and_then(|effective| effective.aliases);
            tool.effective = Some(Box::new(Effective { name: Some(to.as_str().into()), aliases }));
            continue;
        }
        let near = suggest(from, tools.iter().map(|entry| (entry.name(), entry.name())));
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        let text = format!("there is no tool `{}` to rename{}", shown_name(from), did_you_mean(&near));
        problems.push(problem(ProblemCode::RenameUnknown, from, &[], text));
    }
}

fn did_you_mean(near: &[String]) -> String {
    near.first().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn check_names(tools: &[ToolEntry], problems: &mut Vec<Problem>) {
    for tool in tools {
        for name in tool.names().filter(|name| !is_valid(name)) {
            let shown: String = name.chars().take(80).collect();
            let text = format!("`{shown}` must match {NAME_PATTERN}; try `{}`", suggestion(name));
            problems.push(problem(ProblemCode::NameInvalid, tool.name(), &[tool], text));
        }
    }
    for pair in tools.windows(2) {
        if let [a, b] = pair
            && a.name() == b.name()
        {
            let text =
                format!("two tools are called `{}`: {} and {}", a.name(), a.def().origin, b.def().origin);
            let hint = Some("rename one with `name = \"…\"`, or prefix a set".to_owned());
            problems.push(Problem { hint, ..problem(ProblemCode::DuplicateName, a.name(), &[a, b], text) });
        }
    }
    check_folded(tools, problems);
    check_aliases(tools, problems);
}

fn check_folded(tools: &[ToolEntry], problems: &mut Vec<Problem>) {
    if tools.iter().all(|tool| is_folded(tool.name())) {
        return;
    }
    let mut by_folded: Vec<&ToolEntry> = tools.iter().collect();
    by_folded.sort_by(|a, b| cmp_folded(a.name(), b.name()).then_with(|| a.name().cmp(b.name())));
    for pair in by_folded.windows(2) {
        if let [a, b] = pair
            && a.name() != b.name()
            && cmp_folded(a.name(), b.name()).is_eq()
        {
            let (oa, ob) = (a.def().origin, b.def().origin);
            let text = format!(
                "`{}` ({oa}) and `{}` ({ob}) differ only in case or in `-` and `_`",
                a.name(),
                b.name()
            );
            problems.push(problem(ProblemCode::NameClash, a.name(), &[a, b], text));
        }
    }
}

fn check_aliases(tools: &[ToolEntry], problems: &mut Vec<Problem>) {
    let mut names: Vec<(&str, bool, &ToolEntry)> = Vec::new();
    for tool in tools.iter() {
        names.extend(tool.aliases().map(|alias| (alias, true, tool)));
    }
    if names.is_empty() {
        return;
    }
    names.extend(tools.iter().map(|tool| (tool.name(), false, tool)));
    names.sort_by(|a, b| (a.0, a.1, a.2.name()).cmp(&(b.0, b.1, b.2.name())));
    for pair in names.windows(2) {
        if let [(name, _, owner), (same, true, tool)] = pair
            && name == same
            && !tool.is(owner)
        {
            let (ot, oo) = (tool.def().origin, owner.def().origin);
            let text =
                format!("alias `{name}` of `{}` ({ot}) is a name of `{}` ({oo})", tool.name(), owner.name());
            problems.push(problem(ProblemCode::AliasClash, tool.name(), &[tool, owner], text));
        }
    }
}

/// Looks into the flattened types of the tools that have any; the others build no schema here.
fn check_flattened(tools: &[ToolEntry], problems: &mut Vec<Problem>) {
    for tool in tools.iter().filter(|tool| tool.def().params.iter().any(|param| param.keys.flatten)) {
        if let Some(found) = tool.def().input_problem() {
            let code = ProblemCode::of_schema(found.code);
            problems.push(problem(code, tool.name(), &[tool], found.sentence(tool.name())));
        }
    }
}

fn check_secrets(tools: &[ToolEntry], problems: &mut Vec<Problem>) {
    let mut declared: Vec<(&str, &[&str], &ToolEntry)> = Vec::new();
    for tool in tools.iter() {
        for secret in tool.def().secrets {
            let other =
                declared.iter().find(|(key, choices, _)| *key == secret.key && *choices != secret.choices);
            if let Some((_, _, other)) = other {
                let text = format!(
                    "`{}` and `{}` declare the secret `{}` with different choices",
                    other.name(),
                    tool.name(),
                    secret.key
                );
                problems.push(problem(ProblemCode::SecretConflict, other.name(), &[other, tool], text));
            } else {
                declared.push((secret.key, secret.choices, tool));
            }
        }
    }
}
