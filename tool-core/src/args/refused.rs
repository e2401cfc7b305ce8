//! The error of arguments that do not fit: one sentence, whoever found it out.

use super::issue::ArgIssue;
use crate::error::ToolError;

/// The error of `total` arguments that do not fit; the ones that are not listed are counted in `details.more`.
pub fn refused(listed: Vec<ArgIssue>, total: usize) -> ToolError {
    let message = match total {
        1 => "1 argument does not fit.".to_owned(),
        _ => format!("{total} arguments do not fit."),
    };
    let more = total.saturating_sub(listed.len());
    let error = ToolError::invalid_args(message).issues(listed);
    if more > 0 { error.detail("more", more) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::IssueCode;

    fn issue() -> ArgIssue {
        let (path, expected, got) = ("/x".to_owned(), "text".to_owned(), "nothing".to_owned());
        ArgIssue { path, code: IssueCode::Missing, expected, got, hint: None }
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let one = refused(vec![issue()], 1);
        assert_eq!((one.message(), one.details().get("more")), ("1 argument does not fit.", None));
        let cut = refused(vec![issue(), issue()], 7);
        assert_eq!((cut.message(), cut.arg_issues().len()), ("7 arguments do not fit.", 2));
        assert_eq!(cut.details()["more"], 5);
    }
}
