//! What a person sees: the bytes that a terminal got, acted upon as far as these programs go (ECMA-48).

/// Columns of the terminal: what is written behind the last one goes on below.
pub(crate) const COLUMNS: usize = 80;

/// The lines on the screen, each as it was before it was broken at the edge, without blanks at their ends and empty lines
/// at the end.
pub(crate) fn screen(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut screen = Screen { lines: vec![Line::default()], row: 0, column: 0 };
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\r' => screen.column = 0,
            '\n' => screen.down(),
            '\u{8}' => screen.column = screen.column.saturating_sub(1),
            '\u{1b}' => {
                assert_eq!(chars.next(), Some('['), "only control sequences are known: {text:?}");
                let mut number = String::new();
                let end = loop {
                    match chars.next() {
                        Some(c) if c.is_ascii_digit() || c == ';' || c == '?' => number.push(c),
                        Some(c) => break c,
                        None => return screen.shown(),
                    }
                };
                screen.act(end, &number, &text);
            }
            c => screen.put(c),
        }
    }
    screen.shown()
}

#[derive(Default)]
struct Line {
    chars: Vec<char>,
    /// Whether it begins with what had no room in the line above.
    goes_on: bool,
}

struct Screen {
    lines: Vec<Line>,
    row: usize,
    column: usize,
}

impl Screen {
    fn line(&mut self) -> &mut Line {
        while self.lines.len() <= self.row {
            self.lines.push(Line::default());
        }
        &mut self.lines[self.row]
    }

    fn down(&mut self) {
        self.row += 1;
        self.line();
    }

    fn put(&mut self, c: char) {
        if self.column >= COLUMNS {
            self.column = 0;
            self.down();
            self.line().goes_on = true;
        }
        let column = self.column;
        let line = &mut self.line().chars;
        while line.len() <= column {
            line.push(' ');
        }
        line[column] = c;
        self.column += 1;
    }

    fn act(&mut self, end: char, number: &str, text: &str) {
        let count = number.parse().unwrap_or(1);
        let column = self.column;
        match end {
            'm' => {}
            'A' => self.row = self.row.saturating_sub(count),
            'B' => (0..count).for_each(|_| self.down()),
            'C' => self.column += count,
            'D' => self.column = column.saturating_sub(count),
            'K' if number == "2" => *self.line() = Line::default(),
            'K' if (number.is_empty() || number == "0") && column == 0 => *self.line() = Line::default(),
            'K' if number.is_empty() || number == "0" => self.line().chars.truncate(column),
            other => panic!("unknown control sequence {number}{other} in {text:?}"),
        }
    }

    fn shown(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in &self.lines {
            let text: String = line.chars.iter().collect();
            match lines.last_mut() {
                Some(above) if line.goes_on => above.push_str(&text),
                _ => lines.push(text),
            }
        }
        lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

#[test]
fn what_is_cleared_is_gone_and_the_rest_stays() {
    assert_eq!(screen(b"one\r\n\x1b[1mtwo\x1b[0m\r\n"), ["one", "two"]);
    assert_eq!(screen(b"spinning\r\x1b[2Kdone\r\n"), ["done"]);
    assert_eq!(screen(b"a long line\rshort\x1b[K\r\n"), ["short"]);
    assert_eq!(screen(b"one\r\ntwo\r\x1b[1A\x1b[2Kthree"), ["three", "two"]);
    // A line that is full goes on below; to clear one of two rows leaves the other.
    let full = "x".repeat(COLUMNS);
    assert_eq!(screen(format!("{full}y\r\nz").as_bytes()), [format!("{full}y"), "z".to_owned()]);
    assert_eq!(screen(format!("{full}\r\x1b[2Kz").as_bytes()), ["z"]);
    assert_eq!(screen(format!("{full}y\r\x1b[Kz").as_bytes()), [full, "z".to_owned()]);
}
