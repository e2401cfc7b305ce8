//! A server on this machine that answers bytes, whatever it is asked.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// What a connection gets.
pub(crate) enum Answer {
    /// These bytes, and the connection ends.
    Bytes(Vec<u8>),
    /// These bytes, and nothing more while the test runs.
    Hang(Vec<u8>),
    /// One line of a content type that goes on for so many bytes.
    Endless(&'static str, usize),
}

/// The server; it ends with the value.
pub(crate) struct Canned {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Canned {
    /// A server that gives one answer a connection.
    pub(crate) fn answering(answers: impl IntoIterator<Item = Answer>) -> Canned {
        let answers: Vec<Answer> = answers.into_iter().collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let (over, until) = channel();
        let thread = std::thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else { return };
                let Some(request) = read(&stream) else { return };
                seen.lock().unwrap().push(request);
                let _ = write(stream, answer, &until);
            }
        });
        Canned { port, requests, over: Some(over), thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What was asked, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Canned {
    fn drop(&mut self) {
        drop(self.over.take());
        // An answer that nobody asked for is waited for no longer.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// One request; `None` for a connection that ends before it is whole.
fn read(mut stream: &TcpStream) -> Option<String> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0_usize) {
            return Some(text);
        }
    }
}

fn write(mut stream: TcpStream, answer: Answer, until: &Receiver<()>) -> std::io::Result<()> {
    match answer {
        Answer::Bytes(bytes) => stream.write_all(&bytes),
        Answer::Hang(bytes) => {
            stream.write_all(&bytes)?;
            let _ = until.recv();
            Ok(())
        }
        Answer::Endless(kind, length) => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\ndata: \"")?;
            let piece = [b'x'; 1 << 16];
            for _ in 0..length / piece.len() {
                stream.write_all(&piece)?;
            }
            Ok(())
        }
    }
}

/// An answer with a status and further headers, each with its line's end.
pub(crate) fn plain(status: u16, kind: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} Told\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}")
        .into_bytes()
}

/// A good answer.
pub(crate) fn whole(kind: &str, body: &str) -> Vec<u8> {
    plain(200, kind, "", body)
}

/// A good answer in pieces, whose end may be missing.
pub(crate) fn chunked(kind: &str, pieces: &[&[u8]], ends: bool) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )
    .into_bytes();
    for piece in pieces {
        bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    if ends {
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
    bytes
}
