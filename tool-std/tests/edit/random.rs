//! Random texts that are hard for patches: repeated lines, lines that look like patches, and every kind of line end.

/// A small generator that gives the same numbers for the same seed (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    /// Starts with a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    /// True once in `of`.
    pub(crate) fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

const STARTS: [&str; 14] = [
    "",
    "-dash",
    "+plus",
    "@@ at",
    "@@ -1 +1 @@",
    "\\slash",
    " lead",
    "\ttab",
    "--- a",
    "+++ b",
    "é",
    "}",
    "-- ",
    "```",
];

/// How the lines of a text end.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    Lf,
    CrLf,
    Mixed,
}

impl Style {
    /// One of the three.
    pub(crate) fn random(random: &mut Random) -> Self {
        [Style::Lf, Style::CrLf, Style::Mixed][random.below(3)]
    }

    fn end(self, random: &mut Random) -> &'static str {
        match self {
            Style::Lf => "\n",
            Style::CrLf => "\r\n",
            Style::Mixed => ["\n", "\r\n", "\r\r\n"][random.below(3)],
        }
    }
}

/// A line with its terminator.
pub(crate) fn line(random: &mut Random, style: Style) -> String {
    let number = if random.once_in(3) { String::new() } else { random.below(9).to_string() };
    format!("{}{number}{}", STARTS[random.below(STARTS.len())], style.end(random))
}

/// Lines of a text; the last one may have no newline.
pub(crate) fn lines(random: &mut Random, style: Style) -> Vec<String> {
    let count = random.below(24);
    let mut lines: Vec<String> = (0..count).map(|_| line(random, style)).collect();
    if random.once_in(4)
        && let Some(last) = lines.last_mut()
    {
        *last = format!("{}x", last.trim_end_matches(['\r', '\n']));
    }
    lines
}

/// The lines after some of them were removed, changed, doubled or added.
pub(crate) fn changed(random: &mut Random, style: Style, lines: &[String]) -> Vec<String> {
    let mut new = Vec::new();
    for old in lines {
        let is_last_open = !old.ends_with('\n');
        match random.below(12) {
            0 => {}
            1 if !is_last_open => new.push(line(random, style)),
            2 => new.extend([line(random, style), old.clone()]),
            3 if !is_last_open => new.extend([old.clone(), old.clone()]),
            _ => new.push(old.clone()),
        }
    }
    if random.once_in(8) && new.last().is_none_or(|last| last.ends_with('\n')) {
        new.push(line(random, style));
    }
    if random.once_in(8)
        && let Some(last) = new.last_mut()
    {
        *last = last.trim_end_matches(['\r', '\n']).to_owned() + ["y", "y\n", "y\r"][random.below(3)];
    }
    new
}
