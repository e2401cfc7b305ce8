//! A registry of tools as a command line program.
