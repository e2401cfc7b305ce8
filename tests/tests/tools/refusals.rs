//! What is proved of every tool that takes paths and sizes: what is hostile, too long or too large is refused, its twin is not.

use std::sync::Arc;

use serde_json::Value;
use tool_core::ErrorKind;
use tool_core::test::{CallResult, ToolKit};
use tool_std::test::FaultFs;

use crate::common::{CANARY, Setting, Subject, hostile, place};
use crate::effects::faulty;

/// What is refused for its size is refused before anything is looked at.
pub(crate) fn refused_before_work(
    subject: &Subject,
    args: &Value,
    limits: &[(&'static str, u64)],
    code: &str,
) {
    let faults = Arc::new(FaultFs::counting());
    let setting = Setting { limits: limits.to_vec(), ..faulty(subject, &faults) };
    let (_, result) = subject.call(setting, args);
    assert_eq!(result.unwrap_err().code_str(), code, "{args}");
    assert_eq!(faults.operations(), [], "{args}");
}

/// A way out: how a path is written, given the absolute path of what is beside the root.
const WAYS_OUT: [fn(&str) -> String; 6] = [
    |_| "../secret.txt".to_owned(),
    |_| "/etc/hostname".to_owned(),
    |_| "outside/secret.txt".to_owned(),
    |_| "d/../outside/secret.txt".to_owned(),
    |_| "d/../../secret.txt".to_owned(),
    |beside| format!("{beside}/secret.txt"),
];

/// No path leads out, and nothing that is protected is read or changed; the twin inside goes on.
pub(crate) fn attacks_do_not_get_through(
    subject: &Subject,
    args: impl Fn(&str) -> Value,
    protected: &[&str],
    twin: &str,
) {
    let setting = || Setting { prepare: Some(hostile), ..subject.setting() };
    let check = |args: &Value, kit: &ToolKit, result: &CallResult, code: &str| {
        let error = result.as_ref().unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::Denied, code), "{args}: {error:?}");
        assert!(!format!("{error:?}").contains(CANARY), "{args}: {error:?}");
        let secret = place(kit).beside().join("secret.txt");
        assert_eq!(std::fs::read_to_string(secret).unwrap(), CANARY, "{args}");
        assert_eq!(std::fs::read_dir(place(kit).beside()).unwrap().count(), 1, "{args}");
    };
    for way in WAYS_OUT {
        let kit = subject.recipe(setting()).build();
        let args = args(&way(place(&kit).beside().to_str().unwrap()));
        let result = kit.call_blocking(subject.tool, args.clone());
        kit.script().forgive();
        check(&args, &kit, &result, "path_escape");
    }
    for path in protected {
        let args = args(path);
        let (kit, result) = subject.call(setting(), &args);
        check(&args, &kit, &result, "protected_path");
    }
    let (_, result) = subject.call(setting(), &args(twin));
    result.unwrap();
}

/// A row of a table of bounds: a call, the limits that are set, and the code of its error; none of a success.
pub(crate) type Bound = (Value, &'static [(&'static str, u64)], Option<&'static str>);

/// What is within a bound is taken, and what is beyond is refused.
pub(crate) fn bounds_hold(subject: &Subject, bounds: &[Bound]) {
    let mut wrong = Vec::new();
    for (args, limits, code) in bounds {
        let setting = Setting { limits: limits.to_vec(), ..subject.setting() };
        let (_, result) = subject.call(setting, args);
        if result.as_ref().err().map(|error| error.code_str()) != *code {
            wrong.push(format!("{} is not {code:?}: {result:?}", cut(args)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn cut(args: &Value) -> String {
    args.to_string().chars().take(200).collect()
}

/// The rows for the bounds that every path has: 255 bytes of a name, 4,096 of a path, characters of any script, and none.
pub(crate) fn bounds_of_paths(args: impl Fn(&str) -> Value, absent: Option<&'static str>) -> Vec<Bound> {
    let long = |bytes: usize| format!("{}n", "./".repeat((bytes - 1) / 2));
    vec![
        (args(&"n".repeat(255)), &[], absent),
        (args(&"n".repeat(256)), &[], Some("path_too_long")),
        (args(&long(4_095)), &[], absent),
        (args(&long(4_097)), &[], Some("path_too_long")),
        (args("größe 大きさ"), &[], absent),
        (args(""), &[], Some("path_invalid")),
    ]
}
