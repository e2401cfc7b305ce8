//! What tools find in the context of a program: what the program provides, and what the machine has beside it.

use tool_core::{
    Clock, ContextBuilder, Environment, Randomness, SystemClock, SystemRandomness, ToolContext, ToolError,
};

use crate::cli::Provide;
use crate::settings::Settings;

/// The context of a program: its own, or one with the secrets of the environment. A clock, the environment of the run,
/// randomness, and with the feature `http` HTTP to the public Internet are in each, unless the program provides others.
pub(crate) fn provided(own: Option<&Provide>, settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let built = match own {
        Some(provide) => provide(settings)?,
        None => ToolContext::builder().secrets(settings.secrets()),
    };
    let built = built
        .unless_provided::<dyn Clock>(|ctx| ctx.clock(SystemClock::default()))
        .unless_provided::<dyn Environment>(|ctx| ctx.environment(settings.environment()))
        .unless_provided::<dyn Randomness>(|ctx| ctx.randomness(SystemRandomness));
    #[cfg(feature = "http")]
    let built = built.unless_provided::<dyn tool_core::http::Http>(|ctx| ctx.http(tool_http::Client::new()));
    Ok(built)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use tool_core::{BoxFuture, Registry, tool};

    use super::*;
    use crate::cli::Cli;
    use crate::io::Io;

    /// Tells what the program has.
    #[tool(register = false)]
    async fn surroundings(
        #[ctx] clock: &dyn Clock,
        #[ctx] environment: &dyn Environment,
        #[ctx] randomness: &dyn Randomness,
    ) -> Result<String, ToolError> {
        clock.sleep(Duration::from_millis(1)).await?;
        let is_past = clock.wall() < SystemTime::UNIX_EPOCH;
        let player = environment.var("PLAYER").unwrap_or_default();
        Ok(format!("{player} {} {is_past}", randomness.below(1)?))
    }

    /// A clock that somebody else provides.
    struct Long;

    impl Clock for Long {
        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn wall(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH - Duration::from_secs(1)
        }

        fn sleep(&self, _: Duration) -> BoxFuture<'_, Result<(), ToolError>> {
            Box::pin(std::future::ready(Ok(())))
        }
    }

    fn told(cli: Cli) -> String {
        let directory = tool_trials::directory();
        let (path, env) = (directory.path().join("out"), [("PLAYER".into(), "Ada".into())].into());
        let stdout = Box::new(std::fs::File::create(&path).unwrap());
        let io = Io { stdout, env, ..Io::detached("/") };
        assert_eq!(cli.run_from(["surroundings"], io).0, 0);
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn tools_find_a_clock_the_environment_of_the_run_and_randomness() {
        let cli = || Cli::new(Registry::builder().add::<SurroundingsTool>().build().unwrap());
        assert_eq!(told(cli()), "Ada 0 false\n");
        let own = cli().context(|_| Ok(ToolContext::builder().clock(Long)));
        assert_eq!(told(own), "Ada 0 true\n", "what the program provides is not replaced");
    }
}
