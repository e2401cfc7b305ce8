//! Programs that tests run are those of the tests' own build.

/// A program that is built anew for a test costs minutes, and is another one than the other tests have.
#[test]
fn a_program_is_found_where_the_tests_are() {
    let toolbox = tests::built::program("toolbox");
    assert_eq!(tests::built::program("toolbox"), toolbox);
    let said = std::process::Command::new(&toolbox).arg("--version").output().expect("it runs");
    assert!(String::from_utf8_lossy(&said.stdout).starts_with("toolbox "), "{said:?}");
}
