//! A command with everything it takes, on one line, for models.

use crate::flags::{Param, Spelling, Table};
use crate::kind::Kind;

/// `demo store search <QUERY> [--limit N]`: the command with everything it takes.
pub(crate) fn synopsis(name: &str, table: &Table) -> String {
    let mut words = vec![name.to_owned()];
    let shown = |param: &&Param| param.long.is_some() && !param.hidden && param.deprecated.is_none();
    let (positional, rest): (Vec<&Param>, Vec<&Param>) =
        table.params.iter().filter(shown).partition(|param| param.positional);
    let (last, options): (Vec<&Param>, Vec<&Param>) = rest.into_iter().partition(|param| param.last);
    words.extend(positional.into_iter().map(|param| position(param, "")));
    words.extend(options.into_iter().map(|param| option(param, table)));
    words.extend(last.into_iter().map(|param| position(param, "-- ")));
    words.join(" ")
}

fn position(param: &Param, ahead: &str) -> String {
    let many = if matches!(param.kind, Kind::List(_)) { "..." } else { "" };
    let value = &param.value_name;
    if param.required { format!("{ahead}<{value}>{many}") } else { format!("[{ahead}{value}{many}]") }
}

fn option(param: &Param, table: &Table) -> String {
    let flag = flag(param, table);
    let shown = match param.kind {
        _ if param.secret => format!("{flag} FILE"),
        Kind::Switch => flag,
        _ => format!("{flag} {}", param.value_name),
    };
    let many = if matches!(param.kind, Kind::List(_) | Kind::Map(_)) { "..." } else { "" };
    if param.required { format!("{shown}{many}") } else { format!("[{shown}]{many}") }
}

/// The spelling of an option that lists show: `--limit`, `--no-sorted`, `--[no-]follow`, `--password-file`.
pub(crate) fn flag(param: &Param, table: &Table) -> String {
    if param.kind == Kind::Switch && param.switched_on().is_none() {
        return format!("--[no-]{}", param.long.as_deref().unwrap_or(&param.name));
    }
    listed(param, table).map_or_else(|| param.option(), |row| format!("--{}", row.long))
}

/// The spelling itself; `None` for what has a position.
pub(crate) fn listed<'t>(param: &Param, table: &'t Table) -> Option<&'t Spelling> {
    let index = table.params.iter().position(|other| other.name == param.name);
    table.spellings.iter().find(|row| Some(row.param) == index && row.member.is_none() && row.listed)
}
