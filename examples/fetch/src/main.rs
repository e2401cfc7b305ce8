//! A tool that reaches outside, waits and draws numbers, all by capabilities, and its tests, which need none of the machine.

use std::time::Duration;

use tool_core::http::{Http, Request};
use tool_core::prelude::*;
use tool_core::{Clock, Environment, Randomness};

/// How often a server that is too busy is asked again.
const RETRIES: u32 = 2;

/// Fetches a page as text.
///
/// A server that is too busy is asked again after some seconds, at most twice.
#[tool(open_world, timeout = "1m")]
pub async fn fetch_page(
    /// The address.
    #[arg(positional, hint = "url")]
    url: &str,
    /// The most bytes of the page.
    #[arg(range = 1..=10_000_000, default = 100_000)]
    max_bytes: u64,
    #[ctx] http: &dyn Http,
    #[ctx] clock: &dyn Clock,
    #[ctx] environment: &dyn Environment,
    #[ctx] randomness: &dyn Randomness,
) -> Result<String, ToolError> {
    let languages = environment.var("FETCH_LANGUAGES").unwrap_or_else(|| "en".to_owned());
    let request = Request::get(url)?.header("accept-language", languages).limit(max_bytes);
    for again in 0.. {
        let response = http.send(request.clone()).await?;
        if again == RETRIES || !matches!(response.status(), 429 | 503) {
            return response.success()?.text().await;
        }
        // Whoever was sent away together does not come back together.
        let jitter = Duration::from_millis(randomness.below(1_000)?);
        clock.sleep(Duration::from_secs(1 << again) + jitter).await?;
    }
    Err(ToolError::internal("The tries have no end."))
}

fn main() -> std::process::ExitCode {
    tool_cli::run()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::http::Fault;
    use tool_core::test::{KitBuilder, ToolKit};
    use tool_core::{ErrorKind, Registry};

    use super::*;

    const URL: &str = "https://x.example/page";

    fn kit() -> KitBuilder {
        ToolKit::of(Registry::builder().add::<FetchPageTool>().build().unwrap())
    }

    #[test]
    fn the_tool_holds_what_it_promises() {
        tool_core::assert_tools!(Registry::builder().add::<FetchPageTool>().build().unwrap(), strict);
    }

    #[test]
    fn a_page_is_asked_for_in_the_languages_of_the_environment() {
        let is_german = |request: &Request| {
            request.headers().any(|header| (header.0, header.1) == ("accept-language", "de"))
        };
        let kit = kit()
            .env([("FETCH_LANGUAGES", "de")])
            .http(move |h| h.get(URL).sent(is_german).bytes("Hallo"))
            .build();
        assert_eq!(kit.call_blocking("fetch_page", json!({"url": URL})).unwrap().data(), "Hallo");
    }

    #[tokio::test]
    async fn a_busy_server_is_asked_again_when_the_time_has_come() {
        let kit = kit()
            .rng_script([250, 0])
            .http(|h| h.get(URL).status(503).times(2).get(URL).bytes("at last"))
            .build();
        let waited = async {
            for milliseconds in [1_250, 2_000] {
                kit.clock().asleep(1).await;
                kit.advance(Duration::from_millis(milliseconds));
            }
        };
        let (page, ()) = tokio::join!(kit.call("fetch_page", json!({"url": URL})), waited);
        assert_eq!(page.unwrap().data(), "at last");
    }

    #[test]
    fn a_server_that_stays_busy_is_unavailable_and_one_without_an_address_at_once() {
        let kit = kit().hurry().http(|h| h.get(URL).status(503).times(3).get(URL).fails(Fault::Dns)).build();
        for code in ["http_503", "dns_failed"] {
            let error = kit.call_blocking("fetch_page", json!({"url": URL})).unwrap_err();
            assert_eq!((error.kind(), error.code_str()), (ErrorKind::Unavailable, code));
        }
    }

    #[test]
    fn every_caller_gets_the_same_page() {
        let kit = kit().http(|h| h.get(URL).bytes("page")).build();
        kit.everywhere("fetch_page", json!({"url": URL})).blocking().assert_same().unwrap();
        kit.another().call_blocking("fetch_page", json!({"url": URL, "max_bytes": "4"})).unwrap();
    }
}
