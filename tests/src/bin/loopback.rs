//! The model server without a model, as a program: `loopback [--log FILE] [PORT]`. It prints `LISTENING <port>`.

use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use tests::loopback::{Log, serve};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let (mut log, mut port) = (Log::default(), 0);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--log" => log = Log::to_file(Path::new(&words.next().unwrap_or_default()))?,
            word => port = word.parse().map_err(|_| io::Error::other(format!("`{word}` is no port")))?,
        }
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    writeln!(io::stdout(), "LISTENING {}", listener.local_addr()?.port())?;
    serve(listener, Arc::new(log)).await
}
