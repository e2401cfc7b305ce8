//! What is told, held line by line against the file that keeps it. UPDATE=1 writes down what is told.

use std::fs;
use std::path::Path;

/// Compares with `tests/NAME`.
pub(crate) fn compare(name: &str, told: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    if tool_trials::updates() {
        fs::write(&path, told).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let (mut kept, mut told) = (kept.lines(), told.lines());
    for line in 1.. {
        let (kept, told) = (kept.next(), told.next());
        assert_eq!(kept, told, "{}:{line}", path.display());
        if told.is_none() {
            break;
        }
    }
}
