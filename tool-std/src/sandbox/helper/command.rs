//! The last steps before the command: its directory, its descriptors, the filter, and the program itself (sandbox.md §7
//! steps 8 and 9).

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FileType, Mode, OFlags, ResolveFlags, access, fstat, open, openat2, stat};
use rustix::io::Errno;
use rustix::process::{Signal, fchdir, set_parent_process_death_signal, setpgid};

use super::init::{Order, report};
use super::process::execute;
use super::seccomp::Filters;
use super::{breaker, rlimits, signals};
use crate::sandbox::layers::Layer;
use crate::sandbox::wire::{Action, Errand, Refusal, Stage, receive_with};

/// Waits for its errand and becomes the command; says on the pipe why not.
pub(super) fn run(order: &Order, socket: BorrowedFd<'_>, pipe: File) -> ! {
    let refusal = match prepare(order, socket) {
        Ok(Ready { errand, null, filters }) => match &errand.action {
            Action::Run { argv, env } => match become_program(null, filters, argv, env) {
                Ok(errno) => Refusal::at(Stage::Exec)(errno),
                Err(refusal) => refusal,
            },
            Action::Probe { agent, outside } => match last(null, filters) {
                Ok(()) => breaker::run(*agent, outside, &order.plan, pipe),
                Err(refusal) => refusal,
            },
        },
        Err(refusal) => refusal,
    };
    report(pipe, refusal)
}

/// Everything that the last step needs.
struct Ready {
    errand: Errand,
    null: OwnedFd,
    filters: Option<Filters>,
}

fn prepare(order: &Order, socket: BorrowedFd<'_>) -> Result<Ready, Refusal> {
    let plan = &order.plan;
    setpgid(None, None).map_err(Refusal::at(Stage::Process))?;
    if !plan.has(Layer::Pidns) {
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(Refusal::at(Stage::Process))?;
    }
    let null = open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(Refusal::at(Stage::Process))?;
    signals::reset();
    let filters = plan.has(Layer::Seccomp).then(|| Filters::new(plan.network));
    let filters = filters.transpose().map_err(Refusal::layer(Layer::Seccomp))?;
    let (errand, directory): (Errand, OwnedFd) = receive_with(socket).map_err(Refusal::at(Stage::Plan))?;
    if plan.has(Layer::Rlimits) {
        rlimits::set_cpu(errand.cpu_seconds).map_err(Refusal::layer(Layer::Rlimits))?;
    }
    enter_directory(order, &errand, directory)?;
    Ok(Ready { errand, null, filters })
}

/// Lets go of the socket, and of what the filter forbids.
fn last(null: OwnedFd, filters: Option<Filters>) -> Result<(), Refusal> {
    // Descriptor 0 was the socket; 1 and 2 are the pipes of the program since the helper was started.
    rustix::stdio::dup2_stdin(null).map_err(Refusal::at(Stage::Process))?;
    filters.map_or(Ok(()), |filters| filters.install()).map_err(Refusal::layer(Layer::Seccomp))
}

/// Opens `cwd` anew beneath the workspace of the view, since handles from outside lead out of it.
fn enter_directory(order: &Order, errand: &Errand, directory: OwnedFd) -> Result<(), Refusal> {
    let opened = opened_directory(order, errand).map_err(Refusal::at(Stage::Directory))?;
    let seen = || Ok((fstat(&opened)?, fstat(&directory)?));
    let (here, meant) = seen().map_err(Refusal::at(Stage::Directory))?;
    if (here.st_dev, here.st_ino) != (meant.st_dev, meant.st_ino) {
        return Err(Refusal { stage: Stage::Changed, errno: Errno::STALE.raw_os_error() });
    }
    fchdir(opened).map_err(Refusal::at(Stage::Directory))
}

