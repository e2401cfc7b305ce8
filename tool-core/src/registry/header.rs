//! The set that a loaded library offers, behind a header that says which tool-core it was built for.
//!
//! A library loaded at run time has an inventory of its own, and cargo has not judged its versions: the header is what
//! is looked at before anything else of it.

use super::problem::{Problem, ProblemCode};
use crate::set::ToolSet;

/// What the function `toolbox_set` of a library points to.
///
/// ```
/// use tool_core::prelude::*;
/// use tool_core::registry::SetHeader;
///
/// /// Adds one.
/// #[tool]
/// fn next(/** The number. */ n: u32) -> u32 {
///     n + 1
/// }
///
/// tool_set! {
///     /// What this library offers.
///     pub static TOOLS = [NextTool];
/// }
///
/// pub extern "C" fn toolbox_set() -> *const SetHeader {
///     static HEADER: SetHeader = SetHeader::new(&TOOLS);
///     &HEADER
/// }
/// # assert!(!toolbox_set().is_null());
/// ```
///
/// A host turns the pointer into a reference and hands it to [`RegistryBuilder::add_loaded`]. That library and host
/// come from one compiler, and that the library stays loaded, is the host's to know: the header cannot tell.
///
/// [`RegistryBuilder::add_loaded`]: super::RegistryBuilder::add_loaded
#[derive(Debug)]
#[repr(C)]
pub struct SetHeader {
    magic: [u8; 8],
    major: u32,
    minor: u32,
    /// The name of the set as far as it fits, filled up with zeros: readable whatever the rest looks like.
    name: [u8; NAME_BYTES],
    set: &'static ToolSet,
}

const MAGIC: [u8; 8] = *b"toolset\0";
const NAME_BYTES: usize = 64;
const MAJOR: u32 = number(env!("CARGO_PKG_VERSION_MAJOR"));
const MINOR: u32 = number(env!("CARGO_PKG_VERSION_MINOR"));

impl SetHeader {
    /// The header of a set, for the tool-core it is compiled with.
    pub const fn new(set: &'static ToolSet) -> Self {
        let mut name = [0; NAME_BYTES];
        let (mut filled, mut rest) = (name.as_mut_slice(), set.name.as_bytes());
        while let (Some((free, next)), Some((byte, others))) = (filled.split_first_mut(), rest.split_first())
        {
            *free = *byte;
            (filled, rest) = (next, others);
        }
        Self { magic: MAGIC, major: MAJOR, minor: MINOR, name, set }
    }

    /// The set, if it was built for this tool-core.
    pub(super) fn set(&self) -> Result<&'static ToolSet, Problem> {
        if self.magic != MAGIC {
            return Err(mismatch(String::new(), "the library offers no set of tools".to_owned()));
        }
        if line(self.major, self.minor) == line(MAJOR, MINOR) {
            return Ok(self.set);
        }
        let name: Vec<u8> = self.name.iter().copied().take_while(|byte| *byte != 0).collect();
        let name = String::from_utf8_lossy(&name).into_owned();
        let text = format!(
            "`{name}` was built for tool-core {}, this program uses {}",
            line(self.major, self.minor),
            line(MAJOR, MINOR)
        );
        Err(mismatch(name, text))
    }
}

fn mismatch(tool: String, text: String) -> Problem {
    Problem { code: ProblemCode::CoreMismatch, tool, origins: Vec::new(), text, hint: None }
}

/// The versions that go together: one major, or one minor before 1.0.
fn line(major: u32, minor: u32) -> String {
    if major == 0 { format!("0.{minor}.x") } else { format!("{major}.x") }
}

const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    static SET: ToolSet = ToolSet { name: "plug::TOOLS", tools: &[] };

    #[test]
    fn a_set_of_another_core_is_refused_before_it_is_looked_at() {
        static NEWER: SetHeader = SetHeader { major: MAJOR + 2, minor: 7, ..SetHeader::new(&SET) };
        static STRANGE: SetHeader = SetHeader { magic: *b"ELF\0\0\0\0\0", ..SetHeader::new(&SET) };
        let error = Registry::builder().add_loaded(&NEWER).add_loaded(&STRANGE).build().unwrap_err();
        let lines: Vec<String> = error.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "core_mismatch: the library offers no set of tools",
                &format!(
                    "core_mismatch: `plug::TOOLS` was built for tool-core {}.x, this program uses {}",
                    MAJOR + 2,
                    line(MAJOR, MINOR)
                ),
            ]
        );
    }

    #[test]
    fn a_set_of_this_core_is_added() {
        static HEADER: SetHeader = SetHeader::new(&SET);
        assert_eq!(HEADER.set().map(|set| set.name), Ok("plug::TOOLS"));
        let error = Registry::builder().add_loaded(&HEADER).build().unwrap_err();
        assert_eq!(
            error.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(),
            [ProblemCode::Empty]
        );
    }

    #[test]
    fn a_long_name_is_cut_to_what_the_header_holds() {
        static LONG: ToolSet = ToolSet {
            name: concat!("a::", "very_long_name_of_a_set_that_goes_on_and_on_and_on_and_on_and_on"),
            tools: &[],
        };
        let header = SetHeader::new(&LONG);
        assert_eq!(header.name.as_slice(), &LONG.name.as_bytes()[..NAME_BYTES]);
    }
}
