"""The peers: what each is called, which crate of the registry it is, and how one more tool is written for it.

A generated program has N tools with four parameters each (a text, a bounded number with a default, a list, an option), and
answers `start` and `list COUNT` through `question::show`.
"""

import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    name: str  # in the table
    folder: str  # here, and of the package `peer-NAME`
    crate: str | None  # of the registry, whose version the lock file knows
    head: str  # the program before its tools
    tool: str  # one tool; @ is its number
    tail: str  # the program behind its tools
    each: dict[str, str] = field(default_factory=dict)  # further lists of one line a tool, by the name that `tail` gives them
    struct: bool = False  # whether every tool has a struct that derives
    group: str = ""  # what stands between the tools and `tail` for every hundred tools; #number is its number, and `each` is of these
    of_groups: dict[str, str] = field(default_factory=dict)  # lists of one line a group, by the name that `tail` gives them

    def program(self, count: int) -> str:
        """The source of a program with so many tools."""
        tools = "".join(self.tool.replace("@", str(at)) for at in range(count))
        if not self.group:
            return self.head + tools + listed(self.tail, self.each, "@", range(count))
        starts = range(0, count, GROUPED)
        groups = "".join(
            listed(self.group, self.each, "@", range(start, min(start + GROUPED, count))).replace("#number", str(at))
            for at, start in enumerate(starts)
        )
        return self.head + tools + groups + listed(self.tail, self.of_groups, "#number", range(len(starts)))

    @property
    def dependencies(self) -> list[str]:
        return DEPENDENCIES[self.folder]


def listed(text: str, lists: dict[str, str], mark: str, numbers: range) -> str:
    """A text with its lists filled in: one line for each number."""
    for name, line in lists.items():
        text = text.replace(f"@{name}@", "".join(line.replace(mark, str(at)) for at in numbers))
    return text


GROUPED = 100  # how many commands somebody would write into one enum, or methods into one block

DEPENDENCIES = {
    "annotated": ["tool-core"],
    "by_hand": ["clap", "schemars", "serde", "serde_json"],
    "rmcp": ["rmcp", "schemars", "serde", "serde_json"],
    "rig": ["rig-core", "schemars", "serde", "serde_json"],
    "llm_tool": ["llm-tool", "schemars", "serde", "serde_json"],
    "tools_rs": ["inventory", "serde", "serde_json", "tools-rs", "tools_core", "tools_macros"],
    "server_less": ["clap", "serde", "serde_json", "server-less"],
}

FIELDS = """
    /// Words to look for.
    query: String,
    /// Maximum number of hits.
    #[schemars(range(min = 1, max = 100))]
    #[serde(default = "ten")]
    limit: u32,
    /// Keep hits that carry one of these tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Drop hits below this score.
    min_score: Option<f64>,
"""

BOUNDED = """    if !(1..=100).contains(&limit) {
        return Err(FAILED(format!("limit must be from 1 to 100, not {limit}")));
    }
    Ok(format!("{query} {limit} {tags:?} {min_score:?} @"))
"""

ANNOTATED = Peer(
    name="this",
    folder="annotated",
    crate=None,
    head="""//! Annotated functions.
use tool_core::dialect::{Dialect as _, DialectId, Plan, PlanOptions};
use tool_core::prelude::*;
use tool_core::Registry;

""",
    tool="""/// Searches the catalogue number @.
#[tool]
fn search_@(
    /// Words to look for.
    query: &str,
    /// Maximum number of hits.
    #[arg(range = 1..=100, default = 10)]
    limit: u32,
    /// Keep hits that carry one of these tags.
    tags: Vec<String>,
    /// Drop hits below this score.
    min_score: Option<f64>,
) -> String {
    format!("{query} {limit} {tags:?} {min_score:?} @")
}

""",
    tail="""struct Tools(Registry, Option<Plan>);

impl question::Listed for Tools {
    fn list(&mut self) -> Vec<u8> {
        let Tools(registry, plan) = self;
        let plan = plan.get_or_insert_with(|| {
            let entries: Vec<_> = registry.iter().collect();
            DialectId::Mcp20251125.plan(&entries, &PlanOptions::default()).unwrap()
        });
        plan.text().as_bytes().to_vec()
    }
}

fn main() {
    question::show(Tools(Registry::builder().discover().build().unwrap(), None));
}
""",
)

