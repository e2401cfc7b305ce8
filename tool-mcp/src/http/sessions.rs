//! The sessions of the legacy era. rmcp keeps them; here they end what runs in them, and know which requests are not answered.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::Either;
use futures_util::stream::{self, Stream, StreamExt as _};
use rmcp::model::{
    ClientJsonRpcMessage, GetExtensions as _, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use tokio_util::sync::CancellationToken;

use crate::malformed::repeated;
use crate::server::SessionEnd;

/// The sessions.
pub(super) struct Sessions {
    kept: LocalSessionManager,
    open: Mutex<HashMap<SessionId, Arc<Open>>>,
}

/// A session that is open.
#[derive(Default)]
struct Open {
    end: CancellationToken,
    /// What was asked in it and is not answered.
    asked: Mutex<HashSet<RequestId>>,
}

/// A request that is not answered, until it is dropped.
struct Asked {
    session: Arc<Open>,
    id: RequestId,
}

impl Sessions {
    pub(super) fn new(kept: LocalSessionManager) -> Sessions {
        Sessions { kept, open: Mutex::default() }
    }

    /// How many there are.
    pub(super) async fn count(&self) -> usize {
        self.kept.sessions.read().await.len()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn asked(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request; `None` where another one with its id is not answered.
    fn ask(self: Arc<Open>, id: &RequestId) -> Option<Asked> {
        let is_new = self.asked().insert(id.clone());
        is_new.then(|| Asked { session: self, id: id.clone() })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.session.asked().remove(&self.id);
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.kept.create_session().await?;
        self.open().insert(id.clone(), Arc::default());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.kept.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.kept.has_session(id).await
    }

    /// rmcp waits for what runs in a session that its client has ended; nobody will read what comes of it.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let open = self.open().remove(id);
        if let Some(open) = open {
            open.end.cancel();
        }
        self.kept.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let open = self.open().get(id).map(Arc::clone);
        let mut asked: Option<Asked> = None;
        if let (Some(open), JsonRpcMessage::Request(request)) = (open, &mut message) {
            request.request.extensions_mut().insert(SessionEnd(open.end.clone()));
            asked = open.ask(&request.id);
            if asked.is_none() {
                // rmcp would give one of the two answers on the stream of the other request, and none on this.
                let refused = ServerSseMessage::from_message(repeated(request.id.clone()));
                return Ok(Either::Left(stream::iter([refused])));
            }
        }
        let answers = self.kept.create_stream(id, message).await?;
        Ok(Either::Right(answers.inspect(move |sent| {
            let sent = sent.message.as_deref();
            if matches!(sent, Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))) {
                drop(asked.take());
            }
        })))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.kept.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.kept.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.kept.resume(id, last_event_id).await
    }
}
