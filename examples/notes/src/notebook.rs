//! The notebook and its tools.

use std::sync::{Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::prelude::*;

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    /// Its number, from 1.
    pub id: u64,
    /// What it says.
    pub text: String,
    /// What it is about.
    pub tags: Vec<Tag>,
}

/// A label with a weight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tag {
    /// The word.
    pub word: String,
    /// How much it matters, 1 to 5.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 5))]
    pub weight: u8,
}

fn one() -> u8 {
    1
}

/// How notes are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Latest first.
    #[default]
    Newest,
    /// Earliest first.
    Oldest,
    /// By text.
    Text,
}

/// Notes in memory.
#[derive(Debug, Default)]
pub struct Notebook {
    notes: Mutex<Vec<Note>>,
}

impl Notebook {
    fn notes(&self) -> MutexGuard<'_, Vec<Note>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[toolbox(group = "note")]
impl Notebook {
    /// Writes a note and returns it with its number.
    #[tool(side_effect, idempotent = false)]
    #[example("A reminder", { "text": "Water the plants", "tags": [{ "word": "home", "weight": 2 }] })]
    pub fn add_note(
        &self,
        /// What it says.
        #[arg(positional, len = 1..=1_000)]
        text: &str,
        /// What it is about.
        #[arg(len = ..=8)]
        tags: Vec<Tag>,
    ) -> Note {
        let mut notes = self.notes();
        let note = Note { id: notes.len() as u64 + 1, text: text.to_owned(), tags };
        notes.push(note.clone());
        note
    }

    /// Lists notes, all of them or those that carry a word.
    #[tool(aliases = ["notes"])]
    pub fn list_notes(
        &self,
        /// Only notes with a tag of this word.
        tag: Option<&str>,
        /// How they are sorted.
        #[arg(default)]
        order: Order,
        /// Most notes to list.
        #[arg(short = 'n', range = 1..=1_000, default = 100)]
        limit: usize,
    ) -> Vec<Note> {
        let wanted = |note: &&Note| tag.is_none_or(|word| note.tags.iter().any(|tag| tag.word == word));
        let mut notes: Vec<Note> = self.notes().iter().filter(wanted).cloned().collect();
        match order {
            Order::Newest => notes.reverse(),
            Order::Oldest => {}
            Order::Text => notes.sort_by(|a, b| a.text.cmp(&b.text)),
        }
        notes.truncate(limit);
        notes
    }

    /// Signs a note, so that others can see that it is yours.
    #[tool]
    pub fn sign_note(
        &self,
        /// Number of the note.
        #[arg(positional)]
        id: u64,
        #[ctx(secret = "NOTES_KEY")] key: &Secret,
    ) -> Result<String, ToolError> {
        let notes = self.notes();
        let note = notes.iter().find(|note| note.id == id);
        let note = note.ok_or_else(|| {
            ToolError::not_found(format!("There is no note {id}."))
                .hint(format!("notes are numbered 1 to {}", notes.len()))
        })?;
        let sum =
            key.expose_bytes().iter().chain(note.text.as_bytes()).fold(14_695_981_039_346_656_037u64, fnv);
        Ok(format!("{id}-{sum:016x}"))
    }
}

/// One step of FNV-1a, 64 bits: a checksum, not a signature for anything that matters.
fn fnv(hash: u64, byte: &u8) -> u64 {
    (hash ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211)
}

tool_set! {
    /// The tools of the notebook.
    pub static NOTEBOOK_TOOLS = [NotebookAddNoteTool, NotebookListNotesTool, NotebookSignNoteTool];
}
