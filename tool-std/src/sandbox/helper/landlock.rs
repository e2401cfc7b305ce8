//! The Landlock domain of a command: reading everywhere in the view, writing in the writable places (sandbox.md §7
//! step 7).

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::io::Errno;

use crate::sandbox::policy::Network;

/// The newest rights that are asked for; an older kernel handles fewer.
const NEWEST: ABI = ABI::V7;
/// The oldest kernel interface that counts as a layer: it handles renames between directories, and truncation.
const OLDEST: ABI = ABI::V3;

/// What a domain permits.
pub(super) struct Domain {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    pub(super) network: Network,
}

impl Domain {
    /// Confines this process and all that come from it, for good.
    pub(super) fn enter(&self) -> Result<(), Errno> {
        match self.restrict() {
            Ok(RulesetStatus::NotEnforced) => Err(Errno::OPNOTSUPP),
            Ok(_) => Ok(()),
            Err(_) => Err(Errno::INVAL),
        }
    }

    fn restrict(&self) -> Result<RulesetStatus, RulesetError> {
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(OLDEST))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .scope(Scope::AbstractUnixSocket | Scope::Signal)?;
        if self.network == Network::Deny {
            ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
        }
        let read = AccessFs::from_read(NEWEST);
        let devices = AccessFs::MakeBlock | AccessFs::MakeChar;
        let change = AccessFs::from_all(NEWEST) & !devices;
        let ruleset = permit(ruleset.create()?, &self.read, read)?;
        let ruleset = permit(ruleset, &self.write, change)?;
        let ruleset = permit(ruleset, DEVICES.map(Path::new), AccessFs::WriteFile | AccessFs::ReadFile)?;
        Ok(ruleset.restrict_self()?.ruleset)
    }
}

/// The version of the kernel's interface. It is told to whoever enters a domain, so this enters one more, which forbids
/// devices to be made.
pub(super) fn version() -> Option<i32> {
    let ruleset = Ruleset::default().handle_access(AccessFs::MakeBlock).ok()?;
    match ruleset.create().ok()?.restrict_self().ok()?.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            Some(kernel_abi.unwrap_or(effective_abi as i32))
        }
        _ => None,
    }
}

/// Devices that are written to.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Permits rights below places; a place that is not there needs none.
fn permit<P: AsRef<Path>>(
    mut ruleset: RulesetCreated,
    places: impl IntoIterator<Item = P>,
    rights: impl Into<BitFlags<AccessFs>>,
) -> Result<RulesetCreated, RulesetError> {
    let rights = rights.into();
    for place in places {
        let Ok(handle) = PathFd::new(&place) else { continue };
        let is_file = rustix::fs::fstat(handle.as_fd())
            .is_ok_and(|stat| !rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
        let rights = if is_file { rights & AccessFs::from_file(NEWEST) } else { rights };
        ruleset = ruleset.add_rule(PathBeneath::new(handle, rights))?;
    }
    Ok(ruleset)
}
