//! The reading connection of a process, made anew when it is lost; it also hears of commits. (journal.md §11)

use std::sync::Arc;

use tokio::sync::{Mutex, Notify};
use tokio_postgres::{AsyncMessage, Client, NoTls};
use tool_core::journal::{Result, Row};

use super::table::{self, failed};
use crate::sql::Param;

/// How often a question is asked whose connection is lost on the way.
const TRIES: usize = 3;

/// Who reads.
pub(crate) struct Reader {
    config: tokio_postgres::Config,
    /// Who is told of commits.
    told: Arc<Notify>,
    client: Mutex<Option<Arc<Client>>>,
}

impl Reader {
    pub(crate) fn new(config: tokio_postgres::Config) -> Reader {
        Reader { config, told: Arc::default(), client: Mutex::default() }
    }

    /// What is notified of every commit that is heard of.
    pub(crate) fn told(&self) -> &Notify {
        &self.told
    }

    /// The connection: another one when the last was lost.
    pub(crate) async fn client(&self) -> Result<Arc<Client>> {
        let mut held = self.client.lock().await;
        if let Some(client) = held.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let client = listen(&self.config, &self.told).await?;
        client.batch_execute("LISTEN tool_journal").await.map_err(|error| failed(&error))?;
        Ok(Arc::clone(held.insert(Arc::new(client))))
    }

    /// Asks; once more where the connection was lost meanwhile.
    pub(crate) async fn query(&self, sql: &str, values: &[Param]) -> Result<Vec<tokio_postgres::Row>> {
        let mut tries = 0;
        loop {
            tries += 1;
            let client = self.client().await?;
            match client.query(sql, &table::params(values)).await {
                Ok(rows) => return Ok(rows),
                Err(error) if tries < TRIES && self.is_lost(&client, &error).await => {}
                Err(error) => return Err(failed(&error)),
            }
        }
    }

    /// The rows of a query.
    pub(crate) async fn rows(&self, sql: &str, values: &[Param]) -> Result<Vec<Row>> {
        let found = self.query(sql, values).await?;
        let client = self.client().await?;
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            rows.push(table::with_blobs(&client, table::row_of(row)?).await?);
        }
        Ok(rows)
    }

    /// Whether an error means that the connection is gone, which is then not used again.
    async fn is_lost(&self, client: &Arc<Client>, error: &tokio_postgres::Error) -> bool {
        // What the server refuses it would refuse again, unless it refuses because it stops.
        let stops = error.code().is_some_and(|code| code.code().starts_with("57P"));
        let lost = client.is_closed() || error.is_closed() || stops;
        if lost {
            let mut held = self.client.lock().await;
            if held.as_ref().is_some_and(|held| Arc::ptr_eq(held, client)) {
                *held = None;
            }
        }
        lost
    }
}

/// A connection that hears of commits.
async fn listen(config: &tokio_postgres::Config, told: &Arc<Notify>) -> Result<Client> {
    let (client, mut connection) = config.connect(NoTls).await.map_err(|error| failed(&error))?;
    let told = Arc::clone(told);
    tokio::spawn(async move {
        let messages = std::future::poll_fn(move |cx| connection.poll_message(cx));
        let mut messages = Box::pin(messages);
        while let Some(Ok(message)) = std::future::poll_fn(|cx| messages.as_mut().poll(cx)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                told.notify_waiters();
            }
        }
        // Whoever waits looks again, and finds another connection.
        told.notify_waiters();
    });
    Ok(client)
}
