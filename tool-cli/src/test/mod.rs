//! For those who test tools on the command line: that of a kit, in process, and what it must answer; a check that joins
//! `assert_tools!`, a form that joins `snapshot_tools!`, and how a printed command line reads back. (feature `test`)

mod captured;
mod check;
mod help;
mod reads_back;
mod run;
mod surface;

pub use captured::Captured;
pub use check::CLI;
pub use help::HELP;
pub use reads_back::{dry_run, form, same};
pub use run::{CliAssert, CliExt, CliOutput, CliRun};
pub use surface::surfaces;
