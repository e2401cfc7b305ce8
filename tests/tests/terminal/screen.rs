//! What a person sees: the bytes that a terminal got, acted upon as far as these programs go (ECMA-48).

/// The lines on the screen, without blanks at their ends and empty lines at the end.
pub(crate) fn screen(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut screen = Screen { lines: vec![Vec::new()], row: 0, column: 0 };
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

struct Screen {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn line(&mut self) -> &mut Vec<char> {
        while self.lines.len() <= self.row {
            self.lines.push(Vec::new());
        }
        &mut self.lines[self.row]
    }

    fn down(&mut self) {
        self.row += 1;
        self.line();
    }

    fn put(&mut self, c: char) {
        let column = self.column;
        let line = self.line();
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
            'K' if number == "2" => self.line().clear(),
            'K' if number.is_empty() || number == "0" => self.line().truncate(column),
            other => panic!("unknown control sequence {number}{other} in {text:?}"),
        }
    }

    fn shown(&self) -> Vec<String> {
        let line = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        let mut lines: Vec<String> = self.lines.iter().map(line).collect();
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
}
