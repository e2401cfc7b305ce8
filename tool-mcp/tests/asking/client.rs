//! A client that is asked, and what it reads in answers.

use super::*;

pub(crate) struct Client {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    id: u64,
    deleted: Arc<Deleted>,
    pub(crate) journal: Arc<MemoryJournal>,
}

pub(crate) fn registry() -> Registry {
    let registry = Registry::builder().add::<DeleteTool>().add::<InterviewTool>().add::<SignTool>();
    registry.add::<HastyTool>().add::<InquireTool>().add::<AppendTool>().build().unwrap()
}

impl Client {
    pub(crate) fn new(confirm: Confirm) -> Client {
        let (journal, deleted) = (Arc::new(MemoryJournal::new()), Arc::new(Deleted::default()));
        let context = ToolContext::builder().provide_arc(Arc::clone(&deleted));
        Client::on(confirm, journal, deleted, context)
    }

    /// A client in a run in which another process has made these calls.
    pub(crate) async fn behind(confirm: Confirm, calls: &[Value]) -> Client {
        let (first, deleted) = (MemoryJournal::new(), Arc::new(Deleted::default()));
        let journal = Arc::new(first.another());
        let context = || {
            let context = ToolContext::builder().provide_arc(Arc::clone(&deleted));
            context.at(Coordinates::new("m10"))
        };
        let executor = Executor::standard(registry());
        let executor = executor.journal(Arc::new(first), JournalMode::Effects, "tests").build().unwrap();
        for call in calls {
            let call = Call::new(call["name"].as_str().unwrap(), call["arguments"].clone());
            let told = executor.call(call, &context().build(), Caller::Test).await;
            assert!(told.is_ok() || calls == [lost()], "{calls:?}");
        }
        let builder = context();
        Client::on(confirm, journal, deleted, builder)
    }

    pub(crate) fn on(
        confirm: Confirm,
        journal: Arc<MemoryJournal>,
        deleted: Arc<Deleted>,
        context: ContextBuilder,
    ) -> Client {
        let executor = Executor::standard(registry()).journal(journal.clone(), JournalMode::Effects, "tests");
        Client::of(executor, confirm, journal, deleted, context)
    }

    /// A client of a server that keeps no journal.
    pub(crate) fn unrecorded(confirm: Confirm) -> Client {
        let deleted = Arc::new(Deleted::default());
        let context = ToolContext::builder().provide_arc(Arc::clone(&deleted));
        Client::of(Executor::standard(registry()), confirm, Arc::default(), deleted, context)
    }

    pub(crate) fn of(
        server: ExecutorBuilder,
        confirm: Confirm,
        journal: Arc<MemoryJournal>,
        deleted: Arc<Deleted>,
        context: ContextBuilder,
    ) -> Client {
        let server = McpServer::builder(server).context(context).confirm(confirm);
        let server = server.build().unwrap();
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(far);
        tokio::spawn(serve_streams(server, read, write, CancellationToken::new()));
        let (read, write) = tokio::io::split(near);
        Client { read: BufReader::new(read).lines(), write, id: 0, deleted, journal }
    }

    /// The rows of a tool in the journal: id and status.
    pub(crate) async fn rows(&self, tool: &str) -> Vec<(String, Status)> {
        let query = RowQuery { tool: Some(tool.to_owned()), ..RowQuery::default() };
        let rows = self.journal.rows(&query).await.unwrap();
        rows.into_iter().map(|row| (row.call_id, row.status)).collect()
    }

    pub(crate) fn deleted(&self) -> usize {
        self.deleted.0.load(Ordering::SeqCst)
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(tool_trials::patience(), self.read.next_line()).await;
        serde_json::from_str(&line.unwrap().unwrap().unwrap()).unwrap()
    }

    /// A call of 2026-07-28, and its answer.
    pub(crate) async fn modern(&mut self, mut params: Value, capabilities: Value) -> Value {
        self.id += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": params});
        self.send(&request).await;
        self.receive().await
    }

    pub(crate) async fn asked(&mut self, params: Value) -> Value {
        self.modern(params, json!({"elicitation": {}})).await
    }

    /// Opens a session of 2025-11-25.
    pub(crate) async fn initialize(&mut self, capabilities: Value) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "tests", "version": "1"}});
        self.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        assert_eq!(self.receive().await["result"]["protocolVersion"], "2025-11-25");
    }
}

pub(crate) fn deletion(name: &str) -> Value {
    json!({"name": "delete", "arguments": {"name": name, "password": "hunter2"}})
}

/// A call whose outcome nobody knows the first time.
pub(crate) fn lost() -> Value {
    json!({"name": "append", "arguments": {"line": "lost"}})
}

pub(crate) fn retry(call: &Value, state: &str, answers: &Value) -> Value {
    let mut call = call.clone();
    call["requestState"] = state.into();
    call["inputResponses"] = answers.clone();
    call
}

pub(crate) fn failure(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["error"].clone()
}

pub(crate) fn state(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].as_str().unwrap().to_owned()
}

/// The key and the text of the one question of a round.
pub(crate) fn question(answer: &Value) -> (String, String) {
    let requests = answer["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(requests.len(), 1, "{answer}");
    let (key, request) = requests.iter().next().unwrap();
    (key.clone(), request["params"]["message"].as_str().unwrap().to_owned())
}

pub(crate) fn reply(key: &str, action: &str) -> Value {
    json!({key: {"action": action, "content": {}}})
}
