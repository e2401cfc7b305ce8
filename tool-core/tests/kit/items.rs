//! Elements of lists among what a call shows.

use super::*;

/// Counts down, and fails when it comes to the number that it does not like.
#[tool(register = false)]
fn count_down(
    /// Where to begin.
    from: u32,
    /// What it does not like.
    dislikes: Option<u32>,
    ctx: &ToolContext,
) -> Result<Items<u32>, ToolError> {
    let mut numbers = ctx.items();
    for number in (1..=from).rev() {
        if dislikes == Some(number) {
            return Err(ToolError::failed("I do not like it."));
        }
        ctx.progress(Progress { done: f64::from(from - number), total: None, message: None });
        numbers.push(number)?;
    }
    Ok(numbers)
}

fn counting() -> tool_core::test::KitBuilder {
    ToolKit::of(Registry::builder().add::<CountDownTool>().build().unwrap())
}

#[test]
fn elements_are_seen_in_order_with_what_else_happens() {
    let counted = counting().build().call_blocking("count_down", json!({"from": 2})).unwrap();
    let progress = |done| Event::Progress { done, total: None, message: None };
    let seen = [progress(0.0), Event::Item(json!(2)), progress(1.0), Event::Item(json!(1))];
    assert_eq!((counted.events(), counted.data()), (&seen[..], json!([2, 1])));
    assert!(format!("{counted:?}").contains("emitted: 2"));
}

#[test]
fn elements_that_only_the_test_sees_are_in_the_error_and_those_that_were_shown_are_not() {
    let args = json!({"from": 3, "dislikes": 1});
    let error = counting().build().call_blocking("count_down", args.clone()).unwrap_err();
    let items = |events: &[Event]| events.iter().filter(|event| matches!(event, Event::Item(_))).count();
    assert_eq!((items(error.events()), &error.details()["partial"]), (2, &json!([3, 2])));

    struct Shown(Arc<AtomicU32>);
    impl tool_core::ItemSink for Shown {
        fn item(&self, _: &ToolContext, _: &Value) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let count = Arc::<AtomicU32>::default();
    let told = Arc::clone(&count);
    let kit = counting().context(move |ctx| ctx.items(Shown(Arc::clone(&told)))).build();
    let error = kit.call_blocking("count_down", args).unwrap_err();
    assert_eq!((items(error.events()), count.load(Ordering::SeqCst)), (2, 2));
    assert!(!error.details().contains_key("partial"), "{error:?}");
}
