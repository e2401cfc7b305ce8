//! Listeners on the loopback and at abstract names that count who comes.

use std::io::Read;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// One of each kind, with one count.
pub(crate) struct Listeners {
    hits: Arc<AtomicUsize>,
    pub(crate) port: u16,
}

impl Listeners {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (hits, port) = (Arc::new(AtomicUsize::new(0)), listener.local_addr().unwrap().port());
        let counter = Arc::clone(&hits);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
                let _ = stream.read(&mut [0; 64]);
            }
        });
        Self { hits, port }
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

    pub(crate) fn count(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}
