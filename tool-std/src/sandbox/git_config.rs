//! Whether a git configuration names programs that git would run (sandbox.md §3).
//!
//! Pure, and on the safe side: a line that only might be such a key counts as one.

/// A section, whether it matters only with or only without a subsection, and keys; no keys means every key.
struct Row(&'static str, Subsection, &'static [&'static str]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subsection {
    Any,
    Without,
    With,
}

const PROGRAMS: [Row; 9] = [
    Row("core", Subsection::Any, &["hookspath", "fsmonitor", "sshcommand", "pager", "editor", "askpass"]),
    Row("credential", Subsection::Any, &[]),
    Row("alias", Subsection::Any, &[]),
    Row("filter", Subsection::Any, &[]),
    Row("diff", Subsection::Without, &["external"]),
    Row("diff", Subsection::With, &["command"]),
    Row("merge", Subsection::With, &["driver"]),
    Row("include", Subsection::Any, &[]),
    Row("includeif", Subsection::Any, &[]),
];

/// Whether a configuration has a key of the table.
pub(super) fn names_programs(text: &str) -> bool {
    let mut section = (String::new(), Subsection::Without);
    text.lines().any(|line| {
        let mut rest = line.trim_start();
        while let Some(header) = rest.strip_prefix('[') {
            let (inside, behind) = header.rsplit_once(']').unwrap_or((header, ""));
            section = named(inside);
            rest = behind.trim_start();
        }
        let key: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        !key.is_empty() && is_program(&section, &key.to_ascii_lowercase())
    })
}

/// The name of a section and whether it has a subsection, `core` or `diff "x"` or `diff.x`.
fn named(header: &str) -> (String, Subsection) {
    let end = header.find([' ', '\t', '"', '.']).unwrap_or(header.len());
    let (name, rest) = header.split_at(end);
    let subsection = if rest.trim().is_empty() { Subsection::Without } else { Subsection::With };
    (name.to_ascii_lowercase(), subsection)
}

fn is_program((section, subsection): &(String, Subsection), key: &str) -> bool {
    PROGRAMS.iter().any(|Row(name, kind, keys)| {
        section == name
            && (*kind == Subsection::Any || kind == subsection)
            && (keys.is_empty() || keys.contains(&key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_name_programs_are_found_in_every_spelling() {
        for text in [
            "[core]\n\tpager = x",
            "[CORE] HooksPath=x",
            "[alias]\n a = !x",
            "[diff \"a]b\"]\ncommand = x",
            "[diff]\n external = x",
            "[merge.x]\ndriver = x",
            "[includeIf \"gitdir:/\"]\npath = x",
            "[credential \"https://x\"]\n\thelper = x",
            "[user]\n[core] askPass = x",
        ] {
            assert!(names_programs(text), "{text}");
        }
    }

    #[test]
    fn what_git_init_writes_names_none() {
        for text in [
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
            "[remote \"origin\"]\n\turl = /x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[diff]\n\talgorithm = histogram\n[merge]\n\tconflictStyle = diff3\n",
            "",
        ] {
            assert!(!names_programs(text), "{text}");
        }
    }
}
