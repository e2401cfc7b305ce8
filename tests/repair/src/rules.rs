//! What anybody does who is told that something is unknown, missing or does not fit.

pub(crate) mod fit;
pub(crate) mod missing;
pub(crate) mod shape;
pub(crate) mod unknown;