BY_HAND = Peer(
    name="by hand",
    folder="by_hand",
    crate="clap",
    struct=True,
    head="""//! Structs that derive what a hand-written tool needs, for models and the command line.
use clap::{CommandFactory, Parser, Subcommand};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

fn ten() -> u32 {
    10
}

""",
    tool="""/// Searches the catalogue number @.
#[derive(Deserialize, JsonSchema, clap::Args)]
#[serde(deny_unknown_fields)]
struct Search@ {"""
    + FIELDS.replace("#[serde(default)]", "#[arg(long)]\n    #[serde(default)]")
    .replace("#[serde(default = ", "#[arg(long, default_value_t = 10)]\n    #[serde(default = ")
    .replace("    min_score", "    #[arg(long)]\n    min_score")
    + """}

impl Search@ {
    fn run(self) -> Result<String, String> {
        let Search@ { query, limit, tags, min_score } = self;
        if !(1..=100).contains(&limit) {
            return Err(format!("limit must be from 1 to 100, not {limit}"));
        }
        Ok(search_@(&query, limit, tags, min_score))
    }
}

fn search_@(query: &str, limit: u32, tags: Vec<String>, min_score: Option<f64>) -> String {
    format!("{query} {limit} {tags:?} {min_score:?} @")
}

""",
    each={
        "commands": "    Search@(Search@),\n",
        "runs": "            Group#number::Search@(args) => args.run(),\n",
        "calls": '        "search_@" => read::<Search@>(args).and_then(Search@::run),\n',
        "lists": '        described::<Search@>("search_@", "Searches the catalogue number @."),\n',
    },
    group="""#[derive(Subcommand)]
enum Group#number {
@commands@}

impl Group#number {
    fn run(self) -> Result<String, String> {
        match self {
@runs@        }
    }
}

fn call_#number(tool: &str, args: &str) -> Option<Result<String, String>> {
    Some(match tool {
@calls@        _ => return None,
    })
}

fn list_#number() -> Vec<serde_json::Value> {
    vec![
@lists@    ]
}

""",
    of_groups={
        "commands": "    #[command(flatten)]\n    Group#number(Group#number),\n",
        "runs": "        Command::Group#number(group) => group.run(),\n",
        "calls": "        .or_else(|| call_#number(tool, args))\n",
        "lists": "    tools.extend(list_#number());\n",
    },
    tail="""#[derive(Parser)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
@commands@}

fn run(command: Command) -> Result<String, String> {
    match command {
@runs@    }
}

fn read<T: serde::de::DeserializeOwned>(args: &str) -> Result<T, String> {
    serde_json::from_str(args).map_err(|error| format!("the arguments do not fit: {error}"))
}

fn call(tool: &str, args: &str) -> Result<String, String> {
    None
@calls@        .unwrap_or_else(|| Err(format!("there is no tool {tool}")))
}

fn described<T: JsonSchema>(name: &str, description: &str) -> serde_json::Value {
    serde_json::json!({"name": name, "description": description, "inputSchema": schema_for!(T)})
}

fn list() -> Vec<u8> {
    let mut tools = Vec::new();
@lists@    serde_json::to_vec(&tools).unwrap()
}

struct Tools(Vec<u8>);

impl question::Listed for Tools {
    fn list(&mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0 = list();
        }
        self.0.clone()
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    match words.get(1).map(String::as_str) {
        Some("call") => println!("{:?}", call(&words[2], &words[3])),
        Some("command") => println!("{:?}", run(Program::parse_from(&words[1..]).command)),
        _ => {
            // What clap makes at every start of a command line.
            std::hint::black_box(Program::command());
            question::show(Tools(Vec::new()));
        }
    }
}
""",
)

RMCP = Peer(
    name="rmcp",
    folder="rmcp",
    crate="rmcp",
    struct=True,
    head="""//! Methods of an MCP server with one struct each.
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

fn ten() -> u32 {
    10
}

""",
    tool="""#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search@ {"""
    + FIELDS
    + """}

""",
    each={
        "methods": """    /// Searches the catalogue number @.
    #[tool]
    fn search_@(&self, Parameters(args): Parameters<Search@>) -> Result<String, String> {
        let Search@ { query, limit, tags, min_score } = args;
"""
        + BOUNDED.replace("FAILED(", "(")
        + "    }\n"
    },
    tail="""struct Server;

#[tool_router]
impl Server {
@methods@}

struct Tools(ToolRouter<Server>);

impl question::Listed for Tools {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&self.0.list_all()).unwrap()
    }
}

fn main() {
    question::show(Tools(Server::tool_router()));
}
""",
)

PARAMETERS = """
    /// Words to look for.
    query: String,
    /// Maximum number of hits.
    limit: Option<u32>,
    /// Keep hits that carry one of these tags.
    tags: Option<Vec<String>>,
    /// Drop hits below this score.
    min_score: Option<f64>,
"""
DEFAULTS = "    let (limit, tags) = (limit.unwrap_or(10), tags.unwrap_or_default());\n"

