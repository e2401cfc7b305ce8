//! The ends of a `range`.

use crate::def::{Bounds, Number};

/// A closed range of integers.
pub const fn integers(min: i128, max: i128) -> Bounds<'static> {
    Bounds::between(Number::Int(min), Number::Int(max))
}

/// An end of a `range` that is no literal.
pub struct Bound<T>(pub T);
macro_rules! bound {
    ($($type:ty => $variant:ident as $wide:ty, $below:expr, $float:literal;)*) => {
        $(impl Bound<$type> {
            /// The number.
            pub const fn number(self) -> Number {
                Number::$variant(self.0 as $wide)
            }
            /// The greatest number below it, where that is one.
            pub const fn below(self) -> Number {
                Number::$variant(self.0 as $wide - $below)
            }
            /// Whether numbers may lie between any two.
            pub const fn is_float(self) -> bool {
                $float
            }
        })*
    };
}
bound! {
    i8 => Int as i128, 1, false; i16 => Int as i128, 1, false; i32 => Int as i128, 1, false;
    i64 => Int as i128, 1, false; i128 => Int as i128, 1, false; isize => Int as i128, 1, false;
    u8 => Int as i128, 1, false; u16 => Int as i128, 1, false; u32 => Int as i128, 1, false;
    u64 => Int as i128, 1, false; usize => Int as i128, 1, false;
    f32 => Float as f64, 0.0, true; f64 => Float as f64, 0.0, true;
}
