//! What surrounds a call: executor, context, the person who can be asked, and where progress and live output appear.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tool_core::def::ToolDef;
use tool_core::{ContextBuilder, Executor, Registry, ToolContext, ToolError};

use super::{Session, Stage};
use crate::approve::{Person, Yes};
use crate::ask::Interviewee;
use crate::cli::for_command_line;
use crate::format::Format;
use crate::globals::AllGiven;
use crate::live::{ItemForm, Live, Watched};
use crate::progress::{Progress, Running, Show};
use crate::settings::Settings;
use crate::sight::Surroundings;

impl Session<'_> {
    /// The executor and context of a call.
    pub(super) fn environment(
        &mut self,
        settings: &Settings,
        stage: &Stage,
        progress: Option<&Progress>,
        live: Option<Live>,
        registry: &Registry,
        about: Option<&Registry>,
    ) -> Result<(Executor, ToolContext), ToolError> {
        let deadline = settings.timeout.map(|limit| Instant::now() + limit);
        let (executor, builder) = match about {
            None => {
                let context = self.cli.context_of(settings, &self.io)?;
                (self.gated(registry, settings)?, self.cli.placed(context, settings)?)
            }
            Some(about) => {
                let mut program = self.program(settings, about, stage.tool.as_deref());
                if matches!(stage.tool.as_deref(), Some("tools_why" | "tools_list")) {
                    program.sight = Some(self.sight(about, settings)?);
                }
                if stage.tool.as_deref() == Some("tools_check") {
                    program.sight = Some(self.policy_alone(about, settings)?);
                }
                if stage.tool.as_deref() == Some("doctor") {
                    // A policy file that cannot be read is one of its checks.
                    program.sight = self.policy_alone(about, settings).ok();
                }
                let executor = for_command_line(Executor::standard(registry.clone())).build()?;
                #[cfg(feature = "mcp")]
                let host = self.host(about, settings, stage.tool.as_deref())?;
                let around = Surroundings {
                    registry: about.clone(),
                    settings: settings.clone(),
                    program: program.clone(),
                    #[cfg(feature = "store")]
                    ledger: crate::store::Ledger::new(self.cli, settings, about),
                };
                let builder = ToolContext::builder().provide(program).provide(around);
                #[cfg(feature = "mcp")]
                let builder = builder.provide(host);
                (executor, builder)
            }
        };
        let builder = match deadline {
            Some(deadline) => builder.deadline(deadline),
            None => builder,
        };
        let builder = match progress {
            Some(progress) => builder.progress(progress.clone()),
            None => builder,
        };
        let builder = match live {
            Some(live) => {
                let builder = match about {
                    None => builder.cancellation(live.cancellation()),
                    Some(_) => builder,
                };
                let builder = if live.watched().output { builder.live(live.clone()) } else { builder };
                if live.watched().items.is_some() { builder.items(live) } else { builder }
            }
            None => builder,
        };
        let ctx = self.asking(builder, settings, stage, progress).build();
        registry.check_capabilities(&ctx)?;
        Ok((executor, ctx))
    }

    /// What shows on standard output what comes before the result: output as text, on a terminal, whole; elements of a list
    /// wherever each is a line of its own.
    pub(super) fn live(
        &self,
        settings: &Settings,
        def: &ToolDef<'_>,
        progress: Option<&Progress>,
    ) -> Option<Live> {
        let terminal = self.io.tty.stdout;
        let text = settings.format.is_none_or(|format| format == Format::Text);
        let whole = settings.select.is_none() && settings.out.is_none() && !settings.envelope;
        let items = ItemForm::of(settings, def, terminal);
        let watched = Watched { output: terminal && text && whole, items, terminal };
        if !watched.output && watched.items.is_none() {
            return None;
        }
        Some(Live::new(watched, self.stdout.clone(), progress.cloned(), self.io.cancel.child_token()))
    }

    /// What shows how far the call is: drawn on a terminal, in lines for somebody who wants to know more.
    pub(super) fn progress(&self, settings: &Settings, stage: &Stage) -> Option<Running> {
        let dumb = self.io.var("TERM") == Some(OsStr::new("dumb"));
        let show = match (self.io.tty.stderr && !dumb, settings.verbose > 0) {
            _ if settings.quiet || settings.dry_run => return None,
            (true, _) => Show::Drawn { columns: self.io.width.unwrap_or(80) },
            (false, true) => Show::Lines,
            (false, false) => return None,
        };
        let label = stage.command.as_deref().unwrap_or_default().join(" ");
        Some(Progress::start(show, label, self.stderr.clone()))
    }

    /// The context with somebody who can be asked: the person at the terminal. `--yes` has consented already, and answers no
    /// question of a tool.
    fn asking(
        &mut self,
        builder: ContextBuilder,
        settings: &Settings,
        stage: &Stage,
        progress: Option<&Progress>,
    ) -> ContextBuilder {
        let words = stage.command.as_deref().unwrap_or_default();
        let command = [std::slice::from_ref(&self.cli.name), words].concat().join(" ");
        let progress = progress.cloned();
        let terminal = self.io.terminal.take_if(|_| self.io.tty.stderr && !settings.no_input);
        let terminal = terminal.map(|terminal| Arc::new(Mutex::new(terminal)));
        let builder = match terminal.clone() {
            Some(terminal) => {
                let (command, progress) = (command.clone(), progress.clone());
                builder.asker(Interviewee { terminal, command, progress })
            }
            None => builder,
        };
        match terminal {
            _ if settings.yes => builder.approver(Yes),
            None => builder,
            Some(terminal) => builder.approver(Person {
                terminal,
                tool: stage.tool.clone().unwrap_or_default(),
                command,
                table: stage.table.clone(),
                columns: self.columns(),
                progress,
            }),
        }
    }

    /// The declared secrets that are not set.
    pub(crate) fn missing_secrets(
        &self,
        registry: &Registry,
        settings: Option<&Settings>,
    ) -> BTreeSet<String> {
        let keys: BTreeSet<&str> =
            registry.iter().flat_map(|entry| entry.def().secrets).map(|secret| secret.key).collect();
        if keys.is_empty() {
            return BTreeSet::new();
        }
        let own = settings.is_none().then(|| self.cli.settings(&AllGiven::default(), &self.io).0);
        let Some(settings) = settings.or(own.as_ref()) else { return BTreeSet::new() };
        // A context that cannot be made here is reported when a tool is called; help goes on without it.
        let made = self.cli.context_of(settings, &self.io);
        let ctx = made.unwrap_or_else(|_| ToolContext::builder().secrets(settings.secrets())).build();
        keys.into_iter().filter(|key| !ctx.has_secret(key)).map(str::to_owned).collect()
    }
}
