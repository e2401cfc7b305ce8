//! Alternatives: what reaches their types, and how often they are tried.

use super::*;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[allow(dead_code, reason = "it is only decoded")]
enum Branch {
    Left { next: Option<Box<Branch>>, left: Option<u8> },
    Right { next: Option<Box<Branch>>, right: Option<u8> },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Picked {
    One {
        #[serde(alias = "n")]
        count: u8,
        pick: Pick,
    },
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Pick {
    Flag(bool),
    Number(u8),
}

#[test]
fn what_is_coerced_before_or_inside_an_alternative_reaches_the_type() {
    for (count, pick, expected) in [
        (json!("2"), json!(true), Pick::Flag(true)),
        (json!(2), json!("3"), Pick::Number(3)),
        (json!("2"), json!("3"), Pick::Number(3)),
        (json!(2), json!(3), Pick::Number(3)),
    ] {
        for name in ["count", "n"] {
            let input = json!({"kind": "one", name: count, "pick": pick});
            let taken = take::<Picked>(x!(Picked), input.clone()).unwrap().0;
            assert_eq!(taken, Picked::One { count: 2, pick: expected.clone() }, "{input}");
        }
    }
}

static WEIGHED: AtomicUsize = AtomicUsize::new(0);

/// A number that counts how often one is read.
#[derive(Debug, PartialEq, JsonSchema)]
#[schemars(transparent)]
struct Weight(f64);

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Weight, D::Error> {
        WEIGHED.fetch_add(1, Ordering::Relaxed);
        f64::deserialize(from).map(Weight)
    }
}

#[test]
fn a_number_that_fits_as_it_came_is_read_once_and_a_whole_one_is_written_as_such() {
    type Weights = BTreeMap<String, Weight>;
    for (given, written, read) in
        [(json!(1.5), "1.5", Some(1)), (json!(5), "5", Some(1)), (json!(2.0), "2", None)]
    {
        WEIGHED.store(0, Ordering::Relaxed);
        let (_, normal, _) = take::<Weights>(x!(Weights), json!({"a": given})).unwrap();
        assert_eq!(normal["x"].to_string(), format!(r#"{{"a":{written}}}"#));
        let times = WEIGHED.load(Ordering::Relaxed);
        assert!(read.is_none_or(|read| read == times), "{given} was read {times} times");
    }
}

#[test]
fn unions_inside_unions_are_not_tried_again_and_again() {
    let deep = (0..60).fold(json!({"up": 1}), |inner, _| json!({ "next": inner }));
    assert_eq!(issues(take::<Branch>(x!(Branch), deep)), told("/x", IssueCode::Type));
    let Branch::Right { right, .. } = take::<Branch>(x!(Branch), json!({"right": "1"})).unwrap().0 else {
        panic!("the alternative that has the field");
    };
    assert_eq!(right, Some(1));
}
