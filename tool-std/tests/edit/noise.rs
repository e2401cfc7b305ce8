//! Random bytes that look like patches and texts: no panic, no error without a reason, and plain replacing is that of
//! the standard library.

use tool_std::Limits;
use tool_std::edit::replace::{self, Occurring};
use tool_std::edit::{LinePatch, line_patch, unified};

use crate::random::Random;

const PIECES: [&str; 26] = [
    "@@ -1 +1 @@",
    "@@ -1,2 +1,3 @@",
    "@@ -0,0 +1 @@",
    "@@ -3,1 +3 @@ x",
    "@@",
    "--- a/f",
    "+++ b/f",
    "-- ",
    "```",
    "\\ No",
    "diff --git a/f b/f",
    "index 1",
    " a",
    "-a",
    "+a",
    "+b",
    " ",
    "-",
    "+",
    "\r",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\u{feff}",
    "é",
];

fn noise(random: &mut Random, length: usize) -> String {
    (0..random.below(length)).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

fn file(random: &mut Random) -> String {
    let pieces = ["a", "b", "\n", "\n", "\r\n", "\r", "\u{feff}", ""];
    (0..random.below(12)).map(|_| pieces[random.below(pieces.len())]).collect()
}

#[test]
fn noise_is_refused_with_a_code_or_applied() {
    let limits = Limits::default();
    let (mut applied, mut refused) = (0, 0);
    let mut count = |code: Result<(), String>| match code {
        Ok(()) => applied += 1,
        Err(code) => {
            assert_ne!(code, "internal");
            refused += 1;
        }
    };
    let code = |error: tool_core::ToolError| error.code_str().to_owned();
    for seed in 0..30_000 {
        let random = &mut Random::new(seed);
        let file = file(random);
        let patch = match random.once_in(2) {
            true => noise(random, 24),
            false => format!(
                "@@ -{},1 +1,1 @@\n-{}\n+{}\n{}",
                random.below(4),
                noise(random, 2),
                noise(random, 2),
                noise(random, 3)
            ),
        };
        count(unified::apply(file.as_bytes(), &patch, "f", &limits).map(drop).map_err(code));
        let occurring = if random.once_in(2) { Occurring::All } else { Occurring::Once };
        let (old, new) = (self::file(random), self::file(random));
        let replaced = replace::apply(file.as_bytes(), &old, &new, occurring, &limits);
        if let (Ok(replaced), false) = (&replaced, format!("{file}{old}{new}").contains('\r')) {
            assert_eq!(
                replaced.edited.bytes,
                file.replace(&old, &new).into_bytes(),
                "{file:?} {old:?} {new:?}"
            );
        }
        count(replaced.map(drop).map_err(code));
        let patches: Vec<LinePatch> = (0..random.below(4)).map(|_| line_patch(random)).collect();
        count(line_patch::apply(file.as_bytes(), &patches, &limits).map(drop).map_err(code));
    }
    println!("noise: {applied} applied, {refused} refused");
    assert!(applied > 2_000 && refused > 2_000);
}

fn line_patch(random: &mut Random) -> LinePatch {
    LinePatch {
        start_line: random.below(5) as u64,
        end_line: random.below(5) as u64,
        content: file(random),
        expect: random.once_in(6).then(|| file(random)),
    }
}
