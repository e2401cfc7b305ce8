//! The progress of a call on its way to the client: growing values only, not too often, and the last one always. (mcp.md §5)

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tool_core::{Progress, ProgressSink, ToolContext};

/// The least time between two notifications of a call.
pub(crate) const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// One report, as it will be sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

/// Where the reports of a call go.
#[derive(Debug)]
pub(crate) struct Reports {
    last: Mutex<Option<f64>>,
    latest: watch::Sender<Option<Report>>,
}

/// The reports of a call as they come.
#[derive(Debug)]
pub(crate) struct Reported(watch::Receiver<Option<Report>>);

/// A sink and what comes out of it.
pub(crate) fn reports() -> (Reports, Reported) {
    let (latest, reported) = watch::channel(None);
    (Reports { last: Mutex::new(None), latest }, Reported(reported))
}

impl ProgressSink for Reports {
    fn report(&self, _: &ToolContext, progress: Progress<'_>) {
        let Progress { done, total, message } = progress;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !done.is_finite() || last.is_some_and(|last| done <= last) {
            return;
        }
        *last = Some(done);
        let total = total.filter(|total| total.is_finite());
        self.latest.send_replace(Some(Report { done, total, message: message.map(str::to_owned) }));
    }
}

impl Reported {
    /// Sends reports until the call has ended, and then the one that is left.
    pub(crate) async fn pass_on<F: Future<Output = ()>>(
        mut self,
        ended: &CancellationToken,
        send: impl Fn(Report) -> F,
    ) {
        loop {
            let report = tokio::select! {
                changed = self.0.changed() => match changed {
                    Ok(()) => self.0.borrow_and_update().clone(),
                    Err(_) => return,
                },
                () = ended.cancelled() => {
                    let left = self.0.has_changed().unwrap_or(false);
                    let report = self.0.borrow_and_update().clone();
                    if let Some(report) = report.filter(|_| left) {
                        send(report).await;
                    }
                    return;
                }
            };
            if let Some(report) = report {
                send(report).await;
            }
            tokio::select! {
                () = tokio::time::sleep(PROGRESS_PERIOD) => {}
                () = ended.cancelled() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(reports: &Reports, done: f64) {
        reports.report(&ToolContext::empty(), Progress { done, total: None, message: None });
    }

    #[tokio::test(start_paused = true)]
    async fn values_grow_and_the_last_one_is_sent() {
        let (reports, reported) = reports();
        let ended = CancellationToken::new();
        let sent = Mutex::new(Vec::new());
        let send = |report: Report| {
            sent.lock().unwrap().push(report.done);
            std::future::ready(())
        };
        let work = async {
            for step in 1..=40 {
                say(&reports, f64::from(step));
                say(&reports, f64::from(step - 1));
                say(&reports, f64::NAN);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            ended.cancel();
        };
        tokio::join!(reported.pass_on(&ended, send), work);
        let sent = sent.into_inner().unwrap();
        assert!(sent.is_sorted_by(|a, b| a < b), "{sent:?}");
        assert_eq!(sent.last(), Some(&40.0));
        assert!((4..=6).contains(&sent.len()), "ten a second: {sent:?}");
    }
}
