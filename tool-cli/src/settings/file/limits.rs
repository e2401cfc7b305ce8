//! The table `[limits]`: whole numbers, each judged by whoever has the limit: this crate, or the program.

use toml::Spanned;
use toml::de::{DeString, DeValue};
use tool_core::ToolError;

use crate::cli::Judge;
use crate::limits;

/// The table of the limits.
pub(super) const LIMITS: &str = "limits";

/// A limit that the program refuses, as it says so.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// Why a limit cannot be set.
pub(super) struct Unfit {
    /// Where: at its key, or at its value.
    pub(super) at: usize,
    pub(super) why: String,
    /// What the program says of it.
    pub(super) refused: Option<ToolError>,
}

/// The value of a limit, or what is wrong with it.
pub(super) fn limit(
    key: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    judge: Option<&Judge>,
) -> Result<u64, Unfit> {
    let shown: String = key.get_ref().chars().take(40).collect();
    let (at_key, at_value) = (key.span().start, value.span().start);
    let number = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let Some(number) = number else {
        let got = value.get_ref().type_str();
        let why = format!("`{shown}`: expected a whole number, got {got}");
        return Err(Unfit { at: at_value, why, refused: None });
    };
    let own = limits::judge(key.get_ref(), number);
    let is_unknown = own.as_ref().is_err_and(|error| error.code_str() == "limit_unknown");
    let judged = match judge {
        Some(judge) if is_unknown => judge(key.get_ref(), number),
        _ => own,
    };
    judged.map(|()| number).map_err(|error| {
        let hint = error.hint_str().map(|hint| format!("; {hint}")).unwrap_or_default();
        let why = format!("`{shown}`: {}{hint}", error.message().trim_end_matches('.'));
        let at = if error.code_str() == "limit_unknown" { at_key } else { at_value };
        Unfit { at, why, refused: Some(error) }
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::File;
    use super::super::parse::tests::parsed;
    use crate::settings::{LimitSet, Owner, Source};

    #[test]
    fn a_limit_that_is_the_only_mistake_is_refused_as_the_program_says_it() {
        for (text, code, hint) in [
            ("[limits]\nmost = 10\n", "limit_out_of_range", "it is set in c.toml:2:8"),
            ("[limits]\nleast = 1\n", "limit_unknown", "it is `most`; it is set in c.toml:2:1"),
        ] {
            let refused = parsed(text).refused.unwrap();
            assert_eq!((refused.code.as_str(), refused.hint.as_str()), (code, hint));
        }
        assert!(parsed("[limits]\nmost = \"9\"\n").refused.is_none());
    }

    #[test]
    fn a_limit_is_read_with_its_line_and_one_that_is_none_or_out_of_range_is_told() {
        let file = parsed("root = \"/w\"\n[limits]\nmost = 0x9\n");
        assert_eq!(file.mistakes, Vec::<String>::new());
        let source = Source::File { path: "c.toml".into(), line: 3 };
        assert_eq!(file.limits, [LimitSet { name: "most".to_owned(), value: 9, source }]);
        let file = parsed("[limits]\nmost = 10\nleast = 1\n\"a b\" = \"1\"\n");
        assert_eq!(
            file.mistakes,
            [
                "c.toml:2:8: `most`: most exceeds 9",
                "c.toml:3:1: `least`: There is no such limit; it is `most`",
                "c.toml:4:9: `a b`: expected a whole number, got string",
            ]
        );
        assert!(file.limits.is_empty() && file.refused.is_none());
        let mut without = File::default();
        let nobody = Owner { name: "demo", prefix: "DEMO", limits: None, tables: &[], keys: &[] };
        without.parse("limits = 1\n", Path::new("c.toml"), nobody);
        assert_eq!(without.mistakes, ["c.toml:1:10: `limits`: expected table, got integer"]);
        let mut without = File::default();
        without.parse("[limits]\nmost = 1\n", Path::new("c.toml"), nobody);
        assert_eq!(
            without.mistakes,
            ["c.toml:2:1: `most`: There is no limit `most`; the limits are max_args_bytes"]
        );
    }
}
