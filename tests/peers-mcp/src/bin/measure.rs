//! One client on standard input and output: calls a second at depth 1 and 32, and whole lists of tools a second.
//!
//! `measure NAME call|list COMMAND…` prints `NAME call 1 RATE` and `NAME call 32 RATE`, or `NAME list PAGES RATE BYTES CPU`: the size of
//! a list, and the microseconds that the server's processors took for it. It writes requests and counts lines: what an answer says is looked at once, before the clock runs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    id: u64,
}

impl Server {
    fn start(command: &[String]) -> Server {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut server = Server {
            child,
            input,
            output: BufReader::with_capacity(1 << 20, output),
            line: Vec::new(),
            id: 0,
        };
        let client = json!({"name": "measure", "version": "1"});
        server.send(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        );
        server.receive();
        server
            .input
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .expect("it reads");
        server
    }

    fn send(&mut self, method: &str, params: &Value) {
        self.id += 1;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{method}\",\"params\":{params}}}\n",
            self.id
        );
        self.input.write_all(line.as_bytes()).expect("it reads");
    }

    fn receive(&mut self) -> &[u8] {
        loop {
            self.line.clear();
            assert!(
                self.output.read_until(b'\n', &mut self.line).expect("it writes") > 0,
                "the server ended"
            );
            // Notifications have none.
            if self.line.windows(4).any(|word| word == b"\"id\"") {
                return &self.line;
            }
        }
    }

    /// Reads an answer to its end without keeping it: what is measured is the server, and copying a list takes a client as long
    /// as sending it.
    fn skip(&mut self) {
        loop {
            let read = self.output.fill_buf().expect("it writes");
            assert!(!read.is_empty(), "the server ended");
            let end = memchr::memchr(b'\n', read);
            let taken = end.map_or(read.len(), |end| end + 1);
            self.output.consume(taken);
            if end.is_some() {
                return;
            }
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.send(method, params);
        serde_json::from_slice(self.receive()).expect("JSON")
    }

    /// Calls a second with so many on their way.
    fn calls(&mut self, depth: usize, time: Duration) -> f64 {
        let params = json!({"name": "echo", "arguments": {"text": "hello, world"}});
        let answer = self.answer("tools/call", &params);
        assert_eq!(answer["result"]["content"][0]["text"], "hello, world", "{answer}");
        (0..depth).for_each(|_| self.send("tools/call", &params));
        let (start, mut count) = (Instant::now(), 0_u32);
        while start.elapsed() < time {
            self.receive();
            self.send("tools/call", &params);
            count += 1;
        }
        let rate = f64::from(count) / start.elapsed().as_secs_f64();
        for _ in 0..depth {
            self.receive();
        }
        rate
    }

    /// The ticks that the server's processors have taken, a hundred a second.
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("it runs");
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    }

    /// Whole lists.
    fn lists(&mut self, time: Duration) -> Lists {
        // The cursors are the same each time.
        let (mut cursors, mut tools, mut bytes) = (vec![json!({})], 0, 0);
        loop {
            let cursor = cursors[cursors.len() - 1].clone();
            let page = self.answer("tools/list", &cursor);
            bytes += self.line.len();
            tools += page["result"]["tools"].as_array().expect("tools").len();
            match page["result"].get("nextCursor").filter(|next| !next.is_null()) {
                Some(next) => cursors.push(json!({"cursor": next})),
                None => break,
            }
        }
        assert_eq!(tools, 1_000);
        let (start, before, mut count) = (Instant::now(), self.ticks(), 0_u32);
        while start.elapsed() < time {
            for cursor in &cursors {
                self.send("tools/list", cursor);
                self.skip();
            }
            count += 1;
        }
        let rate = f64::from(count) / start.elapsed().as_secs_f64();
        let cpu = (self.ticks() - before) as f64 * 10_000.0 / f64::from(count);
        Lists { pages: cursors.len(), rate, bytes, cpu }
    }
}

struct Lists {
    pages: usize,
    /// Lists a second.
    rate: f64,
    bytes: usize,
    /// Microseconds.
    cpu: f64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, what, command @ ..] = words.as_slice() else { panic!("measure NAME call|list COMMAND…") };
    let seconds = std::env::var("SECONDS_EACH").ok().and_then(|text| text.parse().ok()).unwrap_or(3.0);
    let time = Duration::from_secs_f64(seconds);
    let mut server = Server::start(command);
    if what == "list" {
        server.lists(time / 4);
        let Lists { pages, rate, bytes, cpu } = server.lists(time);
        println!("{name} list {pages} {rate:.0} {bytes} {cpu:.0}");
    } else {
        server.calls(32, time / 4);
        for depth in [1, 32] {
            println!("{name} call {depth} {:.0}", server.calls(depth, time));
        }
    }
    drop(server.input);
    let _ = server.child.kill();
    let _ = server.child.wait();
}
