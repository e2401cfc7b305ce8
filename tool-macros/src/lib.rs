//! The attributes of tool-core: one annotated function is a tool.
//!
//! Every entry reads its attributes and signature into plain data (`ir`), checks it (`check`) and writes paths into
//! tool-core (`emit`). All mistakes of one function come out together, each at its token.

mod check;
mod emit;
mod errors;
mod example;
#[cfg(test)]
mod expansions;
mod ir;
mod parse;
mod path;
mod suggest;
mod tool;
mod tool_set;
mod toolbox;

use proc_macro::TokenStream;

/// Makes a function a tool.
///
/// The function stays as it is written. Beside it stands a handle, `ReadLinesTool` for `read_lines`, whose `DEF` is the one
/// definition that schema, command line, MCP tool, policy and journal are read from; and the tool is registered.
///
/// ```
/// use std::path::Path;
/// use tool_core::prelude::*;
///
/// /// Counts the lines of a text file.
/// #[tool(group = "file")]
/// #[example("All lines", { "path": "notes.txt" })]
/// fn count_lines(
///     /// Path, relative to the current directory.
///     #[arg(positional, hint = "file")]
///     path: &Path,
///     /// Leave out lines that are empty.
///     filled: bool,
/// ) -> std::io::Result<usize> {
///     let text = std::fs::read_to_string(path)?;
///     Ok(text.lines().filter(|line| !filled || !line.is_empty()).count())
/// }
///
/// assert_eq!(CountLinesTool::DEF.name, "count_lines");
/// assert_eq!(CountLinesTool::DEF.params[1].name, "filled");
/// ```
///
/// The doc comment is the description that models read; its first paragraph is the summary. A parameter's comment is its
/// description. What a parameter is follows from its type: `T` is required, `Option<T>` may be left out, `bool` is a switch
/// that is off, a list is empty when left out. `&ToolContext` is the context of the call, and `#[ctx]` marks what the host
/// provides:
///
/// | `#[ctx]` | |
/// | --- | --- |
/// | `#[ctx] db: &Db`, `Arc<Db>`, `Option<&Db>` | a capability, by its type |
/// | `#[ctx(secret = "API_KEY")] key: &Secret`, `Option<&Secret>` | a secret that only this tool may read |
///
/// A tool without a word about effects only reads. One with `side_effect` or `destructive` says what a second identical call
/// does: `idempotent`, or `idempotent = false`.
///
/// | `#[tool]` | |
/// | --- | --- |
/// | `read_only`, `side_effect`, `destructive`, `idempotent`, `open_world` | what a call changes, and whether it leaves the host |
/// | `name`, `title`, `aliases` | names for calls, for people, and further ones that calls may use |
/// | `group`, `tags` | where it is listed, and words for selection and policy |
/// | `summary`, `description` | in place of the doc comment; constant expressions |
/// | `requires(secret = "KEY")`, `requires(secret(key = "KEY", label = "…", description = "…", optional, choices = ["…"]))` | secrets that the body asks the context for |
/// | `timeout = "30s"` | the longest run, in `ms`, `s`, `m` or `h`; 60 s where nothing is said |
/// | `surfaces(llm, cli, mcp)`, `hidden` | who is offered it |
/// | `terminal` | its success ends the run of an agent |
/// | `deprecated = "…"` | still works, and says so |
/// | `log` | how its result is recorded: `full`, `preview`, `length`, `hash`, `secret`, `omit` |
/// | `reconcile`, `revert`, `replay = "manual"` | what becomes of a call whose end is unknown, how it is undone, who repeats it |
/// | `paged` | the result has its own continuation |
/// | `exactly_one(a, b)`, `at_least_one(a, b)` | rules between parameters |
/// | `output` | the type of the structured result of a function that returns `ToolOutput` |
/// | `handle`, `register`, `crate` | another handle, no registration, another path to tool-core |
///
/// | `#[arg]` | |
/// | --- | --- |
/// | `name`, `aliases`, `description` | as for tools |
/// | `default`, `required` | what stands for it when it is left out; that it must be given |
/// | `range`, `len`, `item_len`, `pattern`, `choices` | bounds, enforced and in the schema |
/// | `format`, `examples` | told to callers |
/// | `any` | any JSON value |
/// | `flatten` | the fields of a struct or of a tagged enum become parameters |
/// | `with`, `schema_with` | decoding and schema by functions |
/// | `entries` | a map may travel as a list of entries |
/// | `secret`, `log` | what is recorded of it |
/// | `hint` | what a text names: `file`, `dir`, `path`, `url`, `host`, `email`, `command`, `shell` |
/// | `header` | the MCP header that carries it |
/// | `deprecated`, `hidden` | still taken, and says so; not in the help |
/// | `conflicts_with`, `requires` | other parameters that must not, or must, be given with it |
/// | `positional`, `last`, `long`, `short`, `env`, `value_name`, `stdin` | its form on the command line |
///
/// All mistakes of a function are reported at once, each at its token.
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attr.into(), item.into()).into()
}

