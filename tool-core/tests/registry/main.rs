//! The registry: what it refuses, in whole texts, and what it finds.

use serde_json::json;
use tool_core::catalogue::{Listed, listed};
use tool_core::def::{
    Behavior, Cache, CapabilityDef, Doc, Handler, Origin, Run, SecretDef, Source, ToolDef, ToolKeys,
};
use tool_core::registry::{ProblemCode, Unmet};
use tool_core::{
    AnyTool, DynTool, ErrorKind, Executor, Registry, RegistryError, Select, Tool, ToolContext, ToolError,
    ToolOutput, ToolSet,
};

mod schema_only;

fn enter(_: &mut tool_core::args::Args<'_>) -> Result<Run, ToolError> {
    Ok(Run::blocking(|_| Ok(ToolOutput::default())))
}

/// A definition as the macro would emit it, at a made-up place.
macro_rules! tool {
    ($handle:ident, $name:literal, $file:literal : $line:literal $(, $field:ident = $said:expr)* $(; $($key:ident = $value:expr),*)?) => {
        struct $handle;
        impl Tool for $handle {
            const DEF: &'static ToolDef<'static> = {
                static CACHE: Cache = Cache::new();
                static DEF: ToolDef<'static> = ToolDef {
                    $($field: $said,)*
                    $(keys: &ToolKeys { $($key: $value,)* ..ToolKeys::NONE },)?
                    ..ToolDef::new(
                        $name,
                        Doc::Text("Does it."),
                        Handler::Sync(enter),
                        Origin {
                            source: &Source { krate: "shop", version: "1.2.0", module: "shop", file: $file },
                            line: $line,
                        },
                        &CACHE,
                    )
                };
                &DEF
            };
        }
    };
}

struct Db;
trait Mailer: Send + Sync {}
impl Mailer for Db {}

tool!(Read, "read_file", "src/a.rs": 1, group = Some("file"); aliases = &["read"], tags = &["disk"]);
tool!(Write, "write_file", "src/b.rs": 2, group = Some("file"), behavior = Behavior { side_effect: true, idempotent: false, destructive: false, open_world: false });
tool!(OtherRead, "read_file", "src/c.rs": 3);
tool!(Dashed, "read-File", "src/d.rs": 4);
tool!(TakesAlias, "cat", "src/e.rs": 5; aliases = &["write_file"]);
tool!(NeedsDb, "query", "src/f.rs": 6; capabilities = &[CapabilityDef::required::<Db>()]);
tool!(MayUseDb, "maybe", "src/g.rs": 7; capabilities = &[CapabilityDef::optional::<Db>()]);
tool!(Eu, "eu", "src/h.rs": 8; secrets = &[SecretDef { choices: &["eu"], ..SecretDef::required("REGION") }]);
tool!(Us, "us", "src/i.rs": 9; secrets = &[SecretDef { choices: &["us"], ..SecretDef::required("REGION") }]);
tool!(DupA, "dup_a", "src/j.rs": 10);
tool!(DupA2, "dup_a", "src/k.rs": 11);
tool!(DupB, "dup_b", "src/l.rs": 12);
tool!(DupB2, "dup_b", "src/m.rs": 13);
tool!(Other, "other", "src/n.rs": 14; aliases = &["dup_c_alias"]);
tool!(Third, "third", "src/o.rs": 15; aliases = &["dup_c_alias"]);
tool!(NeedsTwo, "two", "src/p.rs": 16; capabilities = &[CapabilityDef::required::<Db>(), CapabilityDef::required::<dyn Mailer>()]);
tool!(NeedsMailer, "mail", "src/q.rs": 17; capabilities = &[CapabilityDef::required::<dyn Mailer>()]);
static BOTH: ToolSet = ToolSet { name: "shop::BOTH", tools: &[Read::DEF, Write::DEF] };

fn lines(error: RegistryError) -> Vec<String> {
    error.to_string().lines().map(str::to_owned).collect()
}

