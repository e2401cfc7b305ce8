//! The contract of the standard tools is the one that was reviewed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what it cannot build")]

mod home;

use home::Home;
use tool_core::Registry;
use tool_std as _;

#[test]
fn the_standard_tools_are_those_of_the_lock_file() {
    tool_core::lock!("tools.lock", Registry::builder().discover().build().unwrap());
}

#[test]
fn the_lock_file_has_the_same_bytes_for_everybody() {
    let reviewed = include_bytes!("../tools.lock");
    let places: [&[(&str, &str)]; 4] = [
        &[],
        &[("LC_ALL", "tr_TR.UTF-8"), ("LANG", "tr_TR.UTF-8"), ("TZ", "Pacific/Kiritimati")],
        &[("LC_ALL", "C"), ("TZ", "America/St_Johns"), ("CARGO_TARGET_DIR", "elsewhere")],
        &[("LANGUAGE", "ar"), ("LC_NUMERIC", "de_DE.UTF-8"), ("TOOLBOX_COLOR", "always"), ("USER", "nobody")],
    ];
    for place in places {
        // Each home has another name.
        let home = Home::new();
        let output = home.toolbox(place, &["tools", "lock"]);
        assert!(output.status.success(), "{place:?}: {}", String::from_utf8_lossy(&output.stderr));
        let written = std::fs::read(home.work().join("tools.lock")).unwrap();
        assert!(written == reviewed, "{place:?}");
    }
}
