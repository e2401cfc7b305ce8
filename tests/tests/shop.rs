//! A run that dies and is started again: what was charged is not charged twice, what may have happened is asked about, and a
//! bank sees one key for one payment. (journal.md, acceptance 5 and 9)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::journal::{Journal as _, RowQuery, Status};
use tool_store::{SqliteJournal, SqliteOptions};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

struct Shop {
    home: tool_trials::Directory,
    bank: String,
}

impl Shop {
    fn new(bank: &str) -> Shop {
        Shop { home: tool_trials::directory(), bank: bank.to_owned() }
    }

    /// A process of the run; without an attempt it begins the next one.
    fn command(&self, attempt: Option<u32>, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shop"));
        command.args(words).env_clear().current_dir(self.home.path());
        command.env("SHOP_HOME", self.home.path()).env("SHOP_BANK", &self.bank);
        command.env("SHOP_RUN", "order-7").env("SHOP_NODE", "checkout").env("XDG_STATE_HOME", self.state());
        if let Some(attempt) = attempt {
            command.env("SHOP_ATTEMPT", attempt.to_string());
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, attempt: Option<u32>, words: &[&str]) -> (Option<i32>, Value, String) {
        let Output { status, stdout, stderr } = self.command(attempt, words).output().unwrap();
        let text = String::from_utf8(stderr).unwrap();
        // An error is told on standard error, behind the warning.
        let of_error = || text.match_indices('{').find_map(|(at, _)| serde_json::from_str(&text[at..]).ok());
        let value = serde_json::from_slice(&stdout).ok().or_else(of_error);
        (status.code(), value.unwrap_or_default(), text)
    }

    fn start(&self, words: &[&str]) -> Child {
        self.command(None, words).spawn().unwrap()
    }

    fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    fn effects(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.home.path().join("effects")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn rows(&self) -> Vec<tool_core::journal::Row> {
        let path = self.state().join("shop/journal.db");
        let journal = SqliteJournal::open(path, SqliteOptions::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(journal.rows(&RowQuery::default())).unwrap()
    }
}

fn killed(mut child: Child) {
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_run_that_died_behind_a_charge_does_not_charge_again_and_asks_before_it_charges_otherwise() {
    let shop = Shop::new("");
    let (status, told, text) = shop.run(Some(1), &["charge", "5", "--envelope"]);
    assert_eq!((status, &told["data"]), (Some(0), &json!(5)), "{text}");
    // The process that goes on with the run dies in the middle of its next call.
    let child = shop.command(Some(1), &["ship", "book"]).spawn().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while shop.effects().len() < 2 {
        assert!(Instant::now() < deadline, "the call did not begin");
        std::thread::yield_now();
    }
    killed(child);

    let (status, told, text) = shop.run(None, &["charge", "5", "--envelope"]);
    assert_eq!(
        (status, &told["data"], &told["meta"]["replayed"]),
        (Some(0), &json!(5), &json!(true)),
        "{text}"
    );
    assert!(text.contains("[toolbox:resume-warning]"), "{text}");
    assert!(text.contains("- charge (attempt 1, seq 1, status ok)"), "{text}");
    assert!(text.contains("- ship (attempt 1, seq 2, status in_doubt)"), "{text}");
    assert_eq!(shop.effects(), ["charge 5", "ship book"], "nothing was charged again");
    // Another amount is another call: an effect that nothing protects went before it.
    let (status, told, _) = shop.run(Some(2), &["charge", "6", "--json"]);
    assert_eq!((status, &told["error"]["code"]), (Some(5), &json!("approval_unavailable")), "{told}");
    // What was in doubt is asked about as such.
    let (status, told, _) = shop.run(Some(2), &["ship", "book", "--json"]);
    assert_eq!((status, &told["error"]["code"]), (Some(4), &json!("in_doubt")), "{told}");
    assert_eq!(shop.effects(), ["charge 5", "ship book"], "nothing ran");
    // The twin: somebody consents.
    let (status, told, text) = shop.run(Some(2), &["--yes", "charge", "6", "--envelope"]);
    assert_eq!((status, &told["data"]), (Some(0), &json!(6)), "{text}");
    assert_eq!(shop.effects(), ["charge 5", "ship book", "charge 6"]);
    let rows = shop.rows();
    let told: Vec<(u32, &str, Status, bool)> = rows
        .iter()
        .map(|row| (row.attempt, row.tool_name.as_str(), row.status, row.replay_of.is_some()))
        .collect();
    let wanted = [
        (1, "charge", Status::Ok, false),
        (1, "ship", Status::InDoubt, false),
        (2, "charge", Status::Ok, true),
        (2, "charge", Status::Ok, false),
    ];
    assert_eq!(told, wanted);
}

/// A bank that tells the key of each payment, and answers only from the fourth on.
fn bank() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (tell, keys) = channel();
    std::thread::spawn(move || {
        let mut held: Vec<TcpStream> = Vec::new();
        for (nth, client) in listener.incoming().map_while(Result::ok).enumerate() {
            let mut client = client;
            let (mut key, mut length) = (String::new(), 0);
            let mut reader = BufReader::new(client.try_clone().unwrap());
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let Some((name, value)) = line.trim_end().split_once(": ") else {
                    if line.trim_end().is_empty() {
                        break;
                    }
                    continue;
                };
                match name {
                    "Idempotency-Key" => key = value.to_owned(),
                    "Content-Length" => length = value.parse().unwrap(),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            if nth >= 3 {
                client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            }
            if tell.send(key).is_err() {
                return;
            }
            held.push(client);
        }
    });
    (address, keys)
}

#[test]
fn a_payment_has_one_key_over_three_kills_and_a_resume_and_a_second_one_has_another() {
    let (address, keys) = bank();
    let shop = Shop::new(&address);
    let mut seen = Vec::new();
    for _ in 0..3 {
        let child = shop.start(&["pay", "book", "5"]);
        seen.push(keys.recv_timeout(PATIENCE).unwrap());
        killed(child);
    }
    let (status, told, text) = shop.run(None, &["pay", "book", "5", "--envelope"]);
    assert_eq!((status, &told["data"]), (Some(0), &json!("HTTP/1.1 200 OK")), "{text}");
    seen.push(keys.recv_timeout(PATIENCE).unwrap());
    assert!(seen[0].starts_with("tk1_") && seen.iter().all(|key| *key == seen[0]), "{seen:?}");
    // Started over once more, the recorded outcome is given and the bank hears nothing.
    let (_, told, _) = shop.run(None, &["pay", "book", "5", "--envelope"]);
    assert_eq!(told["meta"]["replayed"], true, "{told}");
    // A second equal order of the same attempt is another payment.
    let (status, told, text) = shop.run(Some(5), &["pay", "book", "5", "--envelope"]);
    assert_eq!((status, told["meta"].get("replayed")), (Some(0), None), "{text}");
    let second = keys.recv_timeout(PATIENCE).unwrap();
    assert!(second.starts_with("tk1_") && second != seen[0], "{second}");
    assert!(keys.try_recv().is_err(), "the bank heard of no other payment");
}
