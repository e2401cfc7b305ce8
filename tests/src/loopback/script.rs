//! The script of a conversation: what the model answers, turn by turn, written in the prompt, one command a line.

use serde_json::Value;

/// What happens to a reply on its way, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The status is the answer instead.
    Fail(u16),
    /// The connection breaks in the middle of the answer.
    Cut,
}

/// One reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What goes wrong before it gets through, in order.
    pub faults: Vec<Fault>,
    /// The calls, by tool.
    pub calls: Vec<(String, Value)>,
    /// The text.
    pub text: String,
}

/// The replies that a prompt asks for; lines that are no command are not for the server.
///
/// # Errors
/// What is wrong with a command.
pub fn steps(prompt: &str) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    let mut faults = Vec::new();
    // Calls in a row are one turn.
    let mut in_a_row = false;
    for line in prompt.lines().map(str::trim) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "CALL" => {
                let (tool, args) = rest.split_once(' ').unwrap_or((rest, "{}"));
                let args = serde_json::from_str(args).map_err(|error| format!("`{line}`: {error}"))?;
                match steps.last_mut().filter(|_| in_a_row && faults.is_empty()) {
                    Some(step) => step.calls.push((tool.to_owned(), args)),
                    None => steps.push(Step {
                        faults: std::mem::take(&mut faults),
                        calls: vec![(tool.to_owned(), args)],
                        text: String::new(),
                    }),
                }
            }
            "SAY" => steps.push(Step {
                faults: std::mem::take(&mut faults),
                calls: Vec::new(),
                text: rest.to_owned(),
            }),
            "FAIL" => {
                let status = rest.parse().map_err(|_| format!("`{line}`: no status"))?;
                faults.push(Fault::Fail(status));
            }
            "CUT" => faults.push(Fault::Cut),
            _ => continue,
        }
        in_a_row = word == "CALL";
    }
    // The last reply tells the last result.
    steps.push(Step { faults, ..Step::default() });
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_in_a_row_are_one_turn_and_faults_belong_to_the_next_reply() {
        let script =
            "Please.\nCALL a {\"x\":1}\nCALL b\nSAY one two\nCALL a {}\nFAIL 429\nCUT\nCALL c {}\nFAIL 500";
        let call = |tool: &str, args: Value| (tool.to_owned(), args);
        let steps = steps(script).unwrap();
        assert_eq!(steps.len(), 5);
        assert_eq!(steps[0].calls, [call("a", json!({"x": 1})), call("b", json!({}))]);
        assert_eq!((steps[1].text.as_str(), &steps[1].calls[..]), ("one two", &[][..]));
        assert_eq!((&steps[2].faults[..], &steps[2].calls[..]), (&[][..], &[call("a", json!({}))][..]));
        assert_eq!(steps[3].faults, [Fault::Fail(429), Fault::Cut]);
        assert_eq!(steps[4], Step { faults: vec![Fault::Fail(500)], ..Step::default() });
    }

    #[test]
    fn a_command_that_cannot_be_read_is_told() {
        assert!(steps("CALL a {").unwrap_err().contains("CALL a {"));
        assert!(steps("FAIL soon").unwrap_err().contains("no status"));
    }
}
