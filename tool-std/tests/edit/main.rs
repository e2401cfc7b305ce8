//! The edit engines against the vectors of the specification, against GNU `diff`, and against mutated patches.

#[cfg(test)]
mod line_vectors;
#[cfg(test)]
mod mutations;
#[cfg(test)]
mod noise;
#[cfg(test)]
mod random;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod unified_rules;
#[cfg(test)]
mod unified_vectors;
#[cfg(test)]
mod vectors;
