//! What a policy refuses at the bounds of its rules, each refusal beside the value next to it that passes. (calls.md §4)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Limits, Policy as _, PolicyRequest, Registry};
use tool_policy::{Paths, Policy, Syntax, Verdict};

/// Takes numbers and texts.
#[tool(register = false)]
fn count(
    /// A number.
    number: Option<f64>,
    /// A whole number.
    whole: Option<i64>,
    /// A word.
    word: Option<&str>,
) -> String {
    format!("{number:?} {whole:?} {word:?}")
}

/// Fetches.
#[tool(register = false)]
fn fetch(
    /// From where.
    #[arg(hint = "url")]
    url: Option<&str>,
    /// From which host.
    #[arg(hint = "host")]
    host: Option<&str>,
    /// From where else, by name.
    #[arg(hint = "url")]
    mirrors: Option<BTreeMap<String, String>>,
) -> String {
    format!("{url:?} {host:?} {mirrors:?}")
}

/// Sends.
#[tool(side_effect, idempotent = false, register = false)]
fn send(
    /// To whom.
    #[arg(hint = "email")]
    to: &str,
) -> String {
    to.to_owned()
}

/// Runs a line.
#[tool(side_effect, idempotent = false, register = false)]
fn line(
    /// The line.
    #[arg(hint = "shell")]
    line: &str,
) -> String {
    line.to_owned()
}

/// Reads.
#[tool(register = false)]
fn read(
    /// What.
    #[arg(hint = "file")]
    path: &str,
) -> String {
    path.to_owned()
}

fn registry() -> Registry {
    Registry::builder()
        .add::<CountTool>()
        .add::<FetchTool>()
        .add::<SendTool>()
        .add::<LineTool>()
        .add::<ReadTool>()
        .build()
        .unwrap()
}

fn policy(rules: &str, root: &Path) -> Policy {
    let text = format!("version = 1\n[agents.bot]\ntools = [\"*\"]\napprove = \"never\"\n{rules}\n");
    Policy::load("p.toml", &text, Syntax::Toml, &registry(), Paths::new(root)).unwrap()
}

/// What a call ends in under these rules of its tool.
fn call_below(root: &Path, tool: &str, rules: &str, args: Value) -> Result<Value, ToolError> {
    let policy = policy(&format!("[agents.bot.tool_config.{tool}]\n{rules}"), root);
    let executor = Executor::standard(registry()).policy(Arc::new(policy)).build().unwrap();
    let ctx = ToolContext::builder().agent("bot").build();
    executor.call_blocking(Call::new(tool, args), &ctx, Caller::Llm).map(|output| output.data())
}

fn code(tool: &str, rules: &str, args: Value) -> Option<String> {
    call_below(Path::new("/work"), tool, rules, args).err().map(|error| error.code_str().to_owned())
}

/// Judges rows of rules, arguments, and the code of the refusal; empty where the call passes.
fn hold(tool: &str, rows: &[(&str, Value, &str)]) {
    for (rules, args, want) in rows {
        let got = code(tool, rules, args.clone()).unwrap_or_default();
        assert_eq!(got, *want, "{tool} {rules} {args}");
    }
}

