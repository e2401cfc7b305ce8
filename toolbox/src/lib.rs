//! The standard tools as one program.
