use tool_core::prelude::*;

/// Does it.
#[tool]
async fn t() -> String {
    let rc = std::rc::Rc::new(1);
    std::future::ready(()).await;
    rc.to_string()
}

fn main() {}
