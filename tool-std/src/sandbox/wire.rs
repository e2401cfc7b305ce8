//! What the program and its helper say to each other: a plan and an errand in, a few messages out (sandbox.md §7).
//!
//! Each message is one JSON packet on a socket of type `SEQPACKET`; handles on the root and on
//! `cwd` come with them.

use std::ffi::OsString;
use std::fmt;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::layers::Layer;
use super::policy::Network;

/// `argv[0]` of a program that is to become the helper.
pub(super) const HELPER_NAME: &str = "toolbox-sandbox";
/// `argv[1]`: the version of what is said here.
pub(super) const VERSION: &str = "2";
/// Bytes of the largest packet.
pub(super) const MAX_PACKET_BYTES: usize = 65_536;

/// A path, as its bytes; each is one character of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub(super) struct Bytes(pub(super) PathBuf);

impl From<Bytes> for String {
    fn from(path: Bytes) -> String {
        path.0.as_os_str().as_bytes().iter().map(|byte| char::from(*byte)).collect()
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Bytes {
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        Bytes(OsString::from_vec(bytes).into())
    }
}

impl std::ops::Deref for Bytes {
    type Target = std::path::Path;

    fn deref(&self) -> &std::path::Path {
        &self.0
    }
}

/// What a helper builds, before and without regard to any one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The layers to build; each of them must work.
    pub(super) layers: Vec<Layer>,
    pub(super) network: Network,
    pub(super) view: View,
    pub(super) ceilings: Ceilings,
}

/// What is done in what was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Errand {
    /// `cwd`, relative to the root and without links.
    pub(super) directory: Bytes,
    pub(super) cpu_seconds: u64,
    pub(super) action: Action,
}

impl Plan {
    pub(super) fn has(&self, layer: Layer) -> bool {
        self.layers.contains(&layer)
    }
}

/// What a command sees of the file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct View {
    /// The workspace.
    pub(super) root: Bytes,
    /// Links by which the root and the home are found too, and what they lead to.
    pub(super) links: Vec<(Bytes, Bytes)>,
    pub(super) read: Vec<Bytes>,
    pub(super) write: Vec<Bytes>,
    /// The home directory, an empty one but for `toolchains`; none when it is the workspace.
    pub(super) home: Option<Bytes>,
    pub(super) toolchains: Vec<Bytes>,
    /// Directories on the way to what is covered or frozen, parents first: writable, but not to be renamed.
    pub(super) held: Vec<Bytes>,
    /// An empty thing takes the place of each.
    pub(super) covered: Vec<Bytes>,
    /// Read-only though they lie in a writable place.
    pub(super) frozen: Vec<Bytes>,
    /// What stands for `/tmp` and the home where there is no mount view.
    pub(super) private: Option<Bytes>,
}

/// The smallest value that the kernel takes for `pid_max`: fewer processes are counted instead.
pub(super) const LEAST_PID_MAX: u64 = 301;

/// Limits that the helper sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ceilings {
    pub(super) file_bytes: u64,
    /// Per process; none where the control group counts.
    pub(super) memory_bytes: Option<u64>,
    pub(super) processes: u64,
    /// The soft limit of each process.
    pub(super) open_files: u64,
    /// Processes are counted, for want of a better means.
    pub(super) count: bool,
}

/// What is done in the sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// Runs a program with this environment and nothing else.
    Run { argv: Vec<String>, env: Vec<(String, String)> },
    /// Tries to break out and prints how that went.
    Probe { agent: i32, outside: Bytes },
}

/// Where a helper gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// Reading the plan.
    Plan,
    /// It has more than one thread: `init` was not the first statement of `main`.
    Threads,
    /// A place of the view is not the one that was meant.
    Changed,
    /// A layer.
    Layer(Layer),
    /// Opening `cwd` in the view.
    Directory,
    /// Looking the program up.
    Lookup,
    /// Executing it.
    Exec,
    /// Anything else.
    Process,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plan => "reading the plan",
            Self::Threads => "looking for threads",
            Self::Changed => "comparing places",
            Self::Layer(layer) => layer.as_str(),
            Self::Directory => "opening the directory",
            Self::Lookup => "looking the program up",
            Self::Exec => "executing the program",
            Self::Process => "making processes",
        })
    }
}

