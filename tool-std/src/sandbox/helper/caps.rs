//! Giving up every capability, and the way back to any (sandbox.md §7 step 6).

use std::fs;

use rustix::io::Errno;
use rustix::process::DumpableBehavior;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits, set_no_new_privs,
};

/// Where the kernel says which capability is its last.
const LAST: &str = "/proc/sys/kernel/cap_last_cap";
/// The last capability when the kernel does not say: the newest that is known.
const LAST_KNOWN: u32 = 40;

/// Drops everything. A process without privilege cannot change the bounding set and the secure bits, and needs not:
/// without new privileges an `execve` gives it nothing.
pub(super) fn drop_all() -> Result<(), Errno> {
    let last = fs::read_to_string(LAST).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(LAST_KNOWN);
    let mut bounded = Ok(());
    for number in 0..=last {
        bounded = bounded.and(remove_from_bounding_set(number));
    }
    let secured = set_capabilities_secure_bits(locked_bits());
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    set_no_new_privs(true)?;
    match bounded.and(secured) {
        Err(Errno::PERM) if !rustix::process::getuid().is_root() => Ok(()),
        outcome => outcome,
    }
}

/// Keeps what is in this process's memory from everybody of the same user.
pub(super) fn hide_memory() -> Result<(), Errno> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

fn remove_from_bounding_set(number: u32) -> Result<(), Errno> {
    let capability = CapabilitySet::from_bits_retain(1 << number);
    match remove_capability_from_bounding_set(capability) {
        Err(Errno::INVAL) => Ok(()),
        outcome => outcome,
    }
}

fn locked_bits() -> CapabilitiesSecureBits {
    CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED
}
