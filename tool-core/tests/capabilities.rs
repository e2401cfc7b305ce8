//! What a host provides where nobody stands in for it: environment, randomness, clock, secrets.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::sync::Mutex;
use std::time::Duration;

use tool_core::prelude::*;
use tool_core::{
    Clock as _, EnvSecrets, Environment, Randomness, Secret, SecretSource as _, SystemClock,
    SystemEnvironment, SystemRandomness,
};

#[test]
fn the_environment_is_that_of_the_process_and_what_is_no_name_is_not_set() {
    let path = std::env::var_os("PATH");
    assert!(path.is_some());
    assert_eq!(SystemEnvironment.var_os("PATH"), path);
    for name in ["", "=", "PATH=", "A=B", "PA\0TH", "TOOL_CORE_NOT_SET"] {
        assert_eq!(SystemEnvironment.var_os(name), None, "{name:?}");
    }
}

#[test]
fn maps_are_environments() {
    let text = ("EDITOR".into(), "vi".into());
    let bytes = ("BYTES".into(), OsString::from_vec(vec![0xff]));
    let sorted = BTreeMap::from([text.clone(), bytes.clone()]);
    let hashed = HashMap::<OsString, OsString>::from([text, bytes.clone()]);
    let environments: [&dyn Environment; 2] = [&sorted, &hashed];
    for environment in environments {
        assert_eq!(environment.var("EDITOR"), Some("vi".to_owned()));
        assert_eq!(environment.var_os("BYTES").as_ref(), Some(&bytes.1));
        assert_eq!(environment.var("BYTES"), None, "no text");
        assert_eq!(environment.var_os("PATH"), None);
    }
}

/// Numbers in their order.
struct Numbers(Mutex<VecDeque<u64>>);

impl Numbers {
    fn of(numbers: impl IntoIterator<Item = u64>) -> Numbers {
        Numbers(Mutex::new(numbers.into_iter().collect()))
    }
}

impl Randomness for Numbers {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), ToolError> {
        bytes.copy_from_slice(&self.0.lock().unwrap().pop_front().unwrap().to_le_bytes());
        Ok(())
    }
}

#[test]
fn each_number_below_an_end_is_as_likely_as_any_other() {
    // The most rounds of six that fit: what is behind them would make 0 to 3 more likely.
    let rounds = u64::MAX - u64::MAX % 6;
    let rows = [
        (0, vec![7], 0),
        (1, vec![7], 0),
        (6, vec![8], 2),
        (6, vec![rounds - 1], 5),
        (6, vec![rounds, u64::MAX, 3], 3),
        (u64::MAX, vec![u64::MAX, u64::MAX - 1], u64::MAX - 1),
    ];
    for (end, drawn, expected) in rows {
        let numbers = Numbers::of(drawn.clone());
        assert_eq!(numbers.below(end).unwrap(), expected, "{drawn:?} below {end}");
        assert!(numbers.0.lock().unwrap().is_empty(), "{drawn:?} below {end}");
    }
}

#[test]
fn the_system_draws_other_bytes_each_time() {
    let draw = || {
        let mut bytes = [0; 32];
        SystemRandomness.fill(&mut bytes).unwrap();
        bytes
    };
    assert_ne!(draw(), draw());
    assert_ne!(draw(), [0; 32]);
}

#[test]
fn the_clock_of_the_machine_goes_on() {
    let clock = SystemClock::default();
    let began = clock.now();
    std::thread::sleep(Duration::from_millis(2));
    assert!(clock.now() > began);
}

#[test]
fn a_secret_is_the_text_of_its_variable_and_blank_is_none() {
    let key = Secret::new("k-é");
    assert_eq!((key.expose(), key.expose_bytes()), ("k-é", "k-é".as_bytes()));
    assert_eq!(
        ["", " \t\n", "k", " k "].map(|text| Secret::new(text).is_blank()),
        [true, true, false, false]
    );
    let path = std::env::var("PATH").unwrap();
    assert_eq!(EnvSecrets.get("PATH").map(|secret| secret.expose().to_owned()), Some(path));
    assert!(EnvSecrets.get("TOOL_CORE_NOT_SET").is_none());
}