fn opened_directory(order: &Order, errand: &Errand) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = open(&*order.plan.view.root, flags, Mode::empty())?;
    let directory = &*errand.directory;
    if directory.as_os_str().is_empty() {
        return Ok(root);
    }
    match openat2(&root, directory, flags, Mode::empty(), ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS) => {
            rustix::fs::openat(root.as_fd(), directory, flags | OFlags::NOFOLLOW, Mode::empty())
        }
        outcome => outcome,
    }
}

/// Becomes the program; what the kernel said when it did not.
fn become_program(
    null: OwnedFd,
    filters: Option<Filters>,
    argv: &[String],
    env: &[(String, String)],
) -> Result<Errno, Refusal> {
    let invalid = |_| Refusal { stage: Stage::Lookup, errno: Errno::INVAL.raw_os_error() };
    let texts = |texts: Vec<String>| texts.into_iter().map(CString::new).collect::<Result<Vec<_>, _>>();
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let found = look_up(argv.first().map_or("", String::as_str), path).map_err(Refusal::at(Stage::Lookup))?;
    let program = CString::new(found.path.as_os_str().as_bytes()).map_err(invalid)?;
    let argv = texts(argv.to_vec()).map_err(invalid)?;
    let env = texts(env.iter().map(|(name, value)| format!("{name}={value}")).collect()).map_err(invalid)?;
    last(null, filters)?;
    found.is_still_there().map_err(Refusal::at(Stage::Changed))?;
    Ok(execute(&program, &argv, &env))
}

/// A program that was looked up. It is executed by its path: that is what interpreters of scripts are given, and what the
/// process is named after.
#[derive(Debug)]
struct Program {
    path: PathBuf,
    /// Held open, so that no other file gets its number.
    file: OwnedFd,
}

impl Program {
    /// The file behind the path, if it may be executed.
    fn open(path: PathBuf) -> Result<Self, Errno> {
        let file = open(&path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        access(&path, Access::EXEC_OK)?;
        match FileType::from_raw_mode(fstat(&file)?.st_mode).is_file() {
            true => Ok(Self { path, file }),
            false => Err(Errno::ACCESS),
        }
    }

    /// Refuses when the path has come to name another file.
    fn is_still_there(&self) -> Result<(), Errno> {
        let (meant, now) = (fstat(&self.file)?, stat(&self.path)?);
        if (meant.st_dev, meant.st_ino) == (now.st_dev, now.st_ino) { Ok(()) } else { Err(Errno::STALE) }
    }
}

/// The file that a command names: by its path, or in the directories of `PATH`.
fn look_up(name: &str, path: &str) -> Result<Program, Errno> {
    if name.contains('/') {
        return Program::open(PathBuf::from(name));
    }
    let mut outcome = Err(Errno::NOENT);
    for directory in path.split(':') {
        match Program::open(Path::new(directory).join(name)) {
            Ok(found) => return Ok(found),
            Err(Errno::ACCESS) => outcome = Err(Errno::ACCESS),
            Err(_) => {}
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_that_is_replaced_behind_its_lookup_is_not_the_one_that_was_found() {
        let directory = tool_trials::directory();
        let program = |name: &str| {
            let path = directory.path().join(name);
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let (path, other) = (program("one"), program("other"));
        let by_name = look_up("one", &format!("/nowhere:{}", directory.path().display())).unwrap();
        let by_path = look_up(path.to_str().unwrap(), "").unwrap();
        assert_eq!((by_name.is_still_there(), by_path.is_still_there()), (Ok(()), Ok(())));
        fs::rename(other, &path).unwrap();
        assert_eq!(by_name.is_still_there(), Err(Errno::STALE));
        assert_eq!(by_path.is_still_there(), Err(Errno::STALE));
        assert_eq!(look_up("one", "/nowhere").unwrap_err(), Errno::NOENT);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(look_up(path.to_str().unwrap(), "").unwrap_err(), Errno::ACCESS);
        assert_eq!(look_up(directory.path().to_str().unwrap(), "").unwrap_err(), Errno::ACCESS);
    }
}
