//! The process sandbox: what is decided about commands, without the kernel.

pub mod capture;
pub mod env;
pub mod layers;
pub mod limits;
pub mod policy;