#[test]
fn tools_are_sorted_by_name_and_found_by_name_and_alias() {
    let registry = Registry::builder().add::<Write>().add::<Read>().add::<Read>().build().unwrap();
    let names: Vec<_> = registry.iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["read_file", "write_file"]);
    assert_eq!(registry.get("read").unwrap().name(), "read_file");
    assert!(registry.get("READ").is_none());
    assert_eq!((registry.len(), registry.is_empty()), (2, false));
    let listed = listed(&registry, |tool| format!("of {}", tool.name()));
    let read = Listed {
        name: "read_file".to_owned(),
        aliases: vec!["read".to_owned()],
        group: Some("file".to_owned()),
        tags: vec!["disk".to_owned()],
        fingerprint: "of read_file".to_owned(),
    };
    assert_eq!((listed.len(), &listed[0]), (2, &read));
    assert_eq!(registry.get("read").unwrap().def().origin.to_string(), "shop 1.2.0 src/a.rs:1");
}

#[test]
fn two_tools_of_one_name_are_refused_with_both_origins() {
    // Whichever is linked first.
    for builder in [
        Registry::builder().add::<Read>().add::<OtherRead>(),
        Registry::builder().add::<OtherRead>().add::<Read>(),
    ] {
        assert_eq!(
            lines(builder.build().unwrap_err()),
            [
                "duplicate_name: two tools are called `read_file`: shop 1.2.0 src/a.rs:1 and shop 1.2.0 src/c.rs:3; \
              rename one with `name = \"…\"`, or prefix a set"
            ]
        );
    }
}

#[test]
fn names_that_hosts_fold_together_are_refused() {
    let error = Registry::builder().add::<Read>().add::<Dashed>().build().unwrap_err();
    assert_eq!(
        lines(error),
        [
            "name_clash: `read-File` (shop 1.2.0 src/d.rs:4) and `read_file` (shop 1.2.0 src/a.rs:1) differ only in case \
          or in `-` and `_`"
        ]
    );
}

#[test]
fn an_alias_that_is_another_tools_name_is_refused() {
    let error = Registry::builder().add::<Write>().add::<TakesAlias>().build().unwrap_err();
    assert_eq!(
        lines(error),
        [
            "alias_clash: alias `write_file` of `cat` (shop 1.2.0 src/e.rs:5) is a name of `write_file` (shop 1.2.0 \
          src/b.rs:2)"
        ]
    );
    assert!(Registry::builder().add::<TakesAlias>().build().is_ok());
}

#[test]
fn what_the_linker_dropped_is_named_with_what_to_do() {
    let error = Registry::builder().add::<Read>().expect(&BOTH).build().unwrap_err();
    assert_eq!(
        lines(error),
        [
            "missing: set `shop::BOTH` expects `write_file`, but it is not linked; mention its crate with `use shop as _;`, \
          or add the set with `add_set`"
        ]
    );
    assert_eq!(Registry::builder().add_set(&BOTH).expect(&BOTH).build().unwrap().len(), 2);
    // A tool of that name in another crate is not the one that is expected, and one without its code names it well enough.
    const fn named(krate: &'static str, cache: &'static Cache) -> ToolDef<'static> {
        let source: &'static Source<'static> = match krate.len() {
            4 => &Source { krate: "shop", version: "1.2.0", module: "shop", file: "src/a.rs" },
            _ => &Source { krate: "other", version: "0.1.0", module: "other", file: "src/a.rs" },
        };
        let origin = Origin { source, line: 1 };
        ToolDef::new("read_file", Doc::Text("Does it."), Handler::Sync(enter), origin, cache)
    }
    static CACHES: [Cache; 2] = [Cache::new(), Cache::new()];
    static OWN: ToolDef<'static> = named("shop", &CACHES[0]);
    static OTHER: ToolDef<'static> = named("other", &CACHES[1]);
    static NAMED: ToolSet = ToolSet { name: "shop::NAMED", tools: &[&OWN] };
    static OTHERS: ToolSet = ToolSet { name: "other::ALL", tools: &[&OTHER] };
    assert!(Registry::builder().add::<Read>().expect(&NAMED).build().is_ok());
    let lost = lines(Registry::builder().add::<Read>().expect(&OTHERS).build().unwrap_err());
    assert!(lost[0].starts_with("missing: set `other::ALL` expects `read_file`,"), "{lost:?}");
}

#[test]
fn an_empty_registry_says_what_to_link() {
    assert_eq!(
        lines(Registry::builder().build().unwrap_err()),
        [
            "empty: no tool is registered; no tool crate is linked: mention one with `use my_tools as _;`, or use \
          `tool_set!` and `add_set`"
        ]
    );
}

