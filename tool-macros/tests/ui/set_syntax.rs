use tool_core::prelude::*;

tool_set! { ALL: [ATool] }

fn main() {}
