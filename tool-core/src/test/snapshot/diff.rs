//! What differs between two texts, line by line.

/// Equal lines that are shown around a difference.
const AROUND: usize = 2;

/// The most lines of a difference that are shown.
const SHOWN: usize = 60;

/// The lines of both texts: `-` was, `+` is, with some equal ones around.
pub(super) fn lines(was: &str, is: &str) -> String {
    let (was, is): (Vec<&str>, Vec<&str>) = (was.lines().collect(), is.lines().collect());
    let rows = rows(&was, &is);
    let changed: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| row.0 != ' ').map(|(at, _)| at).collect();
    if changed.is_empty() {
        return "    only the line ends differ\n".to_owned();
    }
    let near = |at: usize| changed.iter().any(|other| other.abs_diff(at) <= AROUND);
    let shown: Vec<String> = rows
        .iter()
        .enumerate()
        .filter(|(at, _)| near(*at))
        .map(|(_, (sign, line))| format!("    {sign} {line}\n"))
        .collect();
    let mut told: String = shown.iter().take(SHOWN).map(String::as_str).collect();
    if shown.len() > SHOWN {
        told.push_str("    …\n");
    }
    told
}

/// Every line of both texts, each with what became of it.
fn rows<'a>(was: &[&'a str], is: &[&'a str]) -> Vec<(char, &'a str)> {
    let head = was.iter().zip(is).take_while(|(a, b)| a == b).count();
    let rest = (was.get(head..).unwrap_or_default(), is.get(head..).unwrap_or_default());
    let tail = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |all: &[&'a str]| all.get(head..all.len() - tail).unwrap_or_default().to_vec();
    let equal = |lines: &[&'a str]| lines.iter().map(|line| (' ', *line)).collect::<Vec<_>>();
    let end = was.get(was.len() - tail..).unwrap_or_default();
    [equal(was.get(..head).unwrap_or_default()), changes(&middle(was), &middle(is)), equal(end)].concat()
}

/// The most pairs of lines that are compared; longer texts are told as one change.
const PAIRS: usize = 1_000_000;

/// The longest common lines kept, the others taken out or put in.
fn changes<'a>(was: &[&'a str], is: &[&'a str]) -> Vec<(char, &'a str)> {
    let out = |lines: &[&'a str]| lines.iter().map(|line| ('-', *line)).collect::<Vec<_>>();
    let new = |lines: &[&'a str]| lines.iter().map(|line| ('+', *line)).collect::<Vec<_>>();
    if was.len().saturating_mul(is.len()) > PAIRS {
        return [out(was), new(is)].concat();
    }
    // common[i][j]: how many lines the rests from i and from j have in common.
    let mut common = vec![vec![0_usize; is.len() + 1]; was.len() + 1];
    let at = |common: &[Vec<usize>], i: usize, j: usize| {
        common.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
    };
    for (i, a) in was.iter().enumerate().rev() {
        for (j, b) in is.iter().enumerate().rev() {
            let longest = match a == b {
                true => at(&common, i + 1, j + 1) + 1,
                false => at(&common, i + 1, j).max(at(&common, i, j + 1)),
            };
            if let Some(cell) = common.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = longest;
            }
        }
    }
    let (mut i, mut j, mut rows) = (0, 0, Vec::new());
    while let (Some(a), Some(b)) = (was.get(i), is.get(j)) {
        if a == b {
            rows.push((' ', *a));
            (i, j) = (i + 1, j + 1);
        } else if at(&common, i + 1, j) >= at(&common, i, j + 1) {
            rows.push(('-', *a));
            i += 1;
        } else {
            rows.push(('+', *b));
            j += 1;
        }
    }
    rows.extend(out(was.get(i..).unwrap_or_default()));
    rows.extend(new(is.get(j..).unwrap_or_default()));
    rows
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn what_changed_is_told_with_its_surroundings_and_nothing_else() {
        let was = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let told = lines(was, "a\nb\nc\nd\nE\nf\ng\nx\nh\n");
        assert_eq!(told, "      c\n      d\n    - e\n    + E\n      f\n      g\n    + x\n      h\n");
        assert_eq!(lines("a\r\n", "a\n"), "    only the line ends differ\n");
    }
}
