//! Where a tool is defined, for messages that name both sides of a clash.

use std::fmt;

/// The place of a definition. Printed as `crate 1.2.0 src/file.rs:41`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin<'a> {
    /// The module that it is written in; one row for all tools of a file.
    pub source: &'a Source<'a>,
    /// Line of the definition, from 1.
    pub line: u32,
}

/// A module of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source<'a> {
    /// Package name.
    pub krate: &'a str,
    /// Package version.
    pub version: &'a str,
    /// Module path.
    pub module: &'a str,
    /// Source file, as the compiler names it.
    pub file: &'a str,
}

impl Origin<'_> {
    /// A definition made at run time.
    pub const DYNAMIC: Origin<'static> =
        Origin { source: &Source { krate: "run time", version: "", module: "", file: "" }, line: 0 };
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { krate, version, file, .. } = self.source;
        f.write_str(krate)?;
        if !version.is_empty() {
            write!(f, " {version}")?;
        }
        if !file.is_empty() {
            write!(f, " {file}:{}", self.line)?;
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
            source: &$crate::def::Source {
                krate: $package,
                version: $version,
                module: ::core::module_path!(),
                file: ::core::file!(),
            },
            line: ::core::line!(),
        }
    };
}