#[test]
fn a_bound_is_allowed_and_what_is_next_to_it_on_the_other_side_is_not() {
    let range = "args = { whole = { min = 2, max = 5 } }";
    let large = "args = { whole = { min = 9007199254740993, max = 9007199254740993 } }";
    let real = "args = { number = { min = 0.5, max = 1.5 } }";
    let bytes = "args = { word = { max_bytes = 4 } }";
    hold(
        "count",
        &[
            (range, json!({"whole": 1}), "arg_out_of_range"),
            (range, json!({"whole": 2}), ""),
            (range, json!({"whole": 5}), ""),
            (range, json!({"whole": 6}), "arg_out_of_range"),
            // Beyond 2^53 whole numbers are compared as such.
            (large, json!({"whole": 9_007_199_254_740_992_i64}), "arg_out_of_range"),
            (large, json!({"whole": 9_007_199_254_740_993_i64}), ""),
            (large, json!({"whole": 9_007_199_254_740_994_i64}), "arg_out_of_range"),
            (real, json!({"number": 0.4}), "arg_out_of_range"),
            (real, json!({"number": 0.5}), ""),
            (real, json!({"number": 1.6}), "arg_out_of_range"),
            (bytes, json!({"word": "abcd"}), ""),
            (bytes, json!({"word": "abcde"}), "arg_too_large"),
            (bytes, json!({"word": "äö"}), ""),
            (bytes, json!({"word": "äöü"}), "arg_too_large"),
        ],
    );
}

#[test]
fn a_refusal_shows_the_value_on_which_side_it_is_and_what_is_allowed() {
    let told = |rules: &str, args: Value| {
        let error = call_below(Path::new("/work"), "count", rules, args).unwrap_err();
        (error.to_string(), error.hint_str().unwrap_or_default().to_owned())
    };
    let range = "args = { whole = { min = 2, max = 5 } }";
    assert!(told(range, json!({"whole": 1})).0.contains("1 is below 2"));
    assert!(told(range, json!({"whole": 6})).0.contains("6 is above 5"));
    let (message, hint) = told("args = { word = { one_of = [\"a\", \"b\"] } }", json!({"word": "c"}));
    assert!(message.contains("\"c\" is not one of"), "{message}");
    assert_eq!(hint, "allowed: \"a\", \"b\"");
    let rules = "allowed_domains = [\"a.example\", \"b.example\"]";
    let args = json!({"url": "https://c.example/"});
    let error = call_below(Path::new("/work"), "fetch", rules, args).unwrap_err();
    assert!(error.to_string().contains("host \"c.example\" is not in"), "{error}");
    assert_eq!(error.hint_str(), Some("allowed: a.example, b.example"));
}

#[test]
fn a_domain_is_judged_with_its_port_and_below_a_name_only_below() {
    let name = "allowed_domains = [\"*.a.example\"]";
    let http = "allowed_domains = [\"a.example:80\"]";
    let https = "allowed_domains = [\"a.example:443\"]";
    let plain = "allowed_domains = [\"a.example\"]";
    let six = "allowed_domains = [\"[::1]:8080\"]";
    let url = |url: &str| json!({"url": url});
    let host = |host: &str| json!({"host": host});
    hold(
        "fetch",
        &[
            (name, url("https://b.a.example/"), ""),
            (name, url("https://a.example/"), "domain_not_allowed"),
            (name, url("https://xa.example/"), "domain_not_allowed"),
            (name, url("https://larger-a.example/"), "domain_not_allowed"),
            (http, url("http://a.example/"), ""),
            (http, url("https://a.example/"), "domain_not_allowed"),
            (http, url("https://a.example:80/"), ""),
            (https, url("https://a.example/"), ""),
            (https, url("http://a.example/"), "domain_not_allowed"),
            (https, url("http://a.example:443/"), ""),
            (plain, url("https://a.example:8443/"), "domain_not_allowed"),
            (six, url("http://[::1]:8080/"), ""),
            (six, url("http://[::1]/"), "domain_not_allowed"),
            (plain, host("a.example"), ""),
            (plain, host("a.example:8443"), "domain_not_allowed"),
            (plain, host("b.example"), "domain_not_allowed"),
            (plain, host("a.example/x"), "bad_url"),
            (plain, host("u@a.example"), "bad_url"),
            (plain, host("a.example x"), "bad_url"),
            (six, host("[::1]:8080"), ""),
            (six, host("[::1]"), "domain_not_allowed"),
            ("allowed_domains = [\"[1::]\"]", url("http://[1::]/"), ""),
            ("allowed_domains = [\"[1::]\"]", url("http://[1::]:81/"), "domain_not_allowed"),
            // A name that begins with the dot is not below the name.
            (name, url("https://.a.example/"), "domain_not_allowed"),
            // Members are judged as lists are.
            (plain, json!({"mirrors": {"a": "https://a.example/"}}), ""),
            (
                plain,
                json!({"mirrors": {"a": "https://a.example/", "b": "https://b.example/"}}),
                "domain_not_allowed",
            ),
        ],
    );
}

