//! `cli`: the command of a tool can be built, its help names every parameter, and calls printed as words read back as the same.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value};
use tool_core::def::Surface;
use tool_core::registry::Unmet;
use tool_core::test::{Check, Fault, Look, Subject};
use tool_core::{Coerce, Executor, Registry, ToolError};

use super::help::page;
use super::reads_back::{dry_run, form, same};
use crate::flags::{Param, Table};
use crate::tree::Tree;
use crate::{Cli, clap_tree, clash, schema};

/// How many calls of each tool are printed and read back.
const CALLS: usize = 64;

/// The file that a printed command line names for a secret.
const SECRET_FILE: &str = "FILE";

/// The check `cli` of `assert_tools!`.
///
/// `tool_core::assert_tools!(registry, checks = [&tool_cli::test::CLI])`
pub static CLI: Check = Check { id: "cli", look: Look::Tool(look) };

fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let def = subject.def();
    if !def.surfaces.contains(Surface::Cli) || def.input_schema().is_err() {
        return Vec::new();
    }
    // A program with clashes runs no command: what else is wrong cannot be seen then.
    let clashes = clash::lint(subject.registry());
    if !clashes.is_empty() {
        let own = clashes.into_iter().filter(|finding| finding.tool == subject.name());
        return own.map(|finding| Fault::at(finding.path, finding.text)).collect();
    }
    let tree = Tree::new(subject.registry());
    let mut faults: Vec<Fault> = unbuilt(&tree, subject).into_iter().collect();
    match unnamed(&tree, subject) {
        Ok(unnamed) => faults.extend(unnamed),
        Err(error) => faults.push(Fault::of_tool(format!("it has no help: {error}"))),
    }
    match misread(subject) {
        Ok(misread) => faults.extend(misread),
        Err(error) => faults.push(Fault::of_tool(format!("it has no command: {error}"))),
    }
    faults
}

/// What clap says of the command.
fn unbuilt(tree: &Tree<'_>, subject: &Subject<'_>) -> Option<Fault> {
    let command = tree.of(subject.tool())?;
    let build = || clap_tree::of_tool(command).debug_assert();
    let panic = catch_unwind(AssertUnwindSafe(build)).err()?;
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    Some(Fault::of_tool(format!("its command cannot be built: {}", text.unwrap_or_default())))
}

/// The parameters that the help does not name.
fn unnamed(tree: &Tree<'_>, subject: &Subject<'_>) -> Result<Vec<Fault>, ToolError> {
    let Some(page) = page(tree, subject.tool())? else { return Ok(Vec::new()) };
    let table = Table::new(subject.def(), &schema::canonical(subject.def())?);
    let is_named = |at: usize, param: &Param| {
        let shown = |open: char, close: char| page.contains(&format!("{open}{}{close}", param.value_name));
        let positional = (param.positional || param.last) && (shown('<', '>') || shown('[', ']'));
        let mut own = table.spellings.iter().filter(|own| own.param == at && own.member.is_none());
        positional || own.any(|own| is_option_of(&page, &own.long))
    };
    let params = table.params.iter().enumerate().filter(|(_, param)| !param.hidden && param.long.is_some());
    let unnamed = params.filter(|(at, param)| !is_named(*at, param));
    Ok(unnamed.map(|(_, param)| Fault::at(format!("/{}", param.name), "the help does not name it")).collect())
}

/// Whether a page shows an option: by itself, not as the beginning of a longer one; a switch once, with its negation in brackets.
fn is_option_of(page: &str, long: &str) -> bool {
    ["--", "--[no-]"].iter().any(|dashes| {
        page.split(&format!("{dashes}{long}"))
            .skip(1)
            .any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '.')))
    })
}

/// The first call that reads back as another one.
fn misread(subject: &Subject<'_>) -> Result<Option<Fault>, ToolError> {
    // Nothing runs: what tools need is not asked for.
    let registry: Registry = subject.registry().to_builder().unmet(Unmet::Hide).build()?;
    let executor = Executor::standard(registry.clone()).coerce(Coerce::Text).build()?;
    let cli = Cli::new(registry).name(super::help::PROGRAM);
    let place = match Place::new() {
        Ok(place) => place,
        Err(error) => return Err(ToolError::internal("There is no temporary directory.").source(error)),
    };
    let read = |args: &Value| {
        let form = form(&executor, subject.tool(), args)?;
        let words = cli.command_line(subject.name(), args.as_object().unwrap_or(&Map::new())).ok()?;
        let text = match dry_run(&cli, &words, &place.0) {
            Ok(found) if same(&found, &form) => return None,
            Ok(found) => format!("printed as {words:?}, it is read back as {found}"),
            Err(error) => format!("printed as {words:?}, it is refused: {error}"),
        };
        Some(Fault::of_tool(text).with(args))
    };
    Ok(subject.sound(CALLS).find_map(read))
}

/// A directory with the file of a secret, removed in the end.
struct Place(PathBuf);

impl Place {
    fn new() -> std::io::Result<Place> {
        static PLACES: AtomicUsize = AtomicUsize::new(0);
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tool-cli-check-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        let place = Place(path);
        fs::write(Path::new(&place.0).join(SECRET_FILE), "hunter2\n")?;
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
