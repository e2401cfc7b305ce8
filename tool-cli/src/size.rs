//! Sizes as notes tell them: `10 MiB`.

/// The units, each 1024 of the one before.
const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/// A number of bytes in the largest unit that it reaches, with at most one decimal.
pub(crate) fn size(bytes: u64) -> String {
    let mut unit = 0;
    let mut scale = 1_u64;
    while bytes / scale >= 1024 && unit + 1 < UNITS.len() {
        scale *= 1024;
        unit += 1;
    }
    let tenths = (u128::from(bytes) * 10 + u128::from(scale) / 2) / u128::from(scale);
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if tenths % 10 == 0 {
        format!("{} {name}", tenths / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

/// `10 MiB of 12 MiB`; in bytes where the difference would not show.
pub(crate) fn part(some: u64, all: u64) -> String {
    match (size(some), size(all)) {
        (a, b) if a == b && some != all => format!("{some} bytes of {all} bytes"),
        (a, b) => format!("{a} of {b}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_in_the_largest_unit_that_it_reaches() {
        for (bytes, told) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (10 << 20, "10 MiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(size(bytes), told);
        }
    }

    #[test]
    fn a_part_that_looks_like_the_whole_is_told_in_bytes() {
        assert_eq!(part(10 << 20, 12 << 20), "10 MiB of 12 MiB");
        assert_eq!(part(10 << 20, (10 << 20) + 1), "10485760 bytes of 10485761 bytes");
    }
}
