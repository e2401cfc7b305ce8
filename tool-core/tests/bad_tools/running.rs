//! Functions that give secrets away, have an effect that they do not declare, or leave something behind when their call is dropped.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use tool_core::prelude::*;

/// Where the tools of this file build: the tidy ones apart from the others, so that their checks can run side by side.
pub(crate) fn ground(tidy: bool) -> PathBuf {
    static GROUND: LazyLock<tool_trials::Directory> = LazyLock::new(tool_trials::directory);
    let ground = GROUND.path().join(if tidy { "tidy" } else { "messy" });
    std::fs::create_dir_all(&ground).unwrap();
    // There from the beginning: nothing comes to be when it is written.
    std::fs::OpenOptions::new().create(true).append(true).open(ground.join(GUESTS)).unwrap();
    ground
}

/// Signs somebody in.
#[tool(surfaces(cli), register = false)]
pub(crate) fn sign_in_loudly(
    /// The password.
    #[arg(secret)]
    password: &str,
) -> Result<String, ToolError> {
    Err(ToolError::failed(format!("{password} is not known.")))
}

/// Signs somebody in.
#[tool(surfaces(cli), register = false)]
pub(crate) fn sign_in(
    /// The password.
    #[arg(secret)]
    password: &str,
) -> Result<String, ToolError> {
    Err(ToolError::failed(format!("A password of {} characters is not known.", password.len())))
}

/// Signs somebody up with the key of the house.
#[tool(requires(secret = "HOUSE_KEY"), register = false)]
pub(crate) fn sign_up_loudly(
    /// The name.
    name: &str,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    tracing::info!("{name} comes in with {}", ctx.secret("HOUSE_KEY")?.expose());
    Ok(name.to_owned())
}

/// Signs somebody up with the key of the house.
#[tool(requires(secret = "HOUSE_KEY"), register = false)]
pub(crate) fn sign_up(
    /// The name.
    name: &str,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    tracing::info!("{name} comes in with a key: {}", ctx.secret("HOUSE_KEY").is_ok());
    Ok(name.to_owned())
}

/// Signs somebody out with the key of the house.
#[tool(requires(secret = "HOUSE_KEY"), register = false)]
pub(crate) async fn sign_out_loudly(
    /// The name.
    name: &str,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let span = tracing::info_span!("leaving", key = ctx.secret("HOUSE_KEY")?.expose());
    Ok(span.in_scope(|| name.to_owned()))
}

/// Signs somebody out with the key of the house.
#[tool(requires(secret = "HOUSE_KEY"), register = false)]
pub(crate) async fn sign_out(
    /// The name.
    name: &str,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let span = tracing::info_span!("leaving", has_key = ctx.has_secret("HOUSE_KEY"));
    Ok(span.in_scope(|| name.to_owned()))
}

/// A file in each of both.
const GUESTS: &str = "guests";

/// Counts the guests so far, and whoever asks is one of them.
#[tool(register = false)]
pub(crate) fn count_guests() -> std::io::Result<usize> {
    let guests = ground(false).join(GUESTS);
    let before = std::fs::read(&guests)?;
    std::fs::write(guests, [&before[..], b"guest\n"].concat())?;
    Ok(before.len() / b"guest\n".len())
}

/// Counts the rooms.
#[tool(register = false)]
pub(crate) fn count_rooms() -> std::io::Result<usize> {
    Ok(std::fs::read(ground(true).join(GUESTS))?.len())
}

/// Tells of the bell, and rings it.
#[tool(register = false)]
pub(crate) async fn ring(ctx: &ToolContext) -> &'static str {
    ctx.acts();
    "It rang."
}

/// Rings the bell.
#[tool(side_effect, idempotent, register = false)]
pub(crate) async fn ring_truly(ctx: &ToolContext) -> &'static str {
    ctx.acts();
    "It rang."
}

/// Has the bell rung.
#[tool(register = false)]
pub(crate) async fn ask_to_ring(ctx: &ToolContext) -> Result<String, ToolError> {
    Ok(ctx.call("ring_truly", serde_json::json!({})).await?.data().to_string())
}

/// Has the rooms counted.
#[tool(register = false)]
pub(crate) async fn ask_to_count(ctx: &ToolContext) -> Result<String, ToolError> {
    Ok(ctx.call("count_rooms", serde_json::json!({})).await?.data().to_string())
}

/// What takes two turns: the executor looks a second time at once.
async fn work() {
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
}

/// Builds a house, and clears up when it is done.
#[tool(register = false)]
pub(crate) async fn build_messily() -> std::io::Result<String> {
    let path = ground(false).join("house");
    std::fs::write(&path, "bricks")?;
    work().await;
    std::fs::remove_file(&path)?;
    Ok("built".to_owned())
}

/// A file that goes with its owner.
struct Scaffold(PathBuf);

impl Drop for Scaffold {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Builds a house, and clears up whatever happens.
#[tool(register = false)]
pub(crate) async fn build() -> std::io::Result<String> {
    let scaffold = Scaffold(ground(true).join("scaffold"));
    std::fs::write(&scaffold.0, "bricks")?;
    work().await;
    Ok("built".to_owned())
}

fn watcher() -> std::io::Result<Child> {
    Command::new("sleep").arg("20").stdin(Stdio::null()).stdout(Stdio::null()).spawn()
}

/// Watches the house by a program, which is ended at the end.
#[tool(register = false)]
pub(crate) async fn watch_forgetfully() -> std::io::Result<String> {
    let mut child = watcher()?;
    work().await;
    child.kill()?;
    child.wait()?;
    Ok("quiet".to_owned())
}

/// A process that ends with its owner.
struct Watcher(Child);

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Watches the house by a program, which is ended whatever happens.
#[tool(register = false)]
pub(crate) async fn watch() -> std::io::Result<String> {
    let watcher = Watcher(watcher()?);
    work().await;
    Ok(format!("quiet, says {}", watcher.0.id()))
}

/// Opens a safe.
#[tool(surfaces(cli), register = false)]
pub(crate) fn open_safe_loudly(
    /// The number of the safe.
    #[arg(secret, len = 8..=8)]
    number: &str,
) -> Result<String, ToolError> {
    Err(ToolError::failed(format!("{number} opens nothing.")))
}

/// Opens a safe.
#[tool(surfaces(cli), register = false)]
pub(crate) fn open_safe(
    /// The number of the safe.
    #[arg(secret, len = 8..=8)]
    number: &str,
) -> Result<String, ToolError> {
    Err(ToolError::failed(format!("{} figures open nothing.", number.len())))
}