#[test]
fn a_pattern_of_hosts_that_says_more_than_a_host_is_refused_and_says_why() {
    for (pattern, why) in [
        ("a.example", None),
        ("a.example:80", None),
        ("a.example:*", None),
        ("[1::]:80", None),
        ("a.example:+80", Some("is no port")),
        ("a.example:", Some("is no port")),
        ("a.example:99999", Some("is no port")),
        ("a.example/x", Some("it is a host and nothing else")),
        ("u@a.example", Some("it is a host and nothing else")),
        ("a.example b", Some("it is a host and nothing else")),
    ] {
        let text = format!(
            "version = 1\n[agents.bot]\ntools = [\"*\"]\n[agents.bot.tool_config.fetch]\nallowed_domains = [\"{pattern}\"]\n"
        );
        let loaded = Policy::load("p.toml", &text, Syntax::Toml, &registry(), Paths::new("/work"));
        let told = loaded.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(told.is_empty(), why.is_none(), "{pattern}: {told}");
        assert!(told.contains(why.unwrap_or_default()), "{pattern}: {told}");
    }
}

#[test]
fn a_recipient_is_one_address_and_a_name_in_front_hides_no_other() {
    let rules = "allowed_recipients = [\"ann@a.example\", \"*@*.b.example\"]";
    let to = |to: &str| json!({"to": to});
    hold(
        "send",
        &[
            (rules, to("ann@a.example"), ""),
            (rules, to("Ann <ann@a.example>"), ""),
            (rules, to("\"Ann, B\" <ann@a.example>"), ""),
            (rules, to("Ann, B <ann@a.example>"), "bad_address"),
            (rules, to("\" <ann@a.example>"), "bad_address"),
            (rules, to("\"a, b <ann@a.example>"), "bad_address"),
            (rules, to("a, b\" <ann@a.example>"), "bad_address"),
            (rules, to("x@c.b.example"), ""),
            (rules, to("x@b.example"), "recipient_not_allowed"),
            (rules, to("x@cb.example"), "recipient_not_allowed"),
            (rules, to("bob@a.example"), "recipient_not_allowed"),
            (rules, to("x@.b.example"), "recipient_not_allowed"),
        ],
    );
}

#[test]
fn only_a_line_of_plain_words_is_judged_by_its_program() {
    let rules = "allowed_commands = [\"echo *\", \"1a=b\", \"=a\", \"a-b=c\"]";
    let run = |line: &str| json!({"line": line});
    hold(
        "line",
        &[
            (rules, run("echo a 'b c'"), ""),
            (rules, run("ls"), "command_not_allowed"),
            (rules, run("echo a; ls"), "command_not_parsable"),
            (rules, run("  "), "command_not_parsable"),
            (rules, run("echo 'a"), "command_not_parsable"),
            (rules, run("A_1=b echo a"), "command_not_parsable"),
            // None of these is a name that can be assigned to, so each is a program.
            (rules, run("1a=b"), ""),
            (rules, run("=a"), ""),
            (rules, run("a-b=c"), ""),
        ],
    );
}

