//! The client against servers of this machine: what comes back, what goes wrong, and where it does not go.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests may fail the test")]

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tool_core::http::{Http, Request};
use tool_core::{BoxFuture, ErrorKind, ToolContext, ToolError};
use tool_http::{Client, Reach};

/// What these tests take for the public Internet, and what not.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const PRIVATE: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// A server that says what it is to say to a path, and counts who came.
struct Server {
    at: SocketAddr,
    came: Arc<AtomicUsize>,
}

impl Server {
    async fn start(ip: Ipv4Addr, port: u16, say: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind((ip, port)).await.unwrap();
        let server = Server { at: listener.local_addr().unwrap(), came: Arc::default() };
        let (came, say) = (Arc::clone(&server.came), Arc::new(say));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                came.fetch_add(1, Ordering::Relaxed);
                let say = Arc::clone(&say);
                tokio::spawn(async move {
                    let mut asked = Vec::new();
                    // A handshake of TLS is answered as it comes.
                    while asked.first() != Some(&0x16) && !asked.windows(4).any(|four| four == b"\r\n\r\n") {
                        let mut piece = [0; 1024];
                        match stream.read(&mut piece).await {
                            Ok(count) if count > 0 => asked.extend(piece.iter().take(count)),
                            _ => return,
                        }
                    }
                    let _ = stream.write_all(&say(&String::from_utf8_lossy(&asked))).await;
                });
            }
        });
        server
    }

    fn came(&self) -> usize {
        self.came.load(Ordering::Relaxed)
    }
}

/// An answer with a body of a length.
fn ok(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nx-told: yes\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into()
}