#[test]
fn a_pattern_that_matches_nothing_is_refused_with_the_nearest_name() {
    let select = |text| Registry::builder().add_set(&BOTH).only(Select::parse(text).unwrap()).build();
    assert_eq!(
        lines(select("raed_file").unwrap_err()),
        ["selection_empty: the pattern `raed_file` matches no tool; did you mean `read_file`?"]
    );
    assert_eq!(
        lines(select("reed").unwrap_err()),
        ["selection_empty: the pattern `reed` matches no tool; did you mean `read_file`?"]
    );
    assert_eq!(
        lines(select("!group:fle").unwrap_err()),
        ["selection_empty: the pattern `!group:fle` matches no tool; did you mean `group:file`?"]
    );
    for (text, kept) in [
        ("read", 1),
        ("group:file", 2),
        ("!tag:disk", 1),
        ("effect:read_only", 1),
        ("effect:side_effect", 1),
        ("*_file,!write*", 1),
    ] {
        assert_eq!(select(text).unwrap().len(), kept, "{text}");
    }
}

#[test]
fn names_that_begin_alike_are_told_apart() {
    let names = ["catalogu", "catalogue", "catalogue_add", "catalogue_of", "cat", "catalog", "dog"];
    let tool = |name: &str| {
        let tool = DynTool::builder(name).description("Does it.").input_schema(json!({"type": "object"}));
        tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap()
    };
    let registry = names.iter().fold(Registry::builder(), |builder, name| builder.add_dyn(tool(name)));
    let registry = registry.build().unwrap();
    for name in names {
        assert_eq!(registry.get(name).map(|tool| tool.name()), Some(name));
    }
    for name in ["", "c", "catalogs", "catalogue_", "catalogue_ad", "catalogue_z", "do", "dogs", "zebra"] {
        assert!(registry.get(name).is_none(), "{name}");
    }
}

#[test]
fn renames_keep_aliases_and_a_prefix_stands_before_names_and_aliases() {
    let build = |from, to| Registry::builder().add::<Read>().rename(from, to).prefix("fs_").build();
    let registry = build("read_file", "cat").unwrap();
    assert_eq!(registry.get("fs_cat").unwrap().name(), "fs_cat");
    assert_eq!(registry.get("fs_read").unwrap().name(), "fs_cat");
    assert!(registry.get("read").is_none() && registry.get("read_file").is_none());
    let twice = registry.to_builder().prefix("my_").build().unwrap();
    assert_eq!(twice.get("my_fs_read").unwrap().names().collect::<Vec<_>>(), ["my_fs_cat", "my_fs_read"]);
    let plain = Registry::builder().add::<Read>().rename("read_file", "cat").build().unwrap();
    assert_eq!(plain.get("read").unwrap().name(), "cat");
    let exchanged = Registry::builder().add_set(&BOTH);
    let exchanged = exchanged.rename("read_file", "write_file").rename("write_file", "read_file");
    let exchanged = exchanged.build().unwrap();
    assert_eq!(exchanged.get("read_file").unwrap().def().name, "write_file");
    assert_eq!(exchanged.get("read").unwrap().name(), "write_file");
    assert_eq!(exchanged.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["read_file", "write_file"]);
    // One definition is one tool, whatever is sorted between its two names.
    let again = plain.to_builder().add::<DupA>().add::<Read>().build().unwrap();
    assert_eq!(again.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["cat", "dup_a"]);
    assert_eq!(
        lines(build("red_file", "cat").unwrap_err()),
        ["rename_unknown: there is no tool `red_file` to rename; did you mean `read_file`?"]
    );
    assert_eq!(
        lines(build("read_file", "a b").unwrap_err()),
        ["name_invalid: `fs_a b` must match ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$; try `fs_a_b`"]
    );
}

#[test]
fn a_missing_capability_is_an_error_that_names_tool_and_type() {
    let build =
        |ctx: ToolContext| Registry::builder().add::<NeedsDb>().add::<MayUseDb>().capabilities(&ctx).build();
    let error = build(ToolContext::empty()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "capability_missing: `query` (shop 1.2.0 src/f.rs:6) needs registry::Db, which the context does not provide"
    );
    assert_eq!(ToolError::from(error).kind(), ErrorKind::NotConfigured);
    assert!(build(ToolContext::builder().provide(Db).build()).is_ok());
    let by_trait = ToolContext::builder().provide_arc::<dyn Mailer>(std::sync::Arc::new(Db)).build();
    assert!(by_trait.require::<dyn Mailer>().is_ok());
}

