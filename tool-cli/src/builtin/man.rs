//! `man`: manual pages, one for the program and one for each group and command.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use jiff::Timestamp;
use serde_json::json;
use tool_core::prelude::*;

use super::Program;
use crate::files;
use crate::help::Detail;
use crate::options::{FIXED, Form};

/// Bytes of a line of source text (`mandoc -Tlint` asks for it).
const LINE: usize = 78;

/// Writes manual pages.
///
/// Prints the page of the program; with `--out DIR` writes that of every command into the directory. SOURCE_DATE_EPOCH
/// sets their date.
#[tool(register = false)]
pub(crate) fn man(#[ctx] program: &Program) -> ToolResult {
    let mut command = program.clap_command(Form::Page(Detail::Full))?;
    command.build();
    let writer = Writer { source: format!("{} {}", program.name, program.version), date: date(program) };
    let Some(directory) = &program.directory else {
        return Ok(ToolOutput::text(writer.page(&command)?));
    };
    let mut pages = Vec::new();
    writer.collect(&command, &mut pages)?;
    Ok(ToolOutput::structured(json!(files::write(directory, &pages)?)))
}

/// The day of the pages: that of the sources, as reproducible-builds.org specifies it, else today.
fn date(program: &Program) -> String {
    let given = program.source_date.as_ref().and_then(|seconds| seconds.parse().ok());
    let moment = given.and_then(|seconds| Timestamp::from_second(seconds).ok());
    moment.unwrap_or_else(Timestamp::now).strftime("%Y-%m-%d").to_string()
}

struct Writer {
    source: String,
    date: String,
}

impl Writer {
    /// The pages of a command and of all below it, with the names of their files.
    fn collect(&self, command: &Command, pages: &mut Vec<(String, String)>) -> Result<(), ToolError> {
        pages.push((format!("{}.1", name(command)), self.page(command)?));
        command.get_subcommands().try_for_each(|below| self.collect(below, pages))
    }

    fn page(&self, command: &Command) -> Result<String, ToolError> {
        let man = Man::new(command.clone())
            .title(name(command).to_uppercase())
            .source(self.source.trim_end())
            .date(self.date.as_str())
            .manual("User Commands");
        let mut bytes = Vec::new();
        let rendered = man.render(&mut bytes);
        rendered.map_err(|error| ToolError::internal("The manual page cannot be rendered.").source(error))?;
        let text = String::from_utf8_lossy(&bytes).into_owned() + &examples(command);
        Ok(tidy(&unbroken(&text)))
    }
}

fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The examples, each line by itself. The tree keeps them where clap shows nothing behind the options.
fn examples(command: &Command) -> String {
    let Some(text) = command.get_before_long_help() else { return String::new() };
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in text.to_string().lines().skip(1) {
        roff.text([roman(line.trim_start())]);
    }
    roff.control("fi", []);
    roff.to_roff()
}

/// The longest bracket that is kept on one line: a longer one would stand out of a narrow page.
const BRACKET: usize = 32;

/// The page with the blanks of its brackets as those at which readers break no line.
fn unbroken(page: &str) -> String {
    let blank = |word: &str| if word.chars().count() > BRACKET { " " } else { "\\~" };
    page.split_inclusive([' ', '\n']).map(|word| word.replace(FIXED, blank(word))).collect()
}

/// No word is broken, and no blanks are added: what a page shows of names and lines can be copied.
const PLAIN: &str = ".nh\n.ad l\n";

/// The page without blanks at the ends of lines, its running text in lines of [`LINE`].
fn tidy(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let (mut running, mut tag) = (true, false);
    for line in page.lines().map(str::trim_end) {
        running = if line == ".nf" { false } else { running || line == ".fi" };
        let request = line.starts_with(['.', '\'']);
        if request || tag || !running {
            out.push_str(line);
        } else {
            wrap(line, &mut out);
        }
        tag = line == ".TP";
        out.push('\n');
        if line.starts_with(".TH ") {
            out.push_str(PLAIN);
        }
    }
    out
}

/// Breaks a line at blanks, but not in front of a word that would begin a request.
fn wrap(line: &str, out: &mut String) {
    let mut length = 0;
    for word in line.split(' ') {
        if length > 0 {
            let fits = length + 1 + word.len() <= LINE || word.starts_with(['.', '\'']) || word.is_empty();
            out.push(if fits { ' ' } else { '\n' });
            length = if fits { length + 1 } else { 0 };
        }
        out.push_str(word);
        length += word.len();
    }
}
