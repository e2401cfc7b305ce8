//! Arbitrary bytes as a path: nothing panics, nothing leaves the root, and what is shown leads back.

#![no_main]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tool_std::workspace::Roots;

fuzz_target!(|data: &[u8]| {
    let roots = Roots::new(Path::new("/root/dir"), Path::new("/data/real"));
    let Ok(path) = roots.resolve(Path::new(OsStr::from_bytes(data))) else { return };
    let mut components = path.relative().components();
    assert!(components.all(|name| !matches!(name, b"" | b"." | b"..") && !name.contains(&0)));
    let again = roots.resolve(Path::new(&path.shown()));
    // The form of shown bytes may be longer than a path may be.
    if path.shown().len() <= 4_096 {
        assert_eq!(again.expect("a shown path is a path").relative(), path.relative());
    }
});