#[test]
fn tools_that_cannot_run_may_stay_and_are_told_apart() {
    let build = |unmet| {
        let builder = Registry::builder().add::<NeedsDb>().add::<MayUseDb>();
        builder.capabilities(&ToolContext::empty()).unmet(unmet).build()
    };
    assert!(build(Unmet::Refuse).is_err());
    let registry = build(Unmet::Hide).unwrap();
    let empty = ToolContext::empty();
    let unmet: Vec<_> =
        registry.unmet(&empty).map(|(tool, capability)| (tool.name(), capability.short_name())).collect();
    assert_eq!(unmet, [("query", "Db")]);
    assert!(Executor::standard(registry.clone()).capabilities(&empty).build().is_ok());
    assert!(registry.to_builder().capabilities(&empty).build().is_ok(), "a changed set keeps the decision");
    assert_eq!(registry.unmet(&ToolContext::builder().provide(Db).build()).count(), 0);
}

#[test]
fn an_executor_is_not_built_for_a_context_that_lacks_what_its_tools_need() {
    let registry = Registry::builder().add::<NeedsDb>().add::<MayUseDb>().build().unwrap();
    let build = |ctx: &ToolContext| Executor::standard(registry.clone()).capabilities(ctx).build();
    let error = build(&ToolContext::empty()).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotConfigured, "capability_missing"));
    assert!(error.message().contains("`query` (shop 1.2.0 src/f.rs:6) needs registry::Db"), "{error:?}");
    assert!(build(&ToolContext::builder().provide(Db).build()).is_ok());
}

#[test]
fn one_secret_with_two_lists_of_choices_is_refused() {
    let error = Registry::builder().add::<Eu>().add::<Us>().build().unwrap_err();
    assert_eq!(
        lines(error),
        ["secret_conflict: `eu` and `us` declare the secret `REGION` with different choices"]
    );
    assert!(Registry::builder().add::<Eu>().build().is_ok());
}

#[test]
fn all_problems_come_at_once_sorted_by_tool() {
    let error = Registry::builder()
        .add::<Read>()
        .add::<OtherRead>()
        .add::<Write>()
        .add::<TakesAlias>()
        .add::<NeedsDb>()
        .add::<Eu>()
        .add::<Us>()
        .capabilities(&ToolContext::empty())
        .build()
        .unwrap_err();
    let codes: Vec<_> = error.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(
        codes,
        [
            ProblemCode::AliasClash,
            ProblemCode::SecretConflict,
            ProblemCode::CapabilityMissing,
            ProblemCode::DuplicateName
        ]
    );
}

#[test]
fn eleven_problems_of_five_kinds_come_in_one_error_each_with_file_and_line() {
    let error = Registry::builder()
        .add::<Read>()
        .add::<OtherRead>()
        .add::<Dashed>()
        .add::<DupA>()
        .add::<DupA2>()
        .add::<DupB>()
        .add::<DupB2>()
        .add::<Write>()
        .add::<TakesAlias>()
        .add::<Other>()
        .add::<Third>()
        .add::<NeedsDb>()
        .add::<NeedsTwo>()
        .add::<NeedsMailer>()
        .only(Select::parse("!nothing_like_it").unwrap())
        .capabilities(&ToolContext::empty())
        .build()
        .unwrap_err();
    let count = |code| error.problems.iter().filter(|problem| problem.code == code).count();
    assert_eq!(count(ProblemCode::DuplicateName), 3, "{error}");
    assert_eq!(count(ProblemCode::AliasClash), 2, "{error}");
    assert_eq!(count(ProblemCode::NameClash), 1, "{error}");
    assert_eq!(count(ProblemCode::CapabilityMissing), 4, "{error}");
    assert_eq!(count(ProblemCode::SelectionEmpty), 1, "{error}");
    assert_eq!(error.problems.len(), 11, "{error}");
    for problem in error.problems.iter().filter(|problem| problem.code != ProblemCode::SelectionEmpty) {
        assert!(problem.text.contains("src/") && problem.text.contains(".rs:"), "{problem}");
    }
}

