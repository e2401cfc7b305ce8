//! The table of the lints.

use super::{Hit, Level, Options, Place, Subject};
use super::{
    constraints, effects, laws, names, outputs, parameters, portability, schemas, sets, texts, values,
};
use crate::registry::{Registry, ToolEntry};

/// What a lint says of the tools of a set, or of the set.
type SetHits<'a> = Vec<(Option<&'a ToolEntry>, String)>;

/// What a lint looks at.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// A tool.
    Tool(fn(&Subject<'_>) -> Vec<Hit>),
    /// One place of its arguments.
    Place(fn(&Place<'_>) -> Option<String>),
    /// The whole set.
    Set(for<'a> fn(&'a Registry, &Options) -> SetHits<'a>),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// How bad it is.
    pub level: Level,
    /// Its name: `allow:ID` among the tags of a tool silences it there, where it is no error.
    pub id: &'static str,
    /// The function.
    pub look: Look,
}

macro_rules! lints {
    ($($level:ident $id:literal $look:ident $function:path;)*) => {
        /// Every lint of a registry. The losses of a dialect are further warnings, `dialect-ID`, where they are asked for.
        pub const LINTS: &[Lint] =
            &[$(Lint { level: Level::$level, id: $id, look: Look::$look($function) }),*];
    };
}

lints! {
    Error "name-clash" Set sets::name_clash;
    Error "example-invalid" Tool values::example_invalid;
    Error "default-invalid" Tool values::default_invalid;
    Error "schema-decoder" Tool laws::schema_decoder;
    Error "pattern-invalid" Place schemas::pattern_invalid;
    Error "enum-case" Place schemas::enum_case;
    Error "secret-exposed" Tool parameters::secret_exposed;
    Error "schema-false" Tool schemas::schema_false;
    Error "schema-not-canonical" Tool schemas::schema_not_canonical;
    Error "dialect-refused" Tool portability::dialect_refused;
    Error "hint-unknown-tool" Tool texts::hint_unknown_tool;
    Error "effect-without-context" Tool effects::effect_without_context;
    Error "constraint-required" Tool constraints::constraint_required;
    Warning "description-short" Tool texts::description_short;
    Warning "description-long" Tool texts::description_long;
    Warning "summary-long" Tool texts::summary_long;
    Warning "description-missing-unit" Place parameters::description_missing_unit;
    Warning "param-undescribed" Place parameters::param_undescribed;
    Warning "param-vague" Place parameters::param_vague;
    Warning "param-secretish" Place parameters::param_secretish;
    Warning "param-boolean-negative" Place parameters::param_boolean_negative;
    Warning "params-many" Tool parameters::params_many;
    Warning "name-long" Tool names::name_long;
    Warning "name-verbless" Tool names::name_verbless;
    Warning "any-value" Place schemas::any_value;
    Warning "bytes-as-list" Place schemas::bytes_as_list;
    Warning "int-53-bits" Place schemas::int_53_bits;
    Warning "root-union" Place portability::root_union;
    Warning "recursion" Place portability::recursion;
    Warning "map-strict" Place portability::map_strict;
    Warning "tuple-strict" Place portability::tuple_strict;
    Warning "oneof-overlap" Place portability::oneof_overlap;
    Warning "regex-portable" Place portability::regex_portable;
    Warning "nesting-deep" Place schemas::nesting_deep;
    Warning "schema-large" Tool schemas::schema_large;
    Warning "output-untyped" Tool outputs::output_untyped;
    Warning "output-opaque" Tool outputs::output_opaque;
    Warning "open-world-untimed" Tool effects::open_world_untimed;
    Warning "effects-unknown" Tool effects::effects_unknown;
    Warning "deprecated-plain" Tool texts::deprecated_plain;
    Warning "alias-shadow" Set sets::alias_shadow;
    Warning "group-single" Set sets::group_single;
    Warning "tools-many" Set sets::tools_many;
}
