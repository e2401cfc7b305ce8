//! What attacks while a tool works: a thread that exchanges names, a writer without end, and the owner of a lock.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FlockOperation, RenameFlags, fcntl_lock, renameat_with};
use serde_json::Value;

use crate::scene::{self, Scene};

/// How long an attack lasts for which a case says nothing.
const TIME: Duration = Duration::from_secs(1);

/// Makes the call of a case again and again while somebody changes the tree; nothing outside may change.
pub(crate) fn race(case: &Value) -> Vec<String> {
    let scene = Scene::new(case);
    let seconds = case["call"]["repeat_s"].as_u64().map_or(TIME, Duration::from_secs);
    let before = contents(scene.out());
    let (done, mut wrong, mut calls) = (AtomicBool::new(false), Vec::new(), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                change(&scene, &case["call"]);
            }
        });
        let end = Instant::now() + seconds;
        while Instant::now() < end && wrong.is_empty() {
            let result = scene.call(case, &case["call"]);
            calls += 1;
            wrong = differences(&scene, case, &result);
        }
        done.store(true, Ordering::Relaxed);
    });
    println!("{}: {calls} calls during the attack", case["id"]);
    if contents(scene.out()) != before {
        wrong.push(format!("changed outside: {:?}", contents(scene.out())));
    }
    wrong
}

/// What is wrong with one answer: where a case only says what must never be, every answer but a bug of ours will do.
fn differences(scene: &Scene, case: &Value, result: &Result<Value, tool_core::ToolError>) -> Vec<String> {
    let any: Vec<&Value> = match case["expect"]["any"].as_array() {
        Some(any) => any.iter().collect(),
        None => Vec::new(),
    };
    match result {
        Err(error) if error.kind().as_str() == "internal" => vec![error.to_json().to_string()],
        // While a name is exchanged, the exchange itself may be what is seen.
        Err(error) if error.code_str() == "path_changed" || any.is_empty() => Vec::new(),
        Ok(_) if any.is_empty() => Vec::new(),
        result => {
            let tried = any.iter().map(|expect| scene::compare(&scene.fill(expect), case, result));
            tried.min_by_key(Vec::len).unwrap_or_default()
        }
    }
}

/// One change of the tree by the attacker.
fn change(scene: &Scene, call: &Value) {
    let root = scene.root();
    if call["attacker"] == "renameat2_exchange a b" {
        renameat_with(CWD, root.join("a"), CWD, root.join("b"), RenameFlags::EXCHANGE).unwrap();
        return;
    }
    assert_eq!(call["between"], "check,rename:replace f by a link to {OUT}/secret");
    let (link, file) = (root.join("sub/link"), root.join("f"));
    symlink(scene.out().join("secret"), &link).unwrap();
    fs::rename(&link, &file).unwrap();
    let _ = fs::remove_file(&file);
}

fn contents(directory: impl AsRef<Path>) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    all.sort();
    all
}

/// Makes the call of a case while this program has a POSIX lock on the journal's shared memory. To read the file, or only
/// to close it, would drop the lock: another program must still be refused it.
pub(crate) fn with_a_lock(case: &Value) -> Result<Vec<String>, String> {
    let scene = Scene::new(case);
    let mut name = scene.journal().into_os_string();
    name.push("-shm");
    let file = fs::File::options().read(true).write(true).open(&name).unwrap();
    fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
    let result = scene.call(case, &case["call"]);
    let expected = match case["expect"]["any"].as_array() {
        Some(any) => any.clone(),
        None => vec![case["expect"].clone()],
    };
    let tried = expected.iter().map(|expect| scene::compare(&scene.fill(expect), case, &result));
    let mut wrong = tried.min_by_key(Vec::len).unwrap_or_default();
    if !is_locked(Path::new(&name)).ok_or("python3")? {
        wrong.push("the lock was dropped".to_owned());
    }
    // That the question can be answered otherwise.
    drop(file);
    if is_locked(Path::new(&name)) != Some(false) {
        wrong.push("a lock that is gone was seen".to_owned());
    }
    Ok(wrong)
}

/// Whether another program is refused a lock on a file.
fn is_locked(file: &Path) -> Option<bool> {
    let script = "import fcntl,sys\ntry: fcntl.lockf(open(sys.argv[1],'r+'), fcntl.LOCK_EX|fcntl.LOCK_NB)\n\
                  except OSError: sys.exit(7)";
    let status = Command::new("/usr/bin/python3").args(["-c", script]).arg(file).status().ok()?;
    match status.code() {
        Some(0) => Some(false),
        Some(7) => Some(true),
        other => panic!("python3 ended with {other:?}"),
    }
}

/// Writes to a file without end, until it is dropped.
pub(crate) struct Appender(std::sync::Arc<AtomicBool>, Option<std::thread::JoinHandle<()>>);

impl Appender {
    pub(crate) fn start(file: &Path) -> Self {
        let done = std::sync::Arc::new(AtomicBool::new(false));
        let (stop, mut file) = (std::sync::Arc::clone(&done), fs::File::create(file).unwrap());
        file.write_all(b"first\n").unwrap();
        let write = move || {
            // Within what a read takes as text, so that the end of the file keeps moving away from the reader.
            for _ in 0..200_000 {
                if stop.load(Ordering::Relaxed)
                    || file.write_all(b"a line that is followed by another\n").is_err()
                {
                    return;
                }
            }
        };
        Self(done, Some(std::thread::spawn(write)))
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.take().map(std::thread::JoinHandle::join);
    }
}

/// The call of a case whose file grows meanwhile.
pub(crate) fn while_it_grows(case: &Value) -> Result<Vec<String>, String> {
    let step = case["setup"][0].clone();
    let mut still = case.clone();
    still["setup"] = serde_json::json!([["write", step[1], ""]]);
    let scene = Scene::new(&still);
    let _appender = Appender::start(Path::new(scene.fill(&step[1]).as_str().unwrap()));
    let start = Instant::now();
    let result = scene.call(&still, &case["call"]);
    let mut wrong = differences(&scene, case, &result);
    if scene::is_late(case, start) {
        wrong.push(format!("took {:?}", start.elapsed()));
    }
    Ok(wrong)
}
