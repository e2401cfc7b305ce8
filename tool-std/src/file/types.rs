//! File types by name, from the table of the `ignore` crate.

use ignore::types::{Types, TypesBuilder};
use tool_core::args::{did_you_mean, suggest};
use tool_core::{IssueCode, ToolError};

use super::misfit::{Misfits, text};

/// The files that a selection of types keeps.
///
/// # Errors
/// `invalid_args` for a name that no type has, with the nearest.
pub(crate) fn selection(types: &[String], types_not: &[String]) -> Result<Types, ToolError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known: Vec<String> =
        builder.definitions().iter().map(|definition| definition.name().to_owned()).collect();
    let mut misfits = Misfits::default();
    for (parameter, names) in [("types", types), ("types_not", types_not)] {
        for (index, name) in names.iter().enumerate() {
            if !known.contains(name) {
                let expected = "the name of a file type, such as rust or json";
                misfits.add(IssueCode::Choice, &format!("{parameter}/{index}"), expected, text(name));
                misfits.hint(nearest(name, &known));
            }
        }
    }
    misfits.finish()?;
    types.iter().for_each(|name| _ = builder.select(name));
    types_not.iter().for_each(|name| _ = builder.negate(name));
    builder
        .build()
        .map_err(|error| ToolError::internal("The file types could not be compiled.").source(error))
}

fn nearest(name: &str, known: &[String]) -> Option<String> {
    did_you_mean(&suggest(name, known.iter().map(|known| (known.as_str(), known.as_str()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(types: &[&str], types_not: &[&str], name: &str) -> bool {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        !selection(&own(types), &own(types_not)).unwrap().matched(name, false).is_ignore()
    }

    #[test]
    fn types_select_and_negate() {
        assert!(keeps(&["json"], &[], "a.json") && !keeps(&["json"], &[], "a.rs"));
        assert!(!keeps(&[], &["txt"], "a.txt") && keeps(&[], &["txt"], "a.rs"));
        assert!(keeps(&[], &[], "anything"));
    }

    #[test]
    fn an_unknown_type_is_named_with_the_nearest() {
        let error = selection(&["jsn".to_owned()], &["nothing-like-it".to_owned()]).unwrap_err();
        let issues = error.arg_issues();
        assert_eq!((issues[0].path.as_str(), issues[1].path.as_str()), ("/types/0", "/types_not/0"));
        assert_eq!(issues[0].hint.as_deref(), Some("did you mean `json`?"));
    }
}