#[test]
fn links_are_followed_forty_times_and_no_more() {
    let dir = tool_trials::directory();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir(root.join("open")).unwrap();
    for n in 0..41 {
        let target = if n == 0 { "open/file".to_owned() } else { format!("l{}", n - 1) };
        std::os::unix::fs::symlink(target, root.join(format!("l{n}"))).unwrap();
    }
    std::os::unix::fs::symlink("closed/file", root.join("out")).unwrap();
    let rules = "allowed_paths = [\"open/**\"]";
    for (path, want) in [
        ("open/file", None),
        ("l0", None),
        ("l39", None),
        ("l40", Some("path_not_allowed")),
        ("out", Some("path_not_allowed")),
        ("closed", Some("path_not_allowed")),
    ] {
        let got = call_below(&root, "read", rules, json!({"path": path})).err();
        assert_eq!(got.as_ref().map(ToolError::code_str), want, "{path}");
    }
}

#[test]
fn the_root_alone_is_a_pattern_and_dots_are_no_part_of_one() {
    let path = |path: &str| json!({"path": path});
    hold(
        "read",
        &[
            ("denied_paths = [\"/\"]", path("/"), "path_denied"),
            ("denied_paths = [\"/\"]", path("/a"), ""),
            ("allowed_paths = [\"./a//b\"]", path("a/b"), ""),
            ("allowed_paths = [\"a/./*\"]", path("a/b"), ""),
            ("allowed_paths = [\"a/./*\"]", path("b"), "path_not_allowed"),
            ("allowed_paths = [\"a//*\"]", path("a/b"), ""),
        ],
    );
}

#[test]
fn a_policy_says_whom_it_knows_and_what_holds_for_them() {
    let rules = "rate = \"5/min\"\nflags = { memory = false, web = true }\n\
                 [agents.bot.tool_config.count]\nrate = \"2/min\"";
    let policy = policy(rules, Path::new("/work"));
    assert_eq!((policy.knows("bot"), policy.knows("other")), (true, false));
    assert_eq!(policy.flags("bot"), [("memory".to_owned(), false), ("web".to_owned(), true)]);
    assert!(policy.flags("other").is_empty());
    assert!(
        policy.agent_limits("bot") != Limits::default() && policy.agent_limits("other") == Limits::default()
    );
    let registry = registry();
    let limits = |tool: &str| policy.tool_limits("bot", registry.get(tool).unwrap());
    assert!(limits("count") != Limits::default() && limits("read") == Limits::default());
    assert_eq!(policy.sha256().len(), 64);
    let other = self::policy("", Path::new("/work"));
    assert_ne!(policy.sha256(), other.sha256());
    assert!(!other.has_path_rules("bot", "read") && !policy.has_path_rules("bot", "count"));
}

#[test]
fn a_policy_file_is_read_by_its_name_and_up_to_its_largest_size() {
    let dir = tool_trials::directory();
    let text = "version = 1\n[agents.bot]\ntools = [\"*\"]\n";
    let yaml = "version: 1\nagents: {bot: {tools: [\"*\"]}}\n";
    let largest = format!("{text}#{}", "x".repeat(1024 * 1024 - text.len() - 1));
    let larger = format!("{largest}x");
    let wide = format!("{}ää", largest.strip_suffix('x').unwrap());
    let no_text = [text.as_bytes(), b"# \xff"].concat();
    let no_text_of_most = [largest.strip_suffix('x').unwrap().as_bytes(), b"\xff"].concat();
    for (name, text, want) in [
        ("p.toml", text, None),
        ("p.yaml", yaml, None),
        ("p.yml", yaml, None),
        ("p.json", yaml, Some("policy_unreadable")),
        ("p", text, Some("policy_unreadable")),
        ("largest.toml", largest.as_str(), None),
        ("larger.toml", larger.as_str(), Some("policy_too_large")),
        // It is cut in the middle of a character, and is too large all the same.
        ("wide.toml", wide.as_str(), Some("policy_too_large")),
    ]
    .map(|(name, text, want)| (name, text.as_bytes(), want))
    .into_iter()
    .chain([
        ("bytes.toml", &no_text[..], Some("policy_unreadable")),
        ("most_bytes.toml", &no_text_of_most[..], Some("policy_unreadable")),
    ]) {
        let file = dir.path().join(name);
        fs::write(&file, text).unwrap();
        let read = Policy::read(&file, &registry(), Paths::new("/work"));
        let got = read.as_ref().err().map(ToolError::code_str);
        assert_eq!(got, want, "{name}");
        assert!(read.is_err() || read.unwrap().agents().eq(["bot"]), "{name}");
    }
    let folder = dir.path().join("d.toml");
    fs::create_dir(&folder).unwrap();
    for unreadable in [folder, dir.path().join("absent.toml")] {
        let error = Policy::read(&unreadable, &registry(), Paths::new("/work")).unwrap_err();
        assert_eq!(error.code_str(), "policy_unreadable");
    }
}