/// A stage and what the kernel said there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refusal {
    pub(super) stage: Stage,
    pub(super) errno: i32,
}

impl Refusal {
    pub(super) fn at(stage: Stage) -> impl Fn(Errno) -> Refusal {
        move |errno| Refusal { stage, errno: errno.raw_os_error() }
    }

    pub(super) fn layer(layer: Layer) -> impl Fn(Errno) -> Refusal {
        Self::at(Stage::Layer(layer))
    }
}

/// A message; all but `Terminate` come from the helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// The program runs.
    Started(i32),
    /// Nothing of the command ran.
    Refused(Refusal),
    /// It ended with a status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// That many processes were left behind it.
    Left(u32),
    /// It had more processes than allowed.
    Crowded,
    /// Everything has ended; what it used.
    Ended(Usage),
    /// To the helper: ask the command to end.
    Terminate,
}

/// What all processes of a call used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Usage {
    pub(super) cpu_micros: u64,
    pub(super) rss_bytes: u64,
}

/// Sends the plan with a handle on the root, or the errand with one on its directory.
pub(super) fn send_with(
    socket: BorrowedFd<'_>,
    value: &impl Serialize,
    handle: BorrowedFd<'_>,
) -> Result<(), Errno> {
    let packet = encode(value)?;
    let handles = [handle];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&handles)) {
        return Err(Errno::NOBUFS);
    }
    sendmsg(socket, &[IoSlice::new(&packet)], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// Waits for what [`send_with`] sent.
pub(super) fn receive_with<T: DeserializeOwned>(socket: BorrowedFd<'_>) -> Result<(T, OwnedFd), Errno> {
    let mut packet = vec![0; MAX_PACKET_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        recvmsg(socket, &mut [IoSliceMut::new(&mut packet)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
    })?;
    let mut handles = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(handles) => handles.collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    let Some(handle) = handles.next() else { return Err(Errno::BADF) };
    Ok((decode(packet.get(..received.bytes).unwrap_or_default())?, handle))
}

/// Sends a message.
pub(super) fn send(socket: impl AsFd, message: Message) -> Result<(), Errno> {
    rustix::net::send(socket, &encode(&message)?, SendFlags::NOSIGNAL).map(drop)
}

/// The next message that has come; `None` when the other end is closed.
pub(super) fn receive(socket: impl AsFd) -> Result<Option<Message>, Errno> {
    let mut packet = [0; 512];
    let (bytes, _) =
        rustix::io::retry_on_intr(|| rustix::net::recv(&socket, &mut packet[..], RecvFlags::DONTWAIT))?;
    match packet.get(..bytes) {
        Some([]) | None => Ok(None),
        Some(packet) => decode(packet).map(Some),
    }
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, Errno> {
    let packet = serde_json::to_vec(value).map_err(|_| Errno::INVAL)?;
    if packet.len() > MAX_PACKET_BYTES { Err(Errno::MSGSIZE) } else { Ok(packet) }
}

fn decode<'a, T: Deserialize<'a>>(packet: &'a [u8]) -> Result<T, Errno> {
    serde_json::from_slice(packet).map_err(|_| Errno::BADMSG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_survives_the_wire() {
        let path = Bytes(OsString::from_vec((1..=255).collect()).into());
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<Bytes>(&text).unwrap(), path);
    }

    #[test]
    fn messages_have_the_form_of_the_contract() {
        let form = |message| serde_json::to_string(&message).unwrap();
        assert_eq!(form(Message::Started(7)), r#"{"started":7}"#);
        assert_eq!(form(Message::Exit(0)), r#"{"exit":0}"#);
        assert_eq!(form(Message::Signal(9)), r#"{"signal":9}"#);
        let refusal = Refusal { stage: Stage::Lookup, errno: 2 };
        assert_eq!(form(Message::Refused(refusal)), r#"{"refused":{"stage":"lookup","errno":2}}"#);
    }
}
