//! A shell command at a pseudo-terminal of its own, which is its controlling terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::{PATIENCE, until};
use crate::screen::{COLUMNS, screen};

/// How long the last bytes may take.
const LAST_BYTES: Duration = Duration::from_secs(5);

/// The command and its terminal.
pub(crate) struct Pty {
    master: File,
    output: Arc<Mutex<Vec<u8>>>,
    /// Told when nobody has the other end any more.
    closed: Receiver<()>,
    ended: Receiver<Option<i32>>,
    pub(crate) pid: u32,
}

/// Starts a shell command with nothing in its environment but what a person has, and `env`.
///
/// `setsid` makes the terminal the controlling one, which a program may not do for its child without `unsafe`.
pub(crate) fn start(line: &str, env: &[(&str, &str)]) -> Pty {
    start_unread(line, env).0
}

/// The same with a terminal that nobody reads until the second value is dropped.
pub(crate) fn start_unread(line: &str, env: &[(&str, &str)]) -> (Pty, Sender<()>) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: COLUMNS as u16, ws_xpixel: 0, ws_ypixel: 0 })
        .unwrap();
    let slave = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    let end = || Stdio::from(slave.try_clone().unwrap());
    let mut command = Command::new("setsid");
    command.args(["--ctty", "sh", "-c", line]).stdin(end()).stdout(end()).stderr(end()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("TERM", "xterm").envs(env.iter().copied());
    let child = command.spawn().unwrap();
    drop(command);
    drop(slave);
    let (pid, master) = (child.id(), File::from(master));
    let (read, unread) = mpsc::channel();
    let (output, closed) = read_all(master.try_clone().unwrap(), unread);
    (Pty { master, output, closed, ended: wait_for(child), pid }, read)
}

fn read_all(mut master: File, unread: Receiver<()>) -> (Arc<Mutex<Vec<u8>>>, Receiver<()>) {
    let (close, closed) = mpsc::channel();
    let output = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&output);
    thread::spawn(move || {
        let _ = unread.recv();
        let mut bytes = [0; 4096];
        // Linux answers EIO when nobody has the other end any more.
        while let Ok(count @ 1..) = master.read(&mut bytes) {
            kept.lock().unwrap().extend(&bytes[..count]);
        }
        let _ = close.send(());
    });
    (output, closed)
}

fn wait_for(mut child: Child) -> Receiver<Option<i32>> {
    let (send, ended) = mpsc::channel();
    thread::spawn(move || send.send(child.wait().unwrap().code()));
    ended
}

impl Pty {
    /// Everything that the terminal got so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.output.lock().unwrap().clone()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Waits until the terminal has got a text.
    pub(crate) fn expect(&self, text: &str) {
        until(&format!("{text:?} in {:?}", self.text()), || self.text().contains(text));
    }

    /// Types.
    pub(crate) fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.ended.try_recv(), Err(mpsc::TryRecvError::Empty))
    }

    /// Waits for the end; its exit status, and what stands on the screen.
    pub(crate) fn end(self) -> (Option<i32>, Vec<String>) {
        let (code, bytes) = self.ended();
        (code, screen(&bytes))
    }

    /// Waits for the end; all that the terminal got.
    pub(crate) fn kept(self) -> String {
        String::from_utf8_lossy(&self.ended().1).into_owned()
    }

    fn ended(&self) -> (Option<i32>, Vec<u8>) {
        let code = self.ended.recv_timeout(PATIENCE);
        let code = code.unwrap_or_else(|_| panic!("it did not end: {:?}", self.text()));
        // The last bytes may still be on their way through the terminal; a process left behind may keep it open.
        let _ = self.closed.recv_timeout(LAST_BYTES);
        (code, self.bytes())
    }
}
