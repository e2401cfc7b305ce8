//! The streams of a transcript, which shows what is on either: a result is on standard output, an error on standard error, and
//! nothing is on the other.

use std::path::Path;
use std::process::Command;

/// Runs every line `$ NAME …` of a text by a shell that finds the program; what is wrong with the streams of one, a sentence each,
/// and how many lines there are.
pub fn mixed(text: &str, name: &str, program: &Path) -> (usize, Vec<String>) {
    let folder = program.parent().unwrap_or(Path::new("/")).display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let own = lines.iter().filter(|line| line.split(' ').next() == Some(name));
    let told = own.clone().filter_map(|line| {
        let run = match Command::new("sh").args(["-c", line]).env_clear().env("PATH", &path).output() {
            Ok(run) => run,
            Err(error) => return Some(format!("{line}: {error}")),
        };
        let (shown, other) =
            if run.status.success() { (&run.stdout, &run.stderr) } else { (&run.stderr, &run.stdout) };
        let other = String::from_utf8_lossy(other);
        match (shown.is_empty(), other.is_empty()) {
            (false, true) => None,
            (true, _) => Some(format!("{line}: nothing where it should be")),
            (_, false) => Some(format!("{line}: beside what is shown: {other}")),
        }
    });
    (own.clone().count(), told.collect())
}
