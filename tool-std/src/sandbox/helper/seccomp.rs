//! The system call filter: data in tables, compiled by `seccompiler`, and the number guard by hand (sandbox.md §9).
//!
//! Three programs, since each knows one answer: numbers of a foreign entry end the process, `clone3` is not there, and
//! what leads out of the sandbox is not permitted.

use std::collections::BTreeMap;

use rustix::io::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use crate::sandbox::policy::Network;

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;

/// The first number of the x32 entry of x86_64; 64-bit calls lie below.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Numbers that `libc` does not name; they are the same on both architectures.
const SYS_OPEN_TREE_ATTR: libc::c_long = 467;

/// Calls that are never permitted, whatever their arguments.
const NEVER: &[libc::c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_fanotify_init,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// Flags of `clone` that make a namespace.
const NEW_NAMESPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    /* CLONE_NEWTIME */ 0x80,
];

/// Bits of a socket's type; above them lie flags.
const TYPE_MASK: u64 = 0xf;
/// Types of internet sockets that are permitted.
const TYPES: [u64; 2] = [libc::SOCK_STREAM as u64, libc::SOCK_DGRAM as u64];
const IPV4: u64 = libc::AF_INET as u64;
const IPV6: u64 = libc::AF_INET6 as u64;
const UNIX: u64 = libc::AF_UNIX as u64;
const NETLINK: u64 = libc::AF_NETLINK as u64;

/// `personality` that only asks.
const PERSONALITY_QUERY: u64 = 0xffff_ffff;

type Built<T> = Result<T, seccompiler::BackendError>;
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The programs for a network, ready to be installed.
pub(super) struct Filters(Vec<BpfProgram>);

impl Filters {
    /// Compiles them.
    pub(super) fn new(network: Network) -> Result<Self, Errno> {
        Self::build(network).map(Self).map_err(|_| Errno::INVAL)
    }

    fn build(network: Network) -> Built<Vec<BpfProgram>> {
        let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
        Ok(vec![number_guard(), compile(absent, Errno::NOSYS)?, compile(refused(network)?, Errno::PERM)?])
    }

    /// Installs them on this thread, for good.
    pub(super) fn install(&self) -> Result<(), Errno> {
        let programs = self.0.iter().filter(|program| !program.is_empty());
        programs.into_iter().try_for_each(|program| seccompiler::apply_filter(program)).map_err(|error| {
            match error {
                seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => {
                    Errno::from_io_error(&error).unwrap_or(Errno::INVAL)
                }
                _ => Errno::INVAL,
            }
        })
    }
}

fn compile(rules: Rules, answer: Errno) -> Built<BpfProgram> {
    let errno = u32::try_from(answer.raw_os_error()).unwrap_or(1);
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), ARCH)?.try_into()
}

/// Ends a process that enters the kernel by a number of the x32 entry. (The architecture is looked at by the others.)
#[cfg(target_arch = "x86_64")]
fn number_guard() -> BpfProgram {
    const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const JUMP_IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    vec![
        sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32 },
        sock_filter { code: ANSWER, jt: 0, jf: 0, k: libc::SECCOMP_RET_KILL_PROCESS },
        sock_filter { code: ANSWER, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
    ]
}

#[cfg(not(target_arch = "x86_64"))]
fn number_guard() -> BpfProgram {
    Vec::new()
}

/// What is not permitted: a call without rules always, else when one of its rules holds.
fn refused(network: Network) -> Built<Rules> {
    let mut rules: Rules = NEVER.iter().map(|number| (*number, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets(network)?);
    rules.insert(libc::SYS_socketpair, vec![rule([is_not(0, UNIX)?])?]);
    rules.insert(
        libc::SYS_clone,
        NEW_NAMESPACES.iter().map(|flag| new_namespace(*flag)).collect::<Built<_>>()?,
    );
    rules.insert(libc::SYS_ioctl, vec![rule([is(1, libc::TIOCSTI)?])?, rule([is(1, libc::TIOCLINUX)?])?]);
    rules.insert(libc::SYS_personality, vec![rule([is_not(0, 0)?, is_not(0, PERSONALITY_QUERY)?])?]);
    rules.insert(libc::SYS_mknodat, devices(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_mknod, devices(1)?);
    Ok(rules)
}

/// Families and types of sockets that are not permitted; no rule at all means every one.
fn sockets(network: Network) -> Built<Vec<SeccompRule>> {
    let families: &[u64] = match network {
        Network::Deny => return Ok(Vec::new()),
        Network::Loopback => &[IPV4, IPV6],
        Network::Allow => &[IPV4, IPV6, UNIX, NETLINK],
    };
    let other_families = families.iter().map(|family| is_not(0, *family)).collect::<Built<Vec<_>>>()?;
    let mut rules = vec![SeccompRule::new(other_families)?];
    for family in [IPV4, IPV6] {
        for kind in (0..=TYPE_MASK).filter(|kind| !TYPES.contains(kind)) {
            rules.push(rule([is(0, family)?, masked(1, TYPE_MASK, kind)?])?);
        }
    }
    rules.push(rule([is(0, NETLINK)?, is_not(2, libc::NETLINK_ROUTE as u64)?])?);
    Ok(rules)
}

fn new_namespace(flag: libc::c_int) -> Built<SeccompRule> {
    let flag = u64::from(flag.cast_unsigned());
    rule([masked(0, flag, flag)?])
}

fn devices(mode: u8) -> Built<Vec<SeccompRule>> {
    let kinds = [libc::S_IFCHR, libc::S_IFBLK];
    kinds.iter().map(|kind| rule([masked(mode, libc::S_IFMT.into(), (*kind).into())?])).collect()
}

fn rule<const N: usize>(conditions: [SeccompCondition; N]) -> Built<SeccompRule> {
    SeccompRule::new(conditions.into())
}

fn is(argument: u8, value: u64) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_of_every_network_compile() {
        for network in [Network::Deny, Network::Loopback, Network::Allow] {
            assert!(Filters::new(network).is_ok());
        }
    }
}
