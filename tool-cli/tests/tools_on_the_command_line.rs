//! The check that the command line adds to `assert_tools!`, and the form that it adds to `snapshot_tools!`.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::collections::BTreeMap;

use tool_cli::test::{CLI, HELP};
use tool_core::prelude::*;
use tool_core::test::Checks;
use tool_core::{Registry, Tool};

/// Draws a picture of a text.
#[tool(group = "picture", register = false)]
fn draw_picture(
    /// What to draw.
    text: &str,
) -> String {
    text.to_owned()
}

/// Draws a picture of a text in black.
#[tool(group = "picture", register = false)]
fn picture_draw(
    /// What to draw.
    text: &str,
) -> String {
    text.to_owned()
}

/// Draws a picture of every kind of argument.
#[tool(group = "picture", register = false)]
fn draw_all(
    /// What to draw.
    #[arg(positional)]
    text: &str,
    /// The numbers of the layers.
    layers: Vec<i32>,
    /// Sizes by name.
    sizes: BTreeMap<String, f64>,
    /// Whether it is framed.
    framed: Option<bool>,
    /// Whether it is shaded.
    shaded: bool,
    /// What nobody sees in lists.
    #[arg(hidden)]
    seed: Option<u64>,
) -> String {
    format!("{text} {layers:?} {sizes:?} {framed:?} {shaded} {seed:?}")
}

/// Locks a picture away.
#[tool(group = "picture", surfaces(cli), register = false)]
fn lock_picture(
    /// The name of the picture.
    #[arg(positional)]
    name: &str,
    /// What opens it again.
    #[arg(secret)]
    password: &str,
) -> String {
    format!("{name} {}", password.len())
}

/// Tells models alone what is drawn.
#[tool(surfaces(llm), register = false)]
fn tell_drawing(
    /// The format of the answer.
    format: &str,
) -> String {
    format.to_owned()
}

fn set<T: Tool>() -> Registry {
    Registry::builder().add::<T>().build().unwrap()
}

#[test]
fn two_tools_of_one_command_fail_this_check_and_no_other() {
    let tools = Registry::builder().add::<DrawPictureTool>().add::<PictureDrawTool>();
    let registry = tools.build().unwrap();
    let problems = Checks::of(&registry).unwrap().values(32).with([&CLI]).run();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["cli picture_draw: `picture draw` on the command line meets draw_picture"]);
    assert_eq!(Checks::of(&registry).unwrap().values(32).run(), [], "tool-core alone knows no command line");
    assert_eq!(Checks::of(&registry).unwrap().values(32).with([&CLI]).skip(["cli"]).run(), []);
}

#[test]
fn calls_of_other_tools_are_printed_read_back_and_explained() {
    let tools = Registry::builder().add::<DrawAllTool>().add::<LockPictureTool>().add::<TellDrawingTool>();
    tool_core::assert_tools!(tools.build().unwrap(), values = 128, checks = [&CLI]);
}

#[test]
fn help_is_a_form_where_the_tool_is_on_the_command_line() {
    let registry = set::<LockPictureTool>();
    let page = |registry: &Registry| (HELP.render)(registry, registry.iter().next().unwrap()).unwrap();
    let text = page(&registry).unwrap();
    assert!(
        text.starts_with("Locks a picture away.\n") && text.contains("Usage: program picture lock "),
        "{text}"
    );
    assert!(text.contains("--password-file") && text.ends_with('\n') && !text.contains("\n\n\n"), "{text}");
    assert_eq!(page(&set::<TellDrawingTool>()), None);
}
