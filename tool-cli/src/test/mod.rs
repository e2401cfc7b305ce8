//! For those who test tools on the command line: a check that joins `assert_tools!`, a form that joins `snapshot_tools!`, and how a
//! printed command line reads back. (feature `test`)

mod check;
mod help;
mod reads_back;

pub use check::CLI;
pub use help::HELP;
pub use reads_back::{dry_run, form, same};
