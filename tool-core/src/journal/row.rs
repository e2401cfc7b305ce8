//! One recorded call: the columns of `tool_calls`, in one table that every backend interprets. (journal.md §9)

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use super::class::Class;
use super::words::{KeyForm, Resolution, ResolvedBy, RevertStatus, Status, Word};
use crate::canonical::write_string;
use crate::error::Effect;

/// A value as a database holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// Absent.
    Null,
    /// A number or truth value.
    Int(i64),
    /// A text.
    Text(Cow<'a, str>),
}

/// The kinds of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// [`Cell::Int`].
    Int,
    /// [`Cell::Text`].
    Text,
}

/// A column of the table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: CellKind,
    /// Whether it may be absent.
    pub nullable: bool,
    /// Whether a transition may change it; the rest is written with the intent.
    pub changes: bool,
}

/// A type of a column.
trait Field: Sized {
    const KIND: CellKind;
    const NULLABLE: bool = false;
    fn cell(&self) -> Cell<'_>;
    fn of_cell(cell: Cell<'_>) -> Option<Self>;
}

impl Field for String {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(self))
    }
    fn of_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {
        $(impl Field for $ty {
            const KIND: CellKind = CellKind::Int;
            fn cell(&self) -> Cell<'_> {
                Cell::Int(i64::try_from(*self).unwrap_or(i64::MAX))
            }
            fn of_cell(cell: Cell<'_>) -> Option<Self> {
                match cell {
                    Cell::Int(number) => Self::try_from(number).ok(),
                    _ => None,
                }
            }
        })*
    };
}

integers!(i64 u64 u32);

impl Field for bool {
    const KIND: CellKind = CellKind::Int;
    fn cell(&self) -> Cell<'_> {
        Cell::Int(i64::from(*self))
    }
    fn of_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Int(number) => Some(number != 0),
            _ => None,
        }
    }
}

macro_rules! words {
    ($($ty:ty)*) => {
        $(impl Field for $ty {
            const KIND: CellKind = CellKind::Text;
            fn cell(&self) -> Cell<'_> {
                Cell::Text(Cow::Borrowed(self.word()))
            }
            fn of_cell(cell: Cell<'_>) -> Option<Self> {
                match cell {
                    Cell::Text(word) => Self::of_word(&word),
                    _ => None,
                }
            }
        })*
    };
}

words!(Class Status Resolution ResolvedBy RevertStatus KeyForm Effect);

impl<T: Field> Field for Option<T> {
    const KIND: CellKind = T::KIND;
    const NULLABLE: bool = true;
    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Null, Field::cell)
    }
    fn of_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            cell => T::of_cell(cell).map(Some),
        }
    }
}

macro_rules! row {
    ($($(#[doc = $doc:literal])* $name:ident: $ty:ty $(, $changes:ident)?;)*) => {
        /// A recorded call.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Row {
            $($(#[doc = $doc])* pub $name: $ty,)*
        }

        impl Row {
            /// The columns, in the order of the table.
            pub const COLUMNS: &'static [Column] = &[$(Column {
                name: stringify!($name),
                kind: <$ty as Field>::KIND,
                nullable: <$ty as Field>::NULLABLE,
                changes: row!(@ $($changes)?),
            },)*];

            /// The cells, in the order of [`Row::COLUMNS`].
            pub fn cells(&self) -> [Cell<'_>; Row::COLUMNS.len()] {
                [$(self.$name.cell(),)*]
            }

            /// The row of cells in the order of [`Row::COLUMNS`].
            ///
            /// # Errors
            /// The name of a column whose cell does not fit it.
            pub fn of_cells<'c>(cells: impl IntoIterator<Item = Cell<'c>>) -> Result<Row, &'static str> {
                let mut cells = cells.into_iter();
                Ok(Row {
                    $($name: cells.next().and_then(<$ty as Field>::of_cell).ok_or(stringify!($name))?,)*
                })
            }
        }
    };
    (@ changes) => { true };
    (@) => { false };
}

