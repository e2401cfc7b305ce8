//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use tool_agent::model::http::{DEFAULT_MAX_OUTPUT, DEFAULT_TIMEOUT};
use tool_core::dialect::DialectId;

/// The providers by the name that the command line has for them.
const PROVIDERS: [(&str, DialectId); 4] = [
    ("anthropic", DialectId::Anthropic),
    ("openai", DialectId::OpenAiChat),
    ("openai-responses", DialectId::OpenAiResponses),
    ("gemini", DialectId::Gemini),
];

/// What was asked for.
pub(crate) struct Options {
    pub(crate) dialect: DialectId,
    pub(crate) model: String,
    pub(crate) base_url: Option<String>,
    pub(crate) stream: bool,
    pub(crate) max_output: u32,
    pub(crate) timeout: Duration,
    pub(crate) root: PathBuf,
    pub(crate) prompt: String,
}

impl Options {
    /// Reads the command line of this process; help and mistakes end it.
    pub(crate) fn read() -> Option<Options> {
        let matches = command().get_matches();
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let provider = text("provider")?;
        Some(Options {
            dialect: PROVIDERS.iter().find(|row| row.0 == provider)?.1,
            model: text("model")?,
            base_url: text("base-url"),
            stream: matches.get_flag("stream"),
            max_output: matches.get_one("max-output").copied().unwrap_or(DEFAULT_MAX_OUTPUT),
            timeout: matches.get_one("timeout").copied().unwrap_or(DEFAULT_TIMEOUT),
            root: path(&matches)?,
            prompt: text("prompt")?,
        })
    }
}

fn path(matches: &ArgMatches) -> Option<PathBuf> {
    matches.get_one::<PathBuf>("root").cloned()
}

fn command() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let names = PROVIDERS.map(|row| row.0);
    Command::new("agent")
        .about("Answers a question about a directory.")
        .after_help(
            "The key of the provider is read from ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY.",
        )
        .arg(option("provider", "NAME", "Whose API is spoken").required(true).value_parser(names))
        .arg(option("model", "NAME", "The model, by the provider's name").required(true))
        .arg(option("base-url", "URL", "Another server that speaks the same API"))
        .arg(option("stream", "", "Take replies in pieces").action(ArgAction::SetTrue))
        .arg(
            option("max-output", "TOKENS", "Most tokens of a reply [default: 8192]")
                .value_parser(value_parser!(u32).range(1..)),
        )
        .arg(option("timeout", "TIME", "How long a request may take [default: 120s]").value_parser(duration))
        .arg(option("root", "DIR", "The directory").default_value(".").value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("prompt").value_name("PROMPT").help("The question").required(true))
}

fn duration(text: &str) -> Result<Duration, String> {
    tool_cli::duration::parse(text)
        .ok_or_else(|| "expected a number with a unit, such as 30s or 2m".to_owned())
}
