//! Where the calls of a journal in memory stand, as the indexes of a database: what is asked for is found without visiting what
//! is not.

use std::collections::HashMap;

use super::row::Row;
use super::store::{RowQuery, Task};

/// The ids of calls by their places. What a row is found by does not change after it was added.
#[derive(Debug, Default)]
pub(super) struct Places {
    tasks: HashMap<Task, Vec<String>>,
    /// The calls of a task's tool with the same arguments.
    equal: HashMap<(Task, String, String), Vec<String>>,
    /// The side effects of a task's tool that are not idempotent.
    effects: HashMap<(Task, String), Vec<String>>,
}

impl Places {
    /// Adds a new row.
    pub(super) fn add(&mut self, row: &Row) {
        let (task, call) = (Task::of(row), || row.call_id.clone());
        let equal = (task.clone(), row.tool_name.clone(), row.args_sha256.clone());
        self.equal.entry(equal).or_default().push(call());
        if row.side_effect != Some(false) && row.idempotent != Some(true) && row.replay_of.is_none() {
            self.effects.entry((task.clone(), row.tool_name.clone())).or_default().push(call());
        }
        self.tasks.entry(task).or_default().push(call());
    }

    /// The calls among which those of a query are; `None` where that can be any.
    pub(super) fn of(&self, query: &RowQuery) -> Option<&[String]> {
        let task = query.task.as_ref()?;
        let tool = query.tool.as_ref().map(|tool| (task.clone(), tool.clone()));
        let found = match (tool, &query.args_sha256, &query.unprotected) {
            (Some((task, tool)), Some(args), _) => self.equal.get(&(task, tool, args.clone())),
            (Some(tool), None, Some(_)) => self.effects.get(&tool),
            _ => self.tasks.get(task),
        };
        Some(found.map_or(&[], Vec::as_slice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Unprotected;

    fn row(id: &str, run: &str, args: &str, keyed: bool) -> Row {
        Row {
            call_id: id.to_owned(),
            run_id: run.to_owned(),
            tool_name: "pay".to_owned(),
            args_sha256: args.to_owned(),
            side_effect: Some(true),
            idempotent: Some(keyed),
            ..Row::default()
        }
    }

    #[test]
    fn a_question_visits_the_calls_of_its_place_alone() {
        let mut places = Places::default();
        for n in 0..100 {
            places.add(&row(&format!("a{n}"), "a", &format!("args {n}"), n > 0));
            places.add(&row(&format!("b{n}"), "b", "args", true));
        }
        let task = |run: &str| Some(Task { run_id: run.to_owned(), ..Task::default() });
        let of_task = RowQuery { task: task("a"), ..RowQuery::default() };
        let of_tool = RowQuery { tool: Some("pay".to_owned()), ..of_task.clone() };
        let equal = RowQuery { args_sha256: Some("args 7".to_owned()), ..of_tool.clone() };
        let unprotected = RowQuery { unprotected: Some(Unprotected::default()), ..of_tool.clone() };
        let visits = |query: &RowQuery| places.of(query).map(<[String]>::len);
        assert_eq!(visits(&RowQuery::default()), None);
        assert_eq!([visits(&of_task), visits(&of_tool)], [Some(100), Some(100)]);
        assert_eq!(places.of(&equal), Some(&["a7".to_owned()][..]));
        assert_eq!(places.of(&unprotected), Some(&["a0".to_owned()][..]));
        assert_eq!(visits(&RowQuery { task: task("c"), ..RowQuery::default() }), Some(0));
    }
}
