//! The system call filter: data in tables, compiled by `seccompiler`, and what numbers alone decide by hand (sandbox.md §9).
//!
//! Three programs: one looks at numbers only, and searches; `clone3` is not there; and calls with certain arguments are not
//! permitted. When a filter is installed the kernel runs it for every number, so a list of them would cost each command its
//! length, times the numbers that there are.

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
        Ok(vec![by_number(), compile(absent, Errno::NOSYS)?, compile(refused(network)?, Errno::PERM)?])
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

const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const JUMP_IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const JUMP_IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Ends a process that enters the kernel by a number of the x32 entry, and refuses what is never permitted. (The
/// architecture is looked at by the other programs; the strictest answer counts.)
fn by_number() -> BpfProgram {
    let mut program = vec![sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 }];
    #[cfg(target_arch = "x86_64")]
    program.extend([
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32 },
        answer(libc::SECCOMP_RET_KILL_PROCESS),
    ]);
    let mut numbers: Vec<u32> = NEVER.iter().filter_map(|number| u32::try_from(*number).ok()).collect();
    numbers.sort_unstable();
    program.extend(search(&numbers));
    program
}

/// Refuses the sorted numbers and allows the others.
fn search(numbers: &[u32]) -> BpfProgram {
    let (low, high) = numbers.split_at(numbers.len() / 2);
    match (low, high) {
        ([], []) => vec![answer(libc::SECCOMP_RET_ALLOW)],
        ([], [number, ..]) => {
            let refusal = libc::SECCOMP_RET_ERRNO | Errno::PERM.raw_os_error().cast_unsigned();
            let jump = sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: *number };
            vec![jump, answer(refusal), answer(libc::SECCOMP_RET_ALLOW)]
        }
        (_, high) => {
            let (below, above) = (search(low), search(high));
            // A jump over the lower half; a quarter of what a jump can pass is enough for it.
            let jump = sock_filter {
                code: JUMP_IF_AT_LEAST,
                jt: u8::try_from(below.len()).unwrap_or(u8::MAX),
                jf: 0,
                k: high.first().copied().unwrap_or_default(),
            };
            [vec![jump], below, above].concat()
        }
    }
}

fn answer(value: u32) -> sock_filter {
    sock_filter { code: ANSWER, jt: 0, jf: 0, k: value }
}

/// What is not permitted: a call without rules always, else when one of its rules holds.
fn refused(network: Network) -> Built<Rules> {
    let mut rules = Rules::new();
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

    /// What the program answers to a number.
    fn answered(program: &[sock_filter], number: u32) -> u32 {
        let mut at = 1;
        loop {
            let step = &program[at];
            at += match step.code {
                ANSWER => return step.k,
                JUMP_IF_EQUAL if number == step.k => 1 + usize::from(step.jt),
                JUMP_IF_AT_LEAST if number >= step.k => 1 + usize::from(step.jt),
                _ => 1 + usize::from(step.jf),
            };
        }
    }

    #[test]
    fn every_number_has_its_answer_after_few_steps() {
        let program = by_number();
        assert_eq!((program[0].code, program[0].k), (LOAD_NUMBER, 0));
        for number in 0..2_000_u32 {
            let is_refused = NEVER.contains(&libc::c_long::from(number));
            let expected = if is_refused { libc::SECCOMP_RET_ERRNO | 1 } else { libc::SECCOMP_RET_ALLOW };
            assert_eq!(answered(&program, number), expected, "{number}");
        }
        #[cfg(target_arch = "x86_64")]
        for number in [X32, X32 + 1, u32::MAX] {
            assert_eq!(answered(&program, number), libc::SECCOMP_RET_KILL_PROCESS);
        }
        // Every jump over a lower half was within what a jump can pass.
        assert!(program.iter().all(|step| step.jt < u8::MAX), "{}", program.len());
    }

    #[test]
    fn the_filters_of_every_network_compile() {
        for network in [Network::Deny, Network::Loopback, Network::Allow] {
            assert!(Filters::new(network).is_ok());
        }
    }
}