/// Makes methods of a type tools, and the type a capability of those that take `&self`.
///
/// `group`, `tags`, `prefix` (of default names), `requires` and `crate` hold for every `#[tool]` method; what a method says
/// itself wins. The handle of `Counter::add` is `CounterAddTool`.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tool_core::prelude::*;
///
/// struct Counter(AtomicU64);
///
/// #[toolbox(group = "counter", prefix = "counter_")]
/// impl Counter {
///     /// Adds to the counter and tells what it is then.
///     #[tool(side_effect, idempotent = false)]
///     fn add(&self, /** How much. */ amount: u32) -> u64 {
///         self.0.fetch_add(amount.into(), Ordering::Relaxed) + u64::from(amount)
///     }
/// }
///
/// assert_eq!(CounterAddTool::DEF.name, "counter_add");
/// assert_eq!(Counter(AtomicU64::new(1)).add(2), 3);
/// ```
#[proc_macro_attribute]
pub fn toolbox(attr: TokenStream, item: TokenStream) -> TokenStream {
    toolbox::expand(attr.into(), item.into()).into()
}

/// A call that shows how a tool is used: a label and the arguments, and where the result matters, that too.
///
/// It stands below `#[tool]`, as often as there are examples, and is shown in help and to models. Names and literal values
/// are held against the parameters when it is compiled.
///
/// ```
/// use tool_core::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// #[example("Small ones", { "a": 1, "b": 2 } => 3)]
/// fn add(/** One. */ a: i64, /** The other. */ b: i64) -> i64 {
///     a + b
/// }
///
/// assert_eq!(AddTool::DEF.examples.len(), 1);
/// ```
#[proc_macro_attribute]
pub fn example(attr: TokenStream, item: TokenStream) -> TokenStream {
    example::expand(attr.into(), item.into()).into()
}

/// A list of tools, by their handles: a static that works on every target, without discovery.
///
/// ```
/// use tool_core::prelude::*;
///
/// /// Answers.
/// #[tool(register = false)]
/// fn ping() -> &'static str {
///     "pong"
/// }
///
/// tool_set! {
///     /// What this crate offers.
///     pub static TOOLS = [PingTool, #[cfg(windows)] WindowsTool];
/// }
///
/// # fn main() {
/// assert_eq!(TOOLS.tools.len(), 1);
/// # }
/// ```
#[proc_macro]
pub fn tool_set(item: TokenStream) -> TokenStream {
    tool_set::expand(item.into()).into()
}

#[cfg(test)]
mod tests {
    use crate::parse::keys::{ARG, CTX, SECRET, TOOL, TOOLBOX};

    #[test]
    fn every_key_is_in_the_documentation_of_its_attribute() {
        let source = include_str!("lib.rs");
        let (of_tool, rest) = source.split_once("pub fn tool(").expect("the attribute");
        let (of_toolbox, _) = rest.split_once("pub fn toolbox(").expect("the attribute");
        for (table, docs) in
            [(TOOL, of_tool), (ARG, of_tool), (CTX, of_tool), (SECRET, of_tool), (TOOLBOX, of_toolbox)]
        {
            for key in table.keys {
                let named = ["`", "(", ", ", "["].iter().any(|before| {
                    ["`", "(", " =", ",", ")"]
                        .iter()
                        .any(|after| docs.contains(&format!("{before}{}{after}", key.name)))
                });
                assert!(named, "`{}` of {}", key.name, table.attr);
            }
        }
    }
}
