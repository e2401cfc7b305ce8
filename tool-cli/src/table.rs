//! Rows and columns without borders: two blanks between columns, numbers right, nested values as JSON.
//!
//! Elsewhere than on a terminal nothing is ever cut.

use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::visible::visible;

/// No column is cut below this width.
pub const CELL_MIN: usize = 8;

/// Blanks between columns.
const GAP: usize = 2;

/// A rendered table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Lines, each with a line feed.
    pub text: String,
    /// How many cells were cut to fit the width.
    pub cut: usize,
}

/// A value as a table; `width` is that of the terminal, if it goes to one.
pub fn render(value: &Value, width: Option<usize>) -> Table {
    let mut columns = columns(value);
    if width.is_some() {
        for cell in columns.iter_mut().flat_map(|column| &mut column.cells) {
            *cell = visible(cell);
        }
    }
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let widths = width.map_or_else(|| widths.clone(), |width| fit(&widths, width));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let mut table = Table { text: String::new(), cut: 0 };
    for row in 0..rows {
        let mut line = String::new();
        // Blanks at the end of a line fill nothing up, unless they are a cell's own.
        let mut end = 0;
        for (column, &width) in columns.iter().zip(&widths) {
            let cell = column.cells.get(row).map_or("", String::as_str);
            let shown = shorten(cell, width);
            table.cut += usize::from(shown.len() != cell.len() || shown != cell);
            let pad = " ".repeat(width.saturating_sub(shown.width()));
            let (before, behind) = if column.right { (pad, String::new()) } else { (String::new(), pad) };
            line.push_str(&format!("{before}{shown}"));
            end = if shown.is_empty() { end } else { line.len() };
            line.push_str(&format!("{behind}{}", " ".repeat(GAP)));
        }
        line.truncate(end);
        table.text.push_str(&line);
        table.text.push('\n');
    }
    table
}

/// A column with its head as first cell.
struct Column {
    cells: Vec<String>,
    right: bool,
}

impl Column {
    fn new<'v>(head: &str, values: impl Iterator<Item = &'v Value> + Clone) -> Column {
        let mut there = values.clone().filter(|value| !value.is_null()).peekable();
        let right = there.peek().is_some() && there.all(Value::is_number);
        let cells = std::iter::once(flat(head)).chain(values.map(cell)).collect();
        Column { cells, right }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
    }
}

/// The columns of a value: those of its objects in order of first appearance, `value` for scalars, `key value` of one object.
fn columns(value: &Value) -> Vec<Column> {
    match value {
        Value::Array(items) => columns_of_list(items),
        Value::Object(object) => columns_of_object(object),
        scalar => vec![Column::new("value", std::iter::once(scalar))],
    }
}

fn columns_of_object(object: &Map<String, Value>) -> Vec<Column> {
    let keys: Vec<Value> = object.keys().map(|key| Value::from(key.as_str())).collect();
    vec![Column::new("key", keys.iter()), Column::new("value", object.values())]
}

fn columns_of_list(items: &[Value]) -> Vec<Column> {
    let mut heads: Vec<&str> = Vec::new();
    for key in items.iter().filter_map(Value::as_object).flat_map(Map::keys) {
        if !heads.contains(&key.as_str()) {
            heads.push(key);
        }
    }
    let column = |key: &str| Column::new(key, items.iter().map(|item| item.get(key).unwrap_or(&Value::Null)));
    let mut columns: Vec<Column> = heads.into_iter().map(column).collect();
    if items.iter().any(|item| !item.is_object()) {
        let others = items.iter().map(|item| if item.is_object() { &Value::Null } else { item });
        columns.push(Column::new("value", others));
    }
    columns
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => flat(text),
        other => other.to_string(),
    }
}

/// A text on one line.
fn flat(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

/// Narrows the widest columns until the line fits, none below [`CELL_MIN`].
fn fit(widths: &[usize], line: usize) -> Vec<usize> {
    let mut widths = widths.to_vec();
    let gaps = GAP * widths.len().saturating_sub(1);
    loop {
        let total: usize = widths.iter().sum::<usize>() + gaps;
        let over = total.saturating_sub(line);
        let Some(widest) = widths.iter().copied().max().filter(|&widest| over > 0 && widest > CELL_MIN)
        else {
            return widths;
        };
        let next = widths.iter().copied().filter(|&width| width < widest).max().unwrap_or(0).max(CELL_MIN);
        let count = widths.iter().filter(|&&width| width == widest).count();
        let step = (widest - next).min(over.div_ceil(count)).max(1);
        for width in widths.iter_mut().filter(|width| **width == widest) {
            *width = widest - step;
        }
    }
}

/// A text cut with `…` to a width.
fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        shown.push(c);
    }
    shown.push('…');
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(value: &Value) -> String {
        render(value, None).text
    }

    #[test]
    fn objects_are_rows_with_columns_in_order_of_first_appearance() {
        let rows = json!([
            {"id": 7, "name": "blue lamp", "price": 12.5},
            {"id": 12, "name": "lamp", "price": 9, "tags": ["sale"]},
        ]);
        assert_eq!(
            plain(&rows),
            "id  name       price  tags\n 7  blue lamp   12.5\n12  lamp           9  [\"sale\"]\n"
        );
    }

    #[test]
    fn one_object_is_keys_and_values() {
        let value = json!({"name": "lamp", "price": 12.5, "sold": false});
        assert_eq!(plain(&value), "key    value\nname   lamp\nprice  12.5\nsold   false\n");
        assert_eq!(plain(&json!({"a": 1.5, "b": 2.5})), "key  value\na      1.5\nb      2.5\n");
    }

    #[test]
    fn scalars_stand_under_value_and_line_feeds_are_shown() {
        assert_eq!(plain(&json!(["a\nb", 3, null])), "value\na\\nb\n3\n\n");
    }

    #[test]
    fn a_terminal_cuts_the_widest_cells_and_a_pipe_nothing() {
        let rows = json!([{"id": 1, "text": "x".repeat(40)}]);
        let table = render(&rows, Some(20));
        assert_eq!(table, Table { text: format!("id  text\n 1  {}…\n", "x".repeat(15)), cut: 1 });
        assert!(plain(&rows).contains(&"x".repeat(40)));
    }

    #[test]
    fn no_cell_is_cut_below_its_least_width() {
        let rows = json!([{"a": "x".repeat(20), "b": "y".repeat(20)}]);
        let table = render(&rows, Some(4));
        assert_eq!(table.text.lines().nth(1).unwrap(), format!("{}…  {}…", "x".repeat(7), "y".repeat(7)));
    }
}
