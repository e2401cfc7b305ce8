//! Where a tool is defined, for messages that name both sides of a clash.

use std::fmt;

/// The place of a definition. Printed as `crate 1.2.0 src/file.rs:41`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin<'a> {
    /// Package name.
    pub krate: &'a str,
    /// Package version.
    pub version: &'a str,
    /// Module path.
    pub module: &'a str,
    /// Source file, as the compiler names it.
    pub file: &'a str,
    /// Line of the definition, from 1.
    pub line: u32,
}

impl Origin<'_> {
    /// A definition made at run time.
    pub const DYNAMIC: Origin<'static> =
        Origin { krate: "run time", version: "", module: "", file: "", line: 0 };
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.krate)?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        if !self.file.is_empty() {
            write!(f, " {}:{}", self.file, self.line)?;
        }
        Ok(())
    }
}

/// The place where the macro stands, in the package that it knows.
#[doc(hidden)]
#[macro_export]
macro_rules! __origin {
    ($package:literal $version:literal) => {
        $crate::def::Origin {
            krate: $package,
            version: $version,
            module: ::core::module_path!(),
            file: ::core::file!(),
            line: ::core::line!(),
        }
    };
}
