-- Equal calls of a task, and the effects of a task that no key protects, are found without visiting its other calls.
CREATE INDEX tool_calls_equal ON tool_calls (run_id, node_id, iteration, tool_name, args_sha256, attempt, seq);
CREATE INDEX tool_calls_unprotected ON tool_calls (run_id, node_id, iteration, tool_name, attempt, owner)
    WHERE COALESCE(side_effect, 1) = 1 AND COALESCE(idempotent, 0) = 0 AND takes_key = 0 AND replay_of IS NULL;
