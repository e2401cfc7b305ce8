//! The tools for files as each dialect offers them.

use std::sync::LazyLock;

use tool_core::Registry;
use tool_core::dialect::{Dialect as _, DialectId, Plan, PlanOptions};

pub static PLANS: LazyLock<Vec<(DialectId, Plan)>> = LazyLock::new(|| {
    let registry =
        Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().expect("the tools for files");
    let tools: Vec<_> = registry.iter().collect();
    let plan = |(dialect, _): (DialectId, &str)| {
        (dialect, dialect.plan(&tools, &PlanOptions::default()).expect("a plan of every dialect"))
    };
    DialectId::ALL.into_iter().map(plan).collect()
});
