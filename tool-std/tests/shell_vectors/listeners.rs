//! Listeners on the loopback and at abstract names that count who comes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What the tests themselves say, to know that everybody before them was counted.
const MARK: &[u8] = b"only to be counted up to here";

/// One of each kind, with one count.
pub(crate) struct Listeners {
    hits: Arc<AtomicUsize>,
    marks: Arc<AtomicUsize>,
    pub(crate) port: u16,
}

impl Listeners {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (hits, port) = (Arc::new(AtomicUsize::new(0)), listener.local_addr().unwrap().port());
        let marks = Arc::new(AtomicUsize::new(0));
        let (counter, marked) = (Arc::clone(&hits), Arc::clone(&marks));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                // Long enough for a mark on a busy machine; who says nothing and goes ends it at once.
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                let mut said = [0; 64];
                let heard = stream.read(&mut said).unwrap_or(0);
                let kind = if said[..heard].starts_with(MARK) { &marked } else { &counter };
                kind.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { hits, marks, port }
    }

    pub(crate) fn start_abstract(&self, name: &str) {
        let address = SocketAddr::from_abstract_name(name.trim_start_matches('@')).unwrap();
        let Ok(listener) = UnixListener::bind_addr(&address) else { return };
        let counter = Arc::clone(&self.hits);
        std::thread::spawn(move || {
            for _stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
    }

    /// How many came until now: they are taken in the order in which they came.
    pub(crate) fn count(&self) -> usize {
        let before = self.marks.load(Ordering::SeqCst);
        let mut own = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        own.write_all(MARK).unwrap();
        // Who has read the mark may have gone already.
        let _ = own.shutdown(Shutdown::Write);
        let deadline = Instant::now() + tool_trials::patience();
        while self.marks.load(Ordering::SeqCst) == before {
            assert!(Instant::now() < deadline, "the listener does not answer");
            std::thread::yield_now();
        }
        self.hits.load(Ordering::SeqCst)
    }
}
