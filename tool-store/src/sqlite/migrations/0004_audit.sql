-- One row per call, refused ones too; what was a secret is not in it.
CREATE TABLE audit (
    n INTEGER PRIMARY KEY,
    call_id TEXT NOT NULL,
    parent_call_id TEXT,
    at_ms INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    chain TEXT NOT NULL,
    caller TEXT NOT NULL,
    surface TEXT,
    run_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    seq INTEGER,
    tool TEXT NOT NULL,
    definition TEXT,
    effects TEXT,
    outcome TEXT NOT NULL,
    code TEXT,
    layer TEXT,
    args TEXT,
    args_sha256 TEXT NOT NULL,
    output TEXT,
    duration_ms INTEGER NOT NULL,
    queue_ms INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    coerced INTEGER NOT NULL,
    decision TEXT,
    replayed INTEGER NOT NULL,
    parked INTEGER NOT NULL,
    key_sha256 TEXT,
    trace_id TEXT
) STRICT;

CREATE INDEX audit_time ON audit (at_ms);
CREATE INDEX audit_waiting ON audit (call_id) WHERE code = 'input_required';
