-- One index serves the runs and the numbers of their calls.
DROP INDEX tool_calls_run;
DROP INDEX tool_calls_seq;
CREATE UNIQUE INDEX tool_calls_seq ON tool_calls (run_id, node_id, iteration, attempt, seq, tenant);

-- What was approved, or waits for somebody: one per hash.
CREATE TABLE approvals (
    hash TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    tool TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    at_ms INTEGER NOT NULL
) STRICT;

-- The tools that the program had when it was last synchronised; the retired ones keep their rows.
CREATE TABLE catalogue (
    name TEXT NOT NULL PRIMARY KEY,
    aliases_json TEXT NOT NULL,
    tool_group TEXT,
    tags_json TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    live INTEGER NOT NULL
) STRICT;

-- Which agent may see what.
CREATE TABLE enablement (
    agent TEXT NOT NULL,
    pattern TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (agent, pattern, source)
) STRICT, WITHOUT ROWID;