#[test]
fn schema_only_tools_are_checked_when_they_are_made() {
    let build = |name: &str, text: &str, schema| {
        DynTool::builder(name).description(text).input_schema(schema).build().map(drop).map_err(lines)
    };
    let object = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    assert_eq!(build("echo", "Says it.", object.clone()), Ok(()));
    assert_eq!(
        build("e cho", " ", object).unwrap_err(),
        [
            "description_missing: `e cho` has no description",
            "name_invalid: `e cho` must match ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$; try `e_cho`"
        ]
    );
    for (schema, start) in [
        (json!({"type": "array"}), "schema_invalid: the input schema of `echo` is not valid at `/type`: "),
        (json!(false), "schema_false: the input schema of `echo` is not valid at ``: it accepts nothing"),
        (
            json!({"type": "object", "properties": {"a": {"type": "strin"}}}),
            "schema_invalid: the input schema of `echo` is not valid at `/properties/a/type`: ",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://x.example/a"}}}),
            "schema_remote_ref: the input schema of `echo` is not valid at `/properties/a/$ref`: `https://x.example/a` is",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=a)"}}}),
            "schema_invalid: the input schema of `echo` is not valid at",
        ),
        (
            json!({"type": "object", "properties": {"a": false}}),
            "schema_false: the input schema of `echo` is not valid at `/properties/a`: the schema accepts nothing",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}),
            "schema_invalid: the input schema of `echo` is not valid at `/properties/a`: there is nothing at `#/$defs/b`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}}),
            "schema_invalid: the input schema of `echo` is not valid at ``: `#/$defs/a` leads back to itself without going \
             into the value",
        ),
    ] {
        let error = build("echo", "Says it.", schema).unwrap_err().join("\n");
        assert!(error.starts_with(start), "{error}");
    }
    let dynamic =
        json!({"type": "object", "$dynamicAnchor": "t", "properties": {"a": {"$dynamicRef": "#t"}}});
    assert_eq!(
        build("echo", "Says it.", dynamic).unwrap_err(),
        [
            "schema_invalid: the input schema of `echo` is not valid at `/properties/a/$dynamicRef`: `$dynamicRef` is not \
          followed; write `$ref` with `#/$defs/NAME`"
        ]
    );
    let named_so = json!({"type": "object", "properties": {"$dynamicRef": {"type": "string"}}});
    assert_eq!(build("echo", "Says it.", named_so), Ok(()));
    let tree = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    assert_eq!(build("echo", "Says it.", tree), Ok(()));
    let deep = (0..40).fold(json!({}), |inner, _| json!({"type": "object", "properties": {"a": inner}}));
    assert!(build("echo", "Says it.", deep).unwrap_err()[0].contains("deeper than 32 levels"));
}

/// What is said beside the schema must have a parameter to say it of: a misspelt secret would be shown.
#[test]
fn what_is_said_of_a_parameter_must_fit_the_schema() {
    let schema =
        json!({"type": "object", "properties": {"token": {"type": "string"}, "path": {"type": "string"}}});
    let builder = || DynTool::builder("fetch").description("Fetches it.").input_schema(schema.clone());
    let error = builder()
        .param("tokn", |param| param.secret())
        .param("path", |param| param.alias("file").alias("token"))
        .param("token", |param| param.alias("file"))
        .build()
        .unwrap_err();
    assert_eq!(
        lines(error),
        [
            "param_clash: `fetch` has two parameters called `file`: `path` and an alias of `token`",
            "param_clash: `fetch` has two parameters called `token`: `token` and an alias of `path`",
            "param_unknown: the input schema of `fetch` has no parameter `tokn`; did you mean `token`?"
        ]
    );
    let tool = builder()
        .param("token", |param| param.secret())
        .param("path", |param| param.alias("file"))
        .build()
        .unwrap();
    assert!(tool.def().params.iter().any(|param| param.name == "token" && param.keys.secret));
}

#[test]
fn a_changed_set_is_a_new_registry() {
    let first = Registry::builder().add::<Read>().build().unwrap();
    let second = first.to_builder().add::<Write>().build().unwrap();
    assert_eq!((first.len(), second.len()), (1, 2));
}

/// Types that are flattened, and what is wrong with it.
#[allow(dead_code, reason = "they are only looked into")]
mod flattened {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use tool_core::prelude::*;

    /// Two fields.
    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Page {
        /// Words.
        query: String,
        /// How many.
        limit: u32,
    }

