//! A catalogue: lists, maps, structs in structs, a hidden tool.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::prelude::*;

use super::echo::{echo, of, opt};

/// Level.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    #[default]
    Low,
    High,
}

/// Owner.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Owner {
    /// Full name.
    name: String,
    /// Age in years.
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<u32>,
    /// Still employed.
    #[serde(default)]
    active: bool,
    /// Clearance.
    #[serde(default)]
    level: Level,
    /// Free tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Postal address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

/// Address.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Address {
    /// Street and number.
    street: String,
    /// City.
    city: String,
}

/// Service.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Service {
    /// TCP port.
    port: u16,
    /// Use TLS.
    #[serde(default)]
    tls: bool,
}

/// Searches the catalogue.
#[tool(group = "store", register = false)]
#[example("Five hits for a phrase", {"query": "blue lamp", "limit": 5})]
#[example("Everything about lamps and chairs that carries a tag", {"query": "lamp", "tags": ["sale", "new"], "level": "high"})]
pub(super) fn store_search(
    /// Words to look for.
    #[arg(positional)]
    query: &str,
    /// Maximum number of hits.
    #[arg(env = "DEMO_LIMIT", short = 'n', range = 1..=100, default = 10)]
    limit: u32,
    /// How much detail.
    #[arg(default = Level::Low)]
    level: Level,
    /// Keep hits that carry this tag.
    #[arg(long = "tag", short = 't')]
    tags: Vec<String>,
    /// Drop hits below this score.
    #[arg(aliases = ["threshold"])]
    min_score: Option<f64>,
    /// Match whole words only.
    #[arg(short = 's')]
    strict: bool,
) -> Value {
    let _ = (query, limit, level, tags, min_score, strict);
    json!([{"id": 7, "name": "blue lamp", "price": 12.5, "score": 0.93}, {"id": 12, "name": "desk lamp", "price": 49, "score": 0.71}])
}

/// Deletes an item.
#[tool(destructive, idempotent, group = "store", register = false)]
pub(super) fn store_delete(
    /// Item to delete.
    #[arg(positional)]
    id: u64,
    /// Delete what refers to it as well.
    cascade: bool,
) -> Value {
    let _ = (id, cascade);
    json!({"deleted": 1})
}

/// Drops old versions.
#[tool(side_effect, idempotent, group = "store", register = false)]
pub(super) fn store_prune(
    /// Age or date, such as 30d or 2026-01-31.
    #[arg(positional)]
    before: Option<&str>,
    /// Drop stored bytes too.
    strip_bytes: bool,
    /// Only report what would be dropped.
    #[arg(default = true)]
    dry_run: bool,
) -> Value {
    echo([("before", opt(&before)), ("strip_bytes", of(&strip_bytes)), ("dry_run", of(&dry_run))])
}

/// Sets labels and counters.
#[tool(side_effect, idempotent, group = "store", register = false)]
pub(super) fn store_tag(
    /// Item to change.
    #[arg(positional)]
    id: u64,
    /// Labels to set.
    #[arg(long = "label", short = 'l', default)]
    labels: BTreeMap<String, String>,
    /// Counters to set.
    #[arg(default)]
    counts: BTreeMap<String, i64>,
    /// Services by name.
    #[arg(default)]
    ports: BTreeMap<String, Service>,
) -> Value {
    echo([("id", of(&id)), ("labels", of(&labels)), ("counts", of(&counts)), ("ports", of(&ports))])
}

/// Assigns an item.
#[tool(side_effect, idempotent, group = "store", register = false)]
pub(super) fn store_assign(
    /// Item to assign.
    #[arg(positional)]
    id: u64,
    /// Who gets it.
    owner: Owner,
    /// Where a copy goes.
    reviewer: Option<Address>,
    /// Day it is due; --no-due removes it.
    due: Option<Option<String>>,
) -> Value {
    echo([("id", of(&id)), ("owner", of(&owner)), ("reviewer", opt(&reviewer)), ("due", opt(&due))])
}

/// Locks or unlocks the catalogue.
#[tool(side_effect, idempotent, group = "store", hidden, register = false)]
pub(super) fn store_lock(
    /// Whether it is locked.
    #[arg(required)]
    locked: bool,
) -> Value {
    echo([("locked", of(&locked))])
}
