//! Random trees with ignore files, hidden files, links and Unicode.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tool_trials::rounds;

/// How many trees are compared, of 500 by the specification; `TOOL_TREES` asks for another number.
fn count() -> u64 {
    let given = std::env::var("TOOL_TREES").ok().and_then(|trees| trees.parse().ok());
    given.unwrap_or(rounds(500) as u64)
}

/// Compares with a program on every tree; `compare` gets its seed and its root, and says how much it has compared.
pub(crate) fn on_every(program: &str, compare: impl Fn(u64, &mut Random, &Path) -> usize) {
    if !crate::has(program) {
        return;
    }
    let (trees, mut compared) = (count(), 0);
    for seed in 1..=trees {
        let mut random = Random::of(seed);
        let dir = tool_trials::directory();
        tree(&mut random, dir.path(), 3);
        compared += compare(seed, &mut random, dir.path());
    }
    println!("{trees} trees, {compared} results as those of {program}");
    assert!(compared > 100, "the trees hold too little");
}

/// A small generator (xorshift*), so that a seed names a tree.
pub(crate) struct Random(u64);

impl Random {
    /// The generator of one tree.
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const NAMES: [&str; 14] = [
    "a.txt", "b.log", "c.rs", "keep.log", "x y", "é.txt", ".hidden", ".cfg", "日本", "Z", "-n", "a[1].txt",
    "build", "t~",
];
const RULES: [&str; 20] = [
    "*.log",
    "!keep.log",
    "build/",
    "/a.txt",
    "d0/*.rs",
    "**/c.rs",
    "d1/**",
    "# comment",
    "",
    "\\!x",
    "!.hidden",
    ".cfg",
    "*.t?t",
    "[a-c].*",
    "é*",
    "d0",
    "!d0/",
    "*/b.log",
    "a\\[1\\].txt",
    "Z ",
];
const WORDS: [&str; 10] = ["foo", "bar", "Foo", "baz qux", "é", "日本語", "foo.bar", "", "  foo", "x=1"];
pub(crate) fn tree(random: &mut Random, at: &Path, depth: u64) {
    for name in [".gitignore", ".ignore"] {
        if random.below(4) == 0 {
            let rules: Vec<&str> = (0..=random.below(4)).map(|_| random.pick(&RULES)).collect();
            fs::write(at.join(name), rules.join("\n")).unwrap();
        }
    }
    if random.below(6) == 0 {
        fs::create_dir_all(at.join(".git/info")).unwrap();
        fs::write(at.join(".git/info/exclude"), random.pick(&RULES)).unwrap();
        fs::write(at.join(".git/HEAD"), "foo\n").unwrap();
    }
    for _ in 0..random.below(6) {
        let path = at.join(random.pick(&NAMES));
        if !path.exists() {
            fs::write(path, text(random)).unwrap();
        }
    }
    if random.below(4) == 0 {
        std::os::unix::fs::symlink(random.pick(&["a.txt", "nowhere", "d0"]), at.join("link")).unwrap();
    }
    if depth > 0 {
        for name in ["d0", "d1", ".d2", "build", "é"] {
            let path = at.join(name);
            if random.below(3) == 0 && !path.exists() {
                fs::create_dir(&path).unwrap();
                tree(random, &path, depth - 1);
            }
        }
    }
}

fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(8) {
        let end = random.pick(&["\n", "\n", "\n", "\r\n"]);
        write!(text, "{}{}{end}", random.pick(&WORDS), random.pick(&WORDS)).unwrap();
    }
    if random.below(3) == 0 {
        text.push_str(random.pick(&WORDS));
    }
    text
}
