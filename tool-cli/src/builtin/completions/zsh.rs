//! zsh: the files behind `@`.

use clap::Command;

/// The script with a function for values that may be `@FILE`, where clap has one for names of users.
pub(super) fn completed(script: &str, root: &Command) -> String {
    let function = format!("_{}__at", root.get_name());
    let at = format!(
        "# A value that is '@' and a file, or anything else.\n\
         (( $+functions[{function}] )) ||\n\
         {function}() {{\n    compset -P @ && _files\n}}\n\n"
    );
    let script = script.replace(":_users'", &format!(":{function}'"));
    match script.rfind("if [ \"$funcstack[1]\"") {
        Some(end) => {
            let (functions, start) = script.split_at(end);
            format!("{functions}{at}{start}")
        }
        None => script,
    }
}