    /// Two cases.
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    pub(super) enum Sort {
        /// By a field.
        By { field: String },
        /// Up to a limit.
        Top { limit: u32 },
    }

    /// Two texts.
    #[derive(Deserialize, JsonSchema)]
    pub(super) enum Level {
        /// Low.
        Low,
        /// High.
        High,
    }

    macro_rules! tools {
        ($($name:ident($($(#[$attr:meta])? $param:ident: $type:ty),+);)+) => {$(
            /// Finds.
            #[tool(register = false)]
            pub(super) fn $name($(
                /// It.
                $(#[$attr])?
                $param: $type
            ),+) {
                $(let _ = $param;)+
            }
        )+};
    }

    tools! {
        sound(query: String, #[arg(flatten)] page: Sort);
        no_struct(#[arg(flatten)] level: Level);
        number(#[arg(flatten)] n: u8);
        named_twice(query: String, #[arg(flatten)] page: Page);
        by_alias(#[arg(aliases = ["query"])] words: String, #[arg(flatten)] page: Page);
        by_fields(#[arg(flatten)] page: Page, #[arg(flatten)] sort: Sort);
    }
}

#[test]
fn flattened_types_are_looked_into_when_the_registry_is_built() {
    use flattened::*;
    let said = |def| Registry::builder().add_def(def).build().map(drop).map_err(lines);
    assert_eq!(said(SoundTool::DEF), Ok(()));
    for (def, text) in [
        (
            NoStructTool::DEF,
            "flatten_not_object: parameter `level` of `no_struct` flattens `Level`, which is neither a struct nor an \
             internally tagged enum",
        ),
        (
            NumberTool::DEF,
            "flatten_not_object: parameter `n` of `number` flattens `integer 0..=255`, which is neither a struct nor an \
             internally tagged enum",
        ),
        (
            NamedTwiceTool::DEF,
            "param_clash: `named_twice` has two parameters called `query`: `query` and a field of the flattened `page`",
        ),
        (
            ByAliasTool::DEF,
            "param_clash: `by_alias` has two parameters called `query`: `words` and a field of the flattened `page`",
        ),
        (
            ByFieldsTool::DEF,
            "param_clash: `by_fields` has two parameters called `limit`: a field of the flattened `page` and a field of \
             the flattened `sort`",
        ),
    ] {
        assert_eq!(said(def).unwrap_err(), [text]);
    }
}

/// The codes of registry.md §7: each has a test here for its whole text.
#[test]
fn every_code_has_its_text_told_here() {
    let told = concat!(include_str!("main.rs"), include_str!("../../src/registry/header.rs"));
    for (code, word) in ProblemCode::ALL {
        // A pattern that is no selection is refused before there is a registry.
        let elsewhere = code == ProblemCode::SelectionInvalid;
        assert!(elsewhere || told.contains(&format!("\"{word}: ")), "{word}");
    }
}

#[test]
fn effects_select_the_tools_that_have_them() {
    let select = |text| {
        let registry = Registry::builder().add_set(&BOTH).only(Select::parse(text).unwrap()).build().unwrap();
        registry.iter().map(|entry| entry.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(select("effect:read_only"), ["read_file"]);
    assert_eq!(select("!effect:read_only"), ["write_file"]);
}

#[test]
fn registries_and_what_is_in_them_are_told_by_their_names() {
    let builder = Registry::builder().add::<Read>();
    assert!(format!("{builder:?}").contains("read_file"));
    let registry = builder.build().unwrap();
    assert!(!registry.is_empty() && registry.len() == 1);
    assert_eq!(format!("{registry:?}"), "[ToolEntry(read_file from shop 1.2.0 src/a.rs:1)]");
    let dynamic = DynTool::builder("fetch").description("Fetches it.");
    assert!(format!("{dynamic:?}").contains("fetch"));
    assert!(format!("{:?}", dynamic.build().unwrap()).contains("fetch"));
}

#[test]
fn schemas_that_are_built_are_counted() {
    let before = Registry::built();
    let schema = json!({"type": "object", "properties": {"url": {"type": "string"}}});
    for name in ["one", "two", "three"] {
        let tool =
            DynTool::builder(name).description("Does it.").input_schema(schema.clone()).build().unwrap();
        tool.def().input_schema().unwrap();
    }
    assert!(Registry::built() >= before + 3);
}
