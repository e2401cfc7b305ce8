//! YAML 1.2 with the core schema into the tree: no anchors, aliases, tags, merge keys or second documents.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::mistake::{Mistake, MistakeCode, Position};
use crate::tree::{DEPTH_MAX, Key, Kind, Node, too_deep};

/// The tree of a YAML text; an empty one is an empty table.
pub(crate) fn parse(text: &str) -> Result<Node, Vec<Mistake>> {
    let mut reader = Reader { parser: Parser::new_from_str(text), mistakes: Vec::new() };
    let root = reader.document().map_err(|mistake| vec![mistake])?;
    if reader.mistakes.is_empty() { Ok(root) } else { Err(reader.mistakes) }
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    /// Those behind which reading could go on.
    mistakes: Vec<Mistake>,
}

fn at(span: &Span) -> Position {
    Position { line: span.start.line(), column: span.start.col() + 1 }
}

fn mistake(at: Position, code: MistakeCode, text: impl Into<String>) -> Mistake {
    Mistake { at, code, text: text.into(), suggestion: None }
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Position), Mistake> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, at(&span))),
            Some(Err(error)) => {
                let place = Position { line: error.marker().line(), column: error.marker().col() + 1 };
                Err(mistake(place, MistakeCode::Syntax, error.info()))
            }
            None => Ok((Event::StreamEnd, Position::START)),
        }
    }

    fn document(&mut self) -> Result<Node, Mistake> {
        let mut root = None;
        loop {
            let (event, place) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) if root.is_some() => {
                    return Err(mistake(place, MistakeCode::YamlFeature, "a second document"));
                }
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
                event => root = Some(self.node(event, place, 1)?),
            }
        }
        Ok(match root {
            Some(Node { kind: Kind::Null, at }) => Node { at, kind: Kind::Map(Vec::new()) },
            Some(root) => root,
            None => Node { at: Position::START, kind: Kind::Map(Vec::new()) },
        })
    }

    fn node(&mut self, event: Event<'t>, place: Position, depth: usize) -> Result<Node, Mistake> {
        if depth > DEPTH_MAX {
            return Err(too_deep(place));
        }
        let (anchor, tag) = match &event {
            Event::Scalar(_, _, anchor, tag) => (*anchor, tag.is_some()),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => (*anchor, tag.is_some()),
            _ => (0, false),
        };
        if anchor > 0 {
            self.mistakes.push(mistake(place, MistakeCode::YamlFeature, "an anchor"));
        }
        if tag {
            self.mistakes.push(mistake(place, MistakeCode::YamlFeature, "a tag"));
        }
        let kind = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => Kind::Text(text.into_owned()),
            Event::SequenceStart(..) => self.list(depth)?,
            Event::MappingStart(..) => self.map(depth)?,
            Event::Alias(_) => {
                self.mistakes.push(mistake(place, MistakeCode::YamlFeature, "an alias"));
                Kind::Null
            }
            _ => return Err(mistake(place, MistakeCode::Syntax, "a value is missing")),
        };
        Ok(Node { at: place, kind })
    }

    fn list(&mut self, depth: usize) -> Result<Kind, Mistake> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Kind::List(items)),
                (event, place) => items.push(self.node(event, place, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Kind, Mistake> {
        let mut members: Vec<(Key, Node)> = Vec::new();
        loop {
            let (event, place) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Kind::Map(members)),
                found => found,
            };
            let merge = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let text = match &event {
                Event::Scalar(text, ..) => Some(text.to_string()),
                _ => None,
            };
            self.node(event, place, depth + 1)?;
            let (event, below) = self.next()?;
            let value = self.node(event, below, depth + 1)?;
            match text {
                _ if merge => self.mistakes.push(mistake(place, MistakeCode::YamlFeature, "a merge key")),
                None => return Err(mistake(place, MistakeCode::Syntax, "a key must be a text")),
                Some(text) if members.iter().any(|(key, _)| key.text == text) => {
                    let text = format!("the key \"{text}\" stands here twice");
                    self.mistakes.push(mistake(place, MistakeCode::Syntax, text));
                }
                Some(text) => members.push((Key { at: place, text }, value)),
            }
        }
    }
}

/// What a plain scalar says: YAML 1.2.2 §10.3.2, but `.inf` and `.nan` stay texts, since no rule is about them, and whole numbers
/// beyond 64 bits are floats.
fn plain(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" => return Kind::Bool(true),
        "false" | "False" | "FALSE" => return Kind::Bool(false),
        _ => {}
    }
    let radix = [("0o", 8), ("0x", 16)].into_iter().find_map(|(start, radix)| {
        let digits = text.strip_prefix(start).filter(|digits| !digits.starts_with(['+', '-']))?;
        i64::from_str_radix(digits, radix).ok()
    });
    if let Some(value) = radix.or_else(|| text.parse().ok()) {
        return Kind::Integer(value);
    }
    // Rust would read `inf` and `nan`, too.
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    match text.parse().ok().filter(|_| number) {
        Some(value) => Kind::Float(value),
        None => Kind::Text(text.to_owned()),
    }
}
