-- The journal: one row per call, one log entry per transition.
CREATE TABLE tool_calls (
    run_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tool_name TEXT NOT NULL,
    input_json TEXT NOT NULL,
    output_json TEXT,
    started_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER,
    status TEXT NOT NULL,
    error_json TEXT,
    call_id TEXT NOT NULL PRIMARY KEY,
    parent_call_id TEXT,
    tenant TEXT NOT NULL,
    agent TEXT,
    caller TEXT NOT NULL,
    trace_id TEXT,
    program TEXT NOT NULL,
    call_key TEXT NOT NULL,
    tool_key TEXT NOT NULL,
    key_form TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    args_sha256 TEXT NOT NULL,
    input_complete INTEGER NOT NULL,
    definition TEXT,
    class TEXT NOT NULL,
    side_effect INTEGER,
    idempotent INTEGER,
    destructive INTEGER NOT NULL,
    takes_key INTEGER NOT NULL,
    has_revert INTEGER NOT NULL,
    effect TEXT,
    retryable INTEGER,
    tries INTEGER NOT NULL,
    replay_of TEXT,
    superseded_by TEXT,
    resolution TEXT,
    resolved_by TEXT,
    resolved_at_ms INTEGER,
    recoveries INTEGER NOT NULL,
    approval_id TEXT,
    approved_by TEXT,
    policy_sha256 TEXT,
    owner TEXT,
    lease_token INTEGER,
    lease_until INTEGER,
    revert_status TEXT,
    reverted_at_ms INTEGER,
    revert_error_json TEXT
) STRICT;
CREATE UNIQUE INDEX tool_calls_seq ON tool_calls (tenant, run_id, node_id, iteration, attempt, seq);
CREATE UNIQUE INDEX tool_calls_key ON tool_calls (tenant, tool_name, call_key)
    WHERE superseded_by IS NULL AND replay_of IS NULL AND side_effect = 1;
CREATE INDEX tool_calls_open ON tool_calls (owner) WHERE status IN ('intent', 'running');
CREATE INDEX tool_calls_in_doubt ON tool_calls (run_id) WHERE status = 'in_doubt' AND superseded_by IS NULL;
CREATE INDEX tool_calls_run ON tool_calls (run_id);

-- Values of more than 64 KiB, by their digest.
CREATE TABLE journal_blobs (sha256 TEXT NOT NULL PRIMARY KEY, bytes TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- One entry per transition, chained.
CREATE TABLE journal_log (
    chain TEXT NOT NULL,
    n INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    "to" TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    row_sha256 TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (chain, n)
) STRICT, WITHOUT ROWID;

-- What stands in place of the pruned beginning of a chain.
CREATE TABLE journal_checkpoint (chain TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL, hash TEXT NOT NULL)
    STRICT, WITHOUT ROWID;

-- Attempts that were begun, whether they have calls or not.
CREATE TABLE journal_attempts (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (tenant, run_id, node_id, iteration)
) STRICT, WITHOUT ROWID;

-- Answers that were given at the replay gate.
CREATE TABLE journal_consents (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    allow INTEGER NOT NULL,
    PRIMARY KEY (tenant, run_id, node_id, iteration, attempt, fingerprint)
) STRICT, WITHOUT ROWID;

-- The twelve documented columns.
CREATE VIEW tool_calls_documented AS
SELECT run_id, node_id, iteration, attempt, seq, tool_name, input_json, output_json, started_at_ms, finished_at_ms,
    CASE WHEN status = 'ok' OR (status = 'reconciled' AND resolution = 'ok') THEN 'success' ELSE 'error' END AS status,
    error_json
FROM tool_calls;
