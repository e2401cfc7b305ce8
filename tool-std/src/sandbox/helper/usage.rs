//! What the processes of a call have used.

use std::mem::MaybeUninit;

use crate::sandbox::wire::Usage;

/// The sum of time and the largest memory of every process that has been waited for, here and below.
pub(super) fn of_children() -> Usage {
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: zeroes are a valid `rusage`, and the kernel fills in one.
    let used = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, used.as_mut_ptr());
        used.assume_init()
    };
    let micros = |time: libc::timeval| positive(time.tv_sec) * 1_000_000 + positive(time.tv_usec);
    Usage {
        cpu_micros: micros(used.ru_utime) + micros(used.ru_stime),
        rss_bytes: positive(used.ru_maxrss) * 1_024,
    }
}

fn positive(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
