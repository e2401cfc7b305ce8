//! The environment of a command: built from tables, never inherited (sandbox.md §11).
//!
//! Pure: the program's environment comes in as a function, what exists on disk as another.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tool_core::ToolError;

use super::policy::Network;

/// Variables in the order of their names.
pub type Variables = BTreeMap<String, String>;

/// Bytes of the longest value that is passed.
pub const MAX_VALUE_BYTES: usize = 4_096;

/// Passed from the program if set.
const PASSED: [&str; 17] = [
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "NODE_ENV",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// Passed besides when the network is allowed; the value of all but the last two is a URL.
const PROXIES: [&str; 6] = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"];

/// Refused from operators, case ignored; a final `*` stands for any rest.
const REFUSED: [&str; 44] = [
    "LD_*",
    "DYLD_*",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "RES_OPTIONS",
    "BASH_ENV",
    "BASH_FUNC_*",
    "BASHOPTS",
    "SHELLOPTS",
    "ENV",
    "PS4",
    "PROMPT_COMMAND",
    "IFS",
    "PATH",
    "GIT_CONFIG*",
    "GIT_SSH*",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "PYTHON*",
    "PERL5*",
    "PERLLIB",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "MANPAGER",
    "RUSTC_WRAPPER",
];

/// `PATH` when the program's holds no usable directory.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What is passed from the program, and over it what the operator added.
///
/// # Errors
/// `not_configured`/`env_refused`, naming every variable that an operator may not set.
pub fn passed(
    host: impl Fn(&str) -> Option<String>,
    extra: &Variables,
    network: Network,
) -> Result<Variables, ToolError> {
    refuse(extra)?;
    let proxies: &[&str] = if network == Network::Allow { &PROXIES } else { &[] };
    let mut variables: Variables = PASSED
        .iter()
        .chain(proxies)
        .filter_map(|name| Some((*name, host(name)?)))
        .filter(|(_, value)| value.len() <= MAX_VALUE_BYTES && !value.contains('\0'))
        .map(|(name, value)| (name.to_owned(), passed_value(name, value)))
        .collect();
    variables.extend(extra.clone());
    Ok(variables)
}

/// Refuses names that would give an operator's setting power over the programs that run, or that are no names.
fn refuse(extra: &Variables) -> Result<(), ToolError> {
    let names: Vec<&str> = extra.keys().map(String::as_str).filter(|name| is_refused(name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("sandbox.env must not set {}.", names.join(", "));
    Err(ToolError::not_configured(message).code("env_refused").detail("names", names))
}

fn is_refused(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    name.is_empty()
        || name.contains(['=', '\0'])
        || REFUSED.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => upper.starts_with(prefix),
            None => upper == *pattern,
        })
}

fn passed_value(name: &str, value: String) -> String {
    let is_url = PROXIES.contains(&name) && !name.eq_ignore_ascii_case("no_proxy");
    if is_url { without_user_information(&value) } else { value }
}

/// A URL, or `host:port`, without `user:password@`.
fn without_user_information(url: &str) -> String {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), url),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{scheme}{host}{tail}")
}

/// The person and the places that a command finds in its environment.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    /// `HOME`.
    pub home: &'a Path,
    /// `TMPDIR`.
    pub temporary: &'a Path,
    /// `PWD`.
    pub directory: &'a Path,
    /// `USER` and `LOGNAME`.
    pub user: &'a str,
    /// `PATH`.
    pub path: &'a str,
}

/// Adds the variables that the sandbox sets itself, where the operator set none.
pub fn set(variables: &mut Variables, places: &Places<'_>) {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let rows = [
        ("PATH", places.path.to_owned()),
        ("HOME", text(places.home)),
        ("USER", places.user.to_owned()),
        ("LOGNAME", places.user.to_owned()),
        ("SHELL", "/bin/sh".to_owned()),
        ("TMPDIR", text(places.temporary)),
        ("PWD", text(places.directory)),
        ("TOOLBOX_SANDBOX", "1".to_owned()),
    ];
    for (name, value) in rows {
        variables.entry(name.to_owned()).or_insert(value);
    }
}

/// `PATH`: the usable directories of the program's, in its order.
///
/// `usable` says what the view calls a directory that exists and lies in no writable place.
pub fn search_path(host: Option<&str>, usable: impl Fn(&Path) -> Option<PathBuf>) -> String {
    let mut kept: Vec<PathBuf> = Vec::new();
    let absolute = host.unwrap_or_default().split(':').map(Path::new).filter(|path| path.is_absolute());
    for directory in absolute.filter_map(usable) {
        if !kept.contains(&directory) {
            kept.push(directory);
        }
    }
    let texts: Vec<String> = kept.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    if texts.is_empty() { DEFAULT_PATH.to_owned() } else { texts.join(":") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(rows: &[(&str, &str)]) -> Variables {
        rows.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn passed_from(
        host: &[(&str, &str)],
        extra: &[(&str, &str)],
        network: Network,
    ) -> Result<Variables, ToolError> {
        let host = variables(host);
        passed(|name| host.get(name).cloned(), &variables(extra), network)
    }

    #[test]
    fn only_named_variables_pass_in_their_exact_case() {
        let host = [("LANG", "C"), ("lang", "x"), ("OPENAI_API_KEY", "x"), ("TERM", ""), ("HTTP_PROXY", "p")];
        let seen = passed_from(&host, &[], Network::Deny).unwrap();
        assert_eq!(seen, variables(&[("LANG", "C"), ("TERM", "")]));
    }

    #[test]
    fn a_value_over_the_limit_is_dropped_and_one_at_the_limit_passes() {
        let (long, fits) = ("x".repeat(MAX_VALUE_BYTES + 1), "x".repeat(MAX_VALUE_BYTES));
        let seen = passed_from(&[("TERM", &long), ("TZ", &fits)], &[], Network::Deny).unwrap();
        assert_eq!(seen.keys().collect::<Vec<_>>(), ["TZ"]);
    }

    #[test]
    fn proxies_lose_their_user_information() {
        for (given, kept) in [
            ("http://user:p@w@proxy:3128", "http://proxy:3128"),
            ("http://u@p/a@b", "http://p/a@b"),
            ("u:p@proxy:1", "proxy:1"),
            ("http://proxy:1", "http://proxy:1"),
        ] {
            let seen = passed_from(&[("https_proxy", given)], &[], Network::Allow).unwrap();
            assert_eq!(seen, variables(&[("https_proxy", kept)]));
        }
    }

    #[test]
    fn every_refused_name_is_told_and_an_ordinary_one_is_added() {
        let error =
            passed_from(&[], &[("A", "1"), ("ld_preload", "x"), ("GIT_SSH_COMMAND", "x")], Network::Deny)
                .unwrap_err();
        assert_eq!(error.code_str(), "env_refused");
        assert_eq!(error.details()["names"], serde_json::json!(["GIT_SSH_COMMAND", "ld_preload"]));
        assert_eq!(passed_from(&[], &[("A", "1")], Network::Deny).unwrap(), variables(&[("A", "1")]));
    }

    #[test]
    fn the_search_path_keeps_usable_directories_in_order() {
        let usable = |path: &Path| match path.to_str().unwrap() {
            "/work/bin" => None,
            "/link" => Some(PathBuf::from("/a")),
            _ => Some(path.to_path_buf()),
        };
        assert_eq!(search_path(Some("/b:/work/bin:rel:/link:/a:/b:"), usable), "/b:/a");
        assert_eq!(search_path(None, usable), DEFAULT_PATH);
    }
}