row! {
    /// The run; `call:` and the call's id where there is none.
    run_id: String;
    /// The node of the run.
    node_id: String;
    /// Which time the node is run for.
    iteration: u64;
    /// Which try at that this is, from 1.
    attempt: u32;
    /// The number of the call within the attempt, from 1.
    seq: u32;
    /// The effective name of the tool.
    tool_name: String;
    /// The redacted arguments in normal form.
    input_json: String;
    /// The delivered result; none on error.
    output_json: Option<String>, changes;
    /// When the intent was written, in milliseconds since 1970.
    started_at_ms: i64;
    /// When the outcome was written.
    finished_at_ms: Option<i64>, changes;
    /// Where it stands.
    status: Status, changes;
    /// The error's JSON form.
    error_json: Option<String>, changes;
    /// The call's id.
    call_id: String;
    /// The call that made this one.
    parent_call_id: Option<String>;
    /// Whose call it is.
    tenant: String;
    /// The agent that called.
    agent: Option<String>;
    /// The kind of caller.
    caller: String;
    /// The trace it belongs to.
    trace_id: Option<String>;
    /// Name and version of the program.
    program: String;
    /// What equal calls share.
    call_key: String;
    /// What the tool saw as its key.
    tool_key: String;
    /// How the key came about.
    key_form: KeyForm;
    /// The position among equal calls.
    ordinal: u32;
    /// The digest of the canonical arguments.
    args_sha256: String;
    /// Whether `input_json` holds every argument whole.
    input_complete: bool;
    /// The fingerprint of the definition.
    definition: Option<String>;
    /// What is done about it when it is in doubt.
    class: Class;
    /// Whether the tool changes something.
    side_effect: Option<bool>;
    /// Whether a second identical call changes nothing more.
    idempotent: Option<bool>;
    /// Whether the tool removes or overwrites.
    destructive: bool;
    /// Whether the tool hands its key on.
    takes_key: bool, changes;
    /// Whether the effect can be undone.
    has_revert: bool;
    /// What the call is known to have done.
    effect: Option<Effect>, changes;
    /// Whether a repeat may succeed.
    retryable: Option<bool>, changes;
    /// How often it was tried.
    tries: u32, changes;
    /// The call whose outcome this one was given.
    replay_of: Option<String>;
    /// The call that took this one's place.
    superseded_by: Option<String>, changes;
    /// What was found out.
    resolution: Option<Resolution>, changes;
    /// Who found it out.
    resolved_by: Option<ResolvedBy>, changes;
    /// When.
    resolved_at_ms: Option<i64>, changes;
    /// How often settling it was tried.
    recoveries: u32, changes;
    /// The consent it ran under.
    approval_id: Option<String>, changes;
    /// Who gave it.
    approved_by: Option<String>, changes;
    /// The policy that admitted it.
    policy_sha256: Option<String>, changes;
    /// The process that runs it.
    owner: Option<String>, changes;
    /// What its outcome must be written with.
    lease_token: Option<i64>, changes;
    /// When the owner counts as dead, in milliseconds since 1970, where leases are used.
    lease_until: Option<i64>, changes;
    /// Where undoing it stands.
    revert_status: Option<RevertStatus>, changes;
    /// When it was undone.
    reverted_at_ms: Option<i64>, changes;
    /// Why it could not be.
    revert_error_json: Option<String>, changes;
}

impl Row {
    /// Whether it is one that equal calls meet: a side effect that was neither replaced nor replayed.
    pub fn is_live(&self) -> bool {
        self.superseded_by.is_none() && self.replay_of.is_none() && self.side_effect == Some(true)
    }

    /// Whether it is known that nothing happened.
    pub fn did_nothing(&self) -> bool {
        match self.status {
            Status::Error | Status::Cancelled => self.effect == Some(Effect::None),
            Status::Reconciled => self.resolution == Some(Resolution::NotDone),
            _ => false,
        }
    }

    /// Whether its effect was undone.
    pub fn is_reverted(&self) -> bool {
        self.revert_status == Some(RevertStatus::Reverted)
    }

    /// The digest of the row as written: of the canonical object of its columns, `lease_until` left out, since renewing a
    /// lease is no transition.
    pub fn sha256(&self) -> [u8; 32] {
        let cells = self.cells();
        let mut text = String::with_capacity(1024);
        let mut open = '{';
        for (name, index) in sorted() {
            let Some(cell) = cells.get(*index) else { continue };
            text.push(open);
            open = ',';
            write_string(name, &mut text);
            text.push(':');
            match cell {
                Cell::Null => text.push_str("null"),
                Cell::Int(number) => text.push_str(&number.to_string()),
                Cell::Text(value) => write_string(value, &mut text),
            }
        }
        text.push('}');
        Sha256::digest(text).into()
    }
}

/// The digested columns by name.
fn sorted() -> &'static [(&'static str, usize)] {
    static SORTED: std::sync::OnceLock<Vec<(&'static str, usize)>> = std::sync::OnceLock::new();
    SORTED.get_or_init(|| {
        let names = Row::COLUMNS.iter().enumerate().map(|(index, column)| (column.name, index));
        let mut names: Vec<_> = names.filter(|(name, _)| *name != "lease_until").collect();
        names.sort_unstable();
        names
    })
}