/// Names that lead to addresses.
fn names(name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
    let found: io::Result<Vec<IpAddr>> = match name.trim_end_matches('.') {
        "pub.test" => Ok(vec![PUBLIC.into()]),
        "evil.test" | "localhost" => Ok(vec![PRIVATE.into(), "::1".parse().unwrap()]),
        "mixed.test" => Ok(vec![PRIVATE.into(), PUBLIC.into()]),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    Box::pin(std::future::ready(found))
}

fn client() -> Client {
    Client::new().look_up(names).reach(Reach::PublicAnd(vec![PUBLIC.into()]))
}

/// HTTP as a host's own code has it, behind the guard.
fn http() -> Arc<dyn Http> {
    ToolContext::builder().http(client()).build().require::<dyn Http>().unwrap()
}

async fn get(url: &str) -> Result<String, ToolError> {
    let request = Request::get(url)?.timeout(Duration::from_secs(10)).limit(1_000);
    http().send(request).await?.success()?.text().await
}

fn failure(result: Result<String, ToolError>) -> (ErrorKind, String) {
    let error = result.expect_err("it fails");
    (error.kind(), error.code_str().to_owned())
}

#[tokio::test]
async fn an_answer_comes_with_its_status_headers_and_body_and_the_request_with_its_own() {
    let server = Server::start(PUBLIC, 0, |asked| {
        assert!(asked.starts_with("PUT /a?b=1 HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("x-key: k-1\r\n") && asked.contains("user-agent: tool-http/"), "{asked}");
        assert!(asked.ends_with("\r\n\r\n{\"n\":1}"), "{asked}");
        b"HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\ncontent-length: 4\r\n\r\nmade".into()
    })
    .await;
    let request = Request::new(tool_core::http::Method::Put, format!("http://{}/a?b=1", server.at)).unwrap();
    let body = std::collections::BTreeMap::from([("n", 1)]);
    let request = request.secret_header("x-key", "k-1").json(&body).unwrap();
    let answer = http().send(request).await.unwrap();
    assert_eq!((answer.status(), answer.header("content-type")), (201, Some("text/plain")));
    assert_eq!(answer.text().await.unwrap(), "made");
}

#[tokio::test]
async fn what_is_not_on_the_public_internet_is_not_connected_to() {
    let private = Server::start(PRIVATE, 0, |_| ok("private")).await;
    let public = Server::start(PUBLIC, private.at.port(), |_| ok("public")).await;
    let port = private.at.port();
    let hosts = [
        "127.0.0.1",
        "0177.0.0.1",
        "0x7f000001",
        "2130706433",
        "127.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "0xA9FEA9FE",
        "100.64.0.1",
        "198.18.0.1",
        "255.255.255.255",
        "\u{2460}\u{2461}\u{2466}.0.0.1",
        "LOCALHOST.",
        "evil.test",
    ];
    for host in hosts {
        let refused = failure(get(&format!("http://{host}:{port}/")).await);
        assert_eq!(refused, (ErrorKind::Denied, "address_denied".to_owned()), "{host}");
    }
    assert_eq!((private.came(), public.came()), (0, 0));
    // Of a name with both kinds of addresses the public one alone is dialled.
    for host in ["pub.test", "mixed.test", "127.0.0.2"] {
        assert_eq!(get(&format!("http://{host}:{port}/")).await.unwrap(), "public", "{host}");
    }
    assert_eq!((private.came(), public.came()), (0, 3));
    let everywhere = client().reach(Reach::Anywhere);
    let request = Request::get(format!("http://evil.test:{port}/")).unwrap();
    assert_eq!(everywhere.send(request).await.unwrap().text().await.unwrap(), "private", "the twin");
}

#[tokio::test]
async fn a_redirect_leads_to_no_address_that_is_not_reached() {
    let private = Server::start(PRIVATE, 0, |_| ok("private")).await;
    let port = private.at.port();
    let public = Server::start(PUBLIC, port, move |asked| {
        let to = match asked.split(' ').nth(1) {
            Some("/in") => format!("http://evil.test:{port}/"),
            Some("/on") => "/there".to_owned(),
            Some("/round") => "/round".to_owned(),
            _ => return ok("there"),
        };
        format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n").into()
    })
    .await;
    let url = |path: &str| format!("http://pub.test:{port}/{path}");
    assert_eq!(failure(get(&url("in")).await), (ErrorKind::Denied, "address_denied".to_owned()));
    assert_eq!(failure(get(&url("round")).await), (ErrorKind::Failed, "too_many_redirects".to_owned()));
    assert_eq!(get(&url("on")).await.unwrap(), "there");
    assert_eq!(private.came(), 0);
    assert!(public.came() > 0);
}

#[tokio::test]
async fn each_fault_has_its_code() {
    let server = Server::start(PUBLIC, 0, |asked| match asked.split(' ').nth(1) {
        Some("/short") => b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\nshort".into(),
        Some("/long") => ok(&"x".repeat(1_001)),
        Some("/endless") => {
            let chunk = format!("3e8\r\n{}\r\n", "x".repeat(1_000));
            format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}", chunk.repeat(3)).into()
        }
        Some("/gone") => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".into(),
        _ => ok("ok"),
    })
    .await;
    let closed = TcpListener::bind((PUBLIC, 0)).await.unwrap().local_addr().unwrap();
    let at = |path: &str| format!("http://{}{path}", server.at);
    let rows = [
        (at("/short"), ErrorKind::Unavailable, "response_cut"),
        (at("/long"), ErrorKind::Failed, "response_too_large"),
        (at("/endless"), ErrorKind::Failed, "response_too_large"),
        (at("/gone"), ErrorKind::NotFound, "http_404"),
        (format!("http://{closed}/"), ErrorKind::Unavailable, "connect_failed"),
        ("http://nowhere.test/".to_owned(), ErrorKind::Unavailable, "dns_failed"),
        // What is no TLS cannot be trusted.
        (format!("https://{}/", server.at), ErrorKind::Unavailable, "tls_failed"),
    ];
    for (url, kind, code) in rows {
        assert_eq!(failure(get(&url).await), (kind, code.to_owned()), "{url}");
    }
    assert_eq!(get(&at("/")).await.unwrap(), "ok");
}
