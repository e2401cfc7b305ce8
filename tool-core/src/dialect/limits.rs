//! What the providers allow, each row with its page and date. Nothing else under `dialect/` knows such a number.

use std::collections::BTreeMap;
use std::fmt;

/// A limit of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Who sets it: `anthropic`, `openai`, `gemini`, `mcp`, or `all`.
    pub of: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What is allowed.
    pub value: Amount,
    /// The page that says so.
    pub source: &'static str,
    /// When the page was read, year and month.
    pub as_of: &'static str,
}

/// What a limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A number.
    Number(usize),
    /// A pattern.
    Text(&'static str),
    /// A list of media types.
    List(&'static [&'static str]),
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Number(number) => write!(f, "{number}"),
            Amount::Text(text) => f.write_str(text),
            Amount::List(list) => f.write_str(&list.join(" ")),
        }
    }
}

macro_rules! limits {
    ($($of:ident $name:ident $kind:ident $value:expr, $source:literal, $as_of:literal;)*) => {
        $(
            #[doc = concat!("A row of the table, set by `", stringify!($of), "`.")]
            pub const $name: Limit = Limit {
                of: stringify!($of),
                name: stringify!($name),
                value: Amount::$kind($value),
                source: $source,
                as_of: $as_of,
            };
        )*
        /// Every row.
        pub const ALL: &[Limit] = &[$($name),*];
    };
}

limits! {
    anthropic ANTHROPIC_NAME Text "^[a-zA-Z0-9_-]{1,64}$", "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools", "2026-11";
    anthropic ANTHROPIC_STRICT_TOOLS Number 20, "https://platform.claude.com/docs/en/build-with-claude/structured-outputs", "2026-11";
    anthropic ANTHROPIC_STRICT_OPTIONAL Number 24, "https://platform.claude.com/docs/en/build-with-claude/structured-outputs", "2026-11";
    anthropic ANTHROPIC_STRICT_UNIONS Number 16, "https://platform.claude.com/docs/en/build-with-claude/structured-outputs", "2026-11";
    anthropic ANTHROPIC_TOOLS_ADVISED Number 30, "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool", "2026-11";
    anthropic ANTHROPIC_TOOLS Number 10_000, "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool", "2026-11";
    anthropic ANTHROPIC_IMAGE_TYPES List &["image/jpeg", "image/png", "image/gif", "image/webp"], "https://platform.claude.com/docs/en/build-with-claude/vision", "2026-11";
    openai OPENAI_NAME Text "^[a-zA-Z0-9_-]{1,64}$", "https://developers.openai.com/api/reference/chat/completions", "2026-11";
    openai OPENAI_TOOLS Number 128, "https://developers.openai.com/api/reference/chat/completions", "2026-11";
    openai OPENAI_TOOLS_ADVISED Number 20, "https://developers.openai.com/docs/guides/function-calling", "2026-11";
    openai OPENAI_STRICT_PROPERTIES Number 5_000, "https://developers.openai.com/docs/guides/structured-outputs", "2026-11";
    openai OPENAI_STRICT_DEPTH Number 10, "https://developers.openai.com/docs/guides/structured-outputs", "2026-11";
    openai OPENAI_STRICT_CHARS Number 120_000, "https://developers.openai.com/docs/guides/structured-outputs", "2026-11";
    openai OPENAI_STRICT_ENUM_VALUES Number 1_000, "https://developers.openai.com/docs/guides/structured-outputs", "2026-11";
    openai OPENAI_STRICT_LONG_ENUM Number 250, "https://developers.openai.com/docs/guides/structured-outputs", "2026-11";
    openai OPENAI_STRICT_ENUM_CHARS Number 15_000, "https://developers.openai.com/docs/guides/structured-outputs", "2026-11";
    openai OPENAI_IMAGE_TYPES List &["image/png", "image/jpeg", "image/webp", "image/gif"], "https://developers.openai.com/docs/guides/images-vision", "2026-11";
    gemini GEMINI_NAME Text "^[A-Za-z_][A-Za-z0-9_]{0,63}$", "https://ai.google.dev/api/caching#FunctionDeclaration", "2026-11";
    gemini GEMINI_PARAM_NAME Text "^[A-Za-z_][A-Za-z0-9_]{0,63}$", "https://ai.google.dev/api/caching#FunctionDeclaration", "2026-11";
    gemini GEMINI_NAME_CHARS Number 64, "https://ai.google.dev/api/caching#FunctionDeclaration", "2026-11";
    gemini GEMINI_TOOLS Number 512, "https://ai.google.dev/gemini-api/docs/function-calling (text of the API's error)", "2026-11";
    gemini GEMINI_TOOLS_ADVISED Number 20, "https://ai.google.dev/gemini-api/docs/function-calling", "2026-11";
    gemini GEMINI_MAX_ITEMS_SUM Number 900, "https://github.com/googleapis/python-genai/issues/2170", "2026-11";
    gemini GEMINI_MEDIA_TYPES List &["image/png", "image/jpeg", "image/webp", "application/pdf"], "https://ai.google.dev/gemini-api/docs/function-calling", "2026-11";
    mcp MCP_NAME Number 64, "https://modelcontextprotocol.io/specification/2026-07-28/server/tools", "2026-11";
    mcp MCP_PAGE Number 100, "https://modelcontextprotocol.io/specification/2026-07-28/server/tools", "2026-11";
    mcp MCP_DESCRIPTION_BYTES Number 2_048, "https://code.claude.com/docs/en/mcp (a client cuts there)", "2026-11";
    all RESULT_BYTES Number 65_536, "ours, no page: https://modelcontextprotocol.io has no limit of its own", "2026-11";
    all IMAGE_BYTES Number 3_750_000, "ours: 5 MB of base64, https://platform.claude.com/docs/en/build-with-claude/vision", "2026-11";
}

impl Limit {
    /// The media types of a list.
    pub fn types(&self) -> &'static [&'static str] {
        match self.value {
            Amount::List(types) => types,
            Amount::Number(_) | Amount::Text(_) => &[],
        }
    }

    /// The number, where it is one.
    pub fn number(&self) -> usize {
        match self.value {
            Amount::Number(number) => number,
            Amount::Text(_) | Amount::List(_) => usize::MAX,
        }
    }
}

/// The table with what a program has set otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(BTreeMap<&'static str, usize>);

impl Limits {
    /// Sets a number of the table otherwise.
    #[must_use]
    pub fn with(mut self, limit: Limit, value: usize) -> Limits {
        self.0.insert(limit.name, value);
        self
    }

    /// The number that holds.
    pub fn get(&self, limit: Limit) -> usize {
        self.0.get(limit.name).copied().unwrap_or_else(|| limit.number())
    }
}
