//! One call's arguments while they are taken: the short way (`direct`) or the whole one (`whole`), which a handler does not tell
//! apart.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::coercion::{Coerce, Coercion, Notes};
use super::direct::Direct;
use super::issue::ArgIssue;
use super::parse::MAX_ARGS_BYTES;
use super::whole::Whole;
use crate::call::AtOnce;
use crate::def::{ParamDef, ToolDef};
use crate::error::ToolError;

/// The arguments of one call while they are taken.
///
/// A handler takes each parameter in declaration order and then asks [`Args::finish`] whether all is well, so that one
/// reply lists everything that does not fit.
#[derive(Debug)]
pub struct Args<'a> {
    tool: &'a ToolDef<'a>,
    /// The call, where its function runs as soon as everything is taken.
    at_once: Option<&'a mut AtOnce>,
    pub(super) way: Way<'a>,
}

/// How arguments are taken.
#[derive(Debug)]
pub(super) enum Way<'a> {
    /// Without a tree, notes or issues: where something is not plainly right, it says nothing but that.
    Short(Direct<'a>),
    Whole(Whole<'a>),
}

/// The normal form of what went the short way, which has none.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl<'a> Args<'a> {
    /// Matches an input to the parameters of a tool. Null is an empty object; a text is parsed once more.
    ///
    /// # Errors
    /// `not_an_object`, `too_deep`, `args_too_large`, and for a text those of [`super::parse`]; `internal` where the
    /// definition itself is broken.
    pub fn new(tool: &'a ToolDef<'a>, input: Value, mode: Coerce) -> Result<Args<'a>, ToolError> {
        Args::within(tool, input, mode, MAX_ARGS_BYTES)
    }

    /// [`Args::new`] with another limit of bytes.
    ///
    /// # Errors
    /// As [`Args::new`].
    pub fn within(
        tool: &'a ToolDef<'a>,
        input: Value,
        mode: Coerce,
        max_bytes: usize,
    ) -> Result<Args<'a>, ToolError> {
        let whole = Whole::within(tool, input, mode, max_bytes)?;
        Ok(Args { tool, at_once: None, way: Way::Whole(whole) })
    }

    /// Arguments that are to be [`cut`](Args::cut) from a text and taken the short way; `None` where that is not the way for
    /// the tool.
    #[inline]
    pub(crate) fn short(tool: &'a ToolDef<'a>) -> Option<Args<'a>> {
        Direct::is_way(tool).then(|| Args { tool, at_once: None, way: Way::Short(Direct::of(tool)) })
    }

    /// Cuts a text into what it gives each parameter; `None` where it is not for the short way. Where that, or
    /// [`Args::finish`] behind it, fails, start again with [`Args::new`].
    #[inline]
    pub(crate) fn cut(&mut self, text: &'a str) -> Option<()> {
        match &mut self.way {
            Way::Short(direct) => direct.cut(text),
            Way::Whole(_) => None,
        }
    }

    /// Lets the function run as soon as everything is taken.
    pub(crate) fn run_at_once(&mut self, call: &'a mut AtOnce) {
        self.at_once = Some(call);
    }

    /// The call that is to run at once.
    #[inline]
    pub(crate) fn at_once(&mut self) -> Option<&mut AtOnce> {
        self.at_once.as_deref_mut()
    }

    /// The tool.
    #[inline]
    pub(crate) fn tool(&self) -> &'a ToolDef<'a> {
        self.tool
    }

    /// The whole way; the short one is given up when it is asked for this.
    pub(super) fn whole(&mut self) -> Option<&mut Whole<'a>> {
        match &mut self.way {
            Way::Whole(whole) => Some(whole),
            Way::Short(direct) => {
                direct.give_up();
                None
            }
        }
    }

    /// The parameters of the tool, where it has no table those that its schema tells.
    pub(crate) fn parameters(&self) -> &[ParamDef<'a>] {
        match &self.way {
            Way::Whole(whole) => &whole.params,
            Way::Short(_) => self.tool.params,
        }
    }

    /// The names of what the caller gave, once every parameter was taken: parameters by their canonical name, further keys
    /// as they came.
    pub(crate) fn given_names(&self) -> Vec<String> {
        match &self.way {
            Way::Whole(whole) => whole.given_names(),
            Way::Short(_) => Vec::new(),
        }
    }

    /// Adds what a surface has found wrong already: its parameters are not decoded and not reported again.
    #[must_use]
    pub fn with_issues(mut self, issues: Vec<ArgIssue>) -> Self {
        if let Some(whole) = self.whole() {
            whole.add_issues(issues);
        }
        self
    }

    /// What was coerced, with the number of what is not told one by one.
    pub(crate) fn take_notes(&mut self) -> Notes {
        match &mut self.way {
            Way::Whole(whole) => std::mem::take(&mut whole.notes),
            Way::Short(_) => Notes::default(),
        }
    }

    /// What was coerced, in declaration order; at most [`MAX_NOTES`](super::MAX_NOTES).
    pub fn notes(&self) -> &[Coercion] {
        match &self.way {
            Way::Whole(whole) => whole.notes.first(),
            Way::Short(_) => &[],
        }
    }

    /// The object that the call means: canonical names in declaration order, coercions applied, defaults filled in.
    ///
    /// It is made on the first use, after every parameter was taken, and means nothing where [`Args::finish`] failed.
    pub fn normal(&self) -> &Map<String, Value> {
        match &self.way {
            Way::Whole(whole) => whole.normal(),
            Way::Short(_) => &NOTHING,
        }
    }

    /// What a parameter is when it is left out, its numbers written as those that are given.
    pub(crate) fn default_value(&self, i: usize) -> Option<Value> {
        match &self.way {
            Way::Whole(whole) => whole.default_value(i),
            Way::Short(_) => None,
        }
    }

    /// Every issue of the call at once: those of parameters in declaration order, then unknown keys in input order.
    /// Where there are none, the rules between parameters are looked at.
    ///
    /// # Errors
    /// `invalid_args` with at most [`MAX_ISSUES`](super::MAX_ISSUES) issues, `details.more` counting the rest; `internal`
    /// where the definition itself is broken.
    #[inline]
    pub fn finish(&mut self) -> Result<(), ToolError> {
        match &mut self.way {
            Way::Short(direct) if !direct.gave_up() => Ok(()),
            Way::Short(_) => Err(self.incomplete()),
            Way::Whole(whole) => whole.finish(),
        }
    }

    /// What a tool answers when [`Args::finish`] found nothing and a value is absent all the same.
    pub fn incomplete(&self) -> ToolError {
        ToolError::internal("The arguments were not decoded.").detail("tool", self.tool.name)
    }
}
