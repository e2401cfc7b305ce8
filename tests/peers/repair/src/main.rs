//! Prints how many of the broken calls of `tests/repair` each library takes as they were meant; with `--write`, writes the
//! table into the README, with `--check` fails where the README has another, with `--why NAME` tells of each call that went
//! otherwise.

mod rig;
mod rmcp;

use std::error::Error;
use std::path::{Path, PathBuf};

use repair::figures::{MARKS, by_kind, table, told};
use repair::{Figures, Ours, Subject, corpus};

use crate::rig::Rig;
use crate::rmcp::Rmcp;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let cases = corpus();
    let mut subjects: [Box<dyn Subject>; 5] = [
        Box::new(Ours::new()?),
        Box::new(Rmcp::loose()?),
        Box::new(Rmcp::strict()?),
        Box::new(Rig::loose()?),
        Box::new(Rig::strict()?),
    ];
    let all: Vec<Figures> =
        subjects.iter_mut().map(|subject| Figures::of(subject.as_mut(), &cases)).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--write"] => Readme::read()?.write(&table(&all))?,
        ["--check"] => Readme::read()?.check(&table(&all))?,
        ["--why", name] => {
            all.iter().filter(|figures| figures.name == *name).for_each(|figures| print!("{}", told(figures)))
        }
        _ => println!("{} calls\n\n{}\n{}", cases.len(), table(&all), by_kind(&all, &cases)),
    }
    Ok(())
}

/// What stands before, between and behind the marks of the table.
struct Readme {
    file: PathBuf,
    before: String,
    table: String,
    after: String,
}

impl Readme {
    fn read() -> Result<Self, Box<dyn Error>> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../README.md");
        let text = std::fs::read_to_string(&file)?;
        let (before, rest) = text.split_once(MARKS.0).ok_or("the README has no place for the table")?;
        let (table, after) = rest.split_once(MARKS.1).ok_or("the table of the README has no end")?;
        Ok(Self { file, before: before.to_owned(), table: table.to_owned(), after: after.to_owned() })
    }

    fn write(&self, table: &str) -> Result<(), Box<dyn Error>> {
        let Self { before, after, .. } = self;
        std::fs::write(&self.file, format!("{before}{}{table}{}{after}", MARKS.0, MARKS.1))?;
        Ok(())
    }

    fn check(&self, table: &str) -> Result<(), Box<dyn Error>> {
        if self.table != table {
            println!("found:\n{table}the README has:\n{}", self.table);
            return Err("the README has another table; `--write` renews it".into());
        }
        Ok(())
    }
}