RIG = Peer(
    name="rig",
    folder="rig",
    crate="rig-core",
    struct=True,
    head="""//! Functions of which rig's macro makes structs.
use std::collections::HashMap;

use rig_core::tool::{ErasedTool, ToolExecutionError};
use serde_json::json;

""",
    tool="""/// Searches the catalogue number @.
#[rig_core::rig_tool]
fn search_@("""
    + PARAMETERS
    + """) -> Result<String, ToolExecutionError> {
"""
    + DEFAULTS
    + BOUNDED.replace("FAILED(", "ToolExecutionError::invalid_args(")
    + """}

""",
    each={"adds": "        Box::new(Search@),\n"},
    tail="""struct Tools(HashMap<String, Box<dyn ErasedTool>>);

impl question::Listed for Tools {
    fn list(&mut self) -> Vec<u8> {
        let tools = self.0.values().map(
            |tool| json!({"name": tool.name(), "description": tool.description(), "parameters": tool.parameters()}),
        );
        serde_json::to_vec(&tools.collect::<Vec<_>>()).unwrap()
    }
}

fn main() {
    let tools: Vec<Box<dyn ErasedTool>> = vec![
@adds@    ];
    question::show(Tools(tools.into_iter().map(|tool| (tool.name(), tool)).collect()));
}
""",
)

LLM_TOOL = Peer(
    name="llm-tool",
    folder="llm_tool",
    crate="llm-tool",
    struct=True,
    head="""//! Functions of which llm-tool's macro makes structs.
use llm_tool::{ToolError, ToolRegistry, llm_tool};

""",
    tool="""/// Searches the catalogue number @.
#[llm_tool]
fn search_@("""
    + PARAMETERS
    + """) -> Result<String, ToolError> {
"""
    + DEFAULTS
    + BOUNDED.replace("FAILED(", "ToolError::new(")
    + """}

""",
    each={"adds": "    registry.register(Search@);\n"},
    tail="""struct Tools(ToolRegistry);

impl question::Listed for Tools {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&self.0.definitions_slice()[..]).unwrap()
    }
}

fn main() {
    let mut registry = ToolRegistry::new();
@adds@    question::show(Tools(registry));
}
""",
)

TOOLS_RS = Peer(
    name="tools-rs",
    folder="tools_rs",
    crate="tools-rs",
    struct=True,
    head="""//! Functions that tools-rs collects by linking, each with a struct of its macro.
use tools_rs::{ToolCollection, collect_tools, tool};

""",
    tool="""/// Searches the catalogue number @.
#[tool]
async fn search_@(query: String, limit: Option<u32>, tags: Option<Vec<String>>, min_score: Option<f64>) -> Result<String, String> {
"""
    + DEFAULTS
    + BOUNDED.replace("FAILED(", "(")
    + """}

""",
    tail="""struct Tools(ToolCollection);

impl question::Listed for Tools {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&self.0.json().unwrap()).unwrap()
    }
}

fn main() {
    question::show(Tools(collect_tools()));
}
""",
)

SERVER_LESS = Peer(
    name="server-less",
    folder="server_less",
    crate="server-less",
    head="""//! Methods of which server-less makes tools of MCP.
use server_less::tool;

""",
    tool="",
    each={
        "methods": """    /// Searches the catalogue number @.
    pub fn search_@(
        &self,
        #[param(help = "Words to look for.")] query: String,
        #[param(help = "Maximum number of hits.")] limit: Option<u32>,
        #[param(help = "Keep hits that carry one of these tags.")] tags: Option<Vec<String>>,
        #[param(help = "Drop hits below this score.")] min_score: Option<f64>,
    ) -> Result<String, String> {
"""
        + DEFAULTS
        + BOUNDED.replace("FAILED(", "(")
        + "    }\n"
    },
    group="""struct Service#number;

#[tool]
impl Service#number {
@methods@}

""",
    of_groups={"lists": "        tools.extend(Service#number::mcp_tools());\n"},
    tail="""struct Services;

impl question::Listed for Services {
    fn list(&mut self) -> Vec<u8> {
        let mut tools = Vec::new();
@lists@        serde_json::to_vec(&tools).unwrap()
    }
}

fn main() {
    if let [_, _, name, args] = &std::env::args().collect::<Vec<_>>()[..] {
        println!("{:?}", Service0.mcp_call(name, serde_json::from_str(args).unwrap()));
        return;
    }
    question::show(Services);
}
""",
)

PEERS = [ANNOTATED, BY_HAND, RMCP, RIG, LLM_TOOL, TOOLS_RS, SERVER_LESS]

# Those that are measured now: all, or those that the variable names by their folders.
ASKED = [peer for peer in PEERS if peer.folder in os.environ.get("TOOL_PEERS", peer.folder).split()]