#[test]
fn each_rule_that_looks_at_a_call_says_whether_it_holds() {
    let registry = registry();
    let policy =
        policy("[agents.bot.tool_config.fetch]\nallowed_domains = [\"x.example\"]", Path::new("/work"));
    for (url, code) in [("https://x.example/a", None), ("https://y.example/a", Some("domain_not_allowed"))] {
        let (args, given) = (json!({ "url": url }), ["url".to_owned()]);
        let request =
            PolicyRequest { agent: "bot", tool: registry.get("fetch").unwrap(), args: &args, given: &given };
        let verdicts: Vec<Value> = policy.explain(&request).iter().map(Verdict::to_json).collect();
        let told: Vec<_> = verdicts
            .iter()
            .map(|verdict| (&verdict["rule"], &verdict["pointer"], &verdict["code"]))
            .collect();
        assert_eq!(told, [(&json!("allowed_domains"), &json!("/url"), &json!(code))], "{url}");
        assert_eq!(verdicts.iter().all(|verdict| verdict["holds"] == true), code.is_none());
    }
}

#[test]
fn a_program_that_runs_whatever_its_arguments_say_is_warned_of() {
    let warned = |commands: &str| {
        let rules = format!("[agents.bot.tool_config.line]\nallowed_commands = [{commands}]");
        let warnings = policy(&rules, Path::new("/work")).lint();
        warnings.iter().map(|warning| (warning.code, warning.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(warned(r#""git status", "ls""#), []);
    let wide = warned(r#""ls", "python3""#);
    assert_eq!((wide.len(), wide[0].0), (1, "policy_wide_command"));
    assert!(
        wide[0].1.starts_with("6:") && wide[0].1.contains("bot may run python3 with any arguments"),
        "{wide:?}"
    );
}

#[test]
fn what_the_caller_gave_is_what_must_or_must_not_be_given() {
    let forbid = "args = { word = { forbid = true } }";
    let require = "args = { word = { require = true } }";
    hold(
        "count",
        &[
            (forbid, json!({"word": "a"}), "arg_forbidden"),
            (forbid, json!({"whole": 1}), ""),
            (require, json!({"whole": 1}), "arg_required"),
            (require, json!({"word": "a"}), ""),
        ],
    );
}

#[test]
fn hosts_are_any_one_or_below_with_the_port_that_is_said() {
    let port = "allowed_domains = [\"a.example:8443\"]";
    let any = "allowed_domains = [\"*\"]";
    let any_port = "allowed_domains = [\"a.example:*\"]";
    let six = "allowed_domains = [\"[::1]:8080\", \"[::2]\"]";
    let plain = "allowed_domains = [\"http://a.example:80\"]";
    hold(
        "fetch",
        &[
            (any, json!({"url": "https://anything.test/"}), ""),
            (any, json!({"url": "https://anything.test:8443/"}), "domain_not_allowed"),
            (port, json!({"url": "https://a.example:8443/"}), ""),
            (port, json!({"url": "https://a.example/"}), "domain_not_allowed"),
            (port, json!({"url": "https://b.example:8443/"}), "domain_not_allowed"),
            (any_port, json!({"url": "https://a.example:1/"}), ""),
            (six, json!({"url": "http://[::1]:8080/"}), ""),
            (six, json!({"url": "http://[::1]:8081/"}), "domain_not_allowed"),
            (six, json!({"url": "http://[::2]/"}), ""),
            (plain, json!({"url": "http://a.example/"}), ""),
            (plain, json!({"url": "https://a.example/"}), "domain_not_allowed"),
        ],
    );
}

#[test]
fn what_a_capability_reaches_or_opens_is_judged_like_a_parameter() {
    let web = policy("[agents.bot.tool_config.fetch]\ndenied_domains = [\"b.example\"]", Path::new("/work"));
    let reached = |agent: &str, tool: &str, url: &str| {
        web.judge_url(agent, tool, url)
            .map_err(|error| (error.code_str().to_owned(), error.message().to_owned()))
    };
    let (code, message) = reached("bot", "fetch", "https://b.example/x").unwrap_err();
    assert!(code == "domain_denied" && message.starts_with("fetch: host "), "{code} {message}");
    assert!(reached("bot", "fetch", "https://a.example/").is_ok());
    assert!(
        reached("bot", "read", "https://b.example/").is_ok()
            && reached("cat", "fetch", "https://b.example/").is_ok()
    );
    let error = web.judge_url("bot", "fetch", "https://b.example/").unwrap_err();
    assert_eq!(
        (error.effect_value(), &error.details()["layer"]),
        (Some(tool_core::Effect::None), &json!("gate"))
    );

    let files = policy("[agents.bot.tool_config.read]\nallowed_paths = [\"src/**\"]", Path::new("/work"));
    let opened = |tool: &str, path: &str| files.judge_path("bot", tool, Path::new(path));
    let error = opened("read", "/work/doc/a").unwrap_err();
    assert_eq!((error.code_str(), error.effect_value()), ("path_not_allowed", Some(tool_core::Effect::None)));
    assert!(error.message().starts_with("read: path "), "{error}");
    assert!(opened("read", "/work/src/a").is_ok() && opened("fetch", "/work/doc/a").is_ok());
    assert!(files.has_path_rules("bot", "read") && !files.has_path_rules("bot", "fetch"));
    assert!(!web.has_path_rules("bot", "read") && !files.has_path_rules("cat", "read"));
}

#[test]
fn nobody_is_sent_to_until_somebody_is_allowed() {
    let some = "allowed_recipients = [\"*@a.example\"]";
    let denied = "denied_recipients = [\"*@a.example\"]";
    hold(
        "send",
        &[
            ("", json!({"to": "me@b.example"}), "no_allow_list"),
            (denied, json!({"to": "me@b.example"}), "no_allow_list"),
            (denied, json!({"to": "me@a.example"}), "recipient_denied"),
            (some, json!({"to": "me@a.example"}), ""),
            (some, json!({"to": "m e@a.example"}), "bad_address"),
            (some, json!({"to": "@a.example"}), "bad_address"),
        ],
    );
}

#[test]
fn the_beginning_of_a_pattern_is_resolved_and_says_nothing_by_dots_and_double_slashes() {
    let folder = tool_trials::directory();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir(root.join("real")).unwrap();
    std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
    for pattern in ["link/*", "./real//*", "real/./*", "//real/*", "re*/./*", "re*//*"] {
        let pattern = match pattern.strip_prefix("//") {
            Some(rest) => format!("{}//{rest}", root.display()),
            None => pattern.to_owned(),
        };
        let rules = format!("allowed_paths = [{}]", json!(pattern));
        for (path, code) in [("real/a", ""), ("link/a", ""), ("a", "path_not_allowed")] {
            let called = call_below(&root, "read", &rules, json!({"path": path}));
            let got = called.err().map(|error| error.code_str().to_owned()).unwrap_or_default();
            assert_eq!(got, code, "{pattern} {path}");
        }
    }
}
