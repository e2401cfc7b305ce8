-- One row per call, refused ones too; what was a secret is not in it.
CREATE TABLE audit (
    n BIGSERIAL PRIMARY KEY,
    call_id TEXT NOT NULL,
    parent_call_id TEXT,
    at_ms BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    chain TEXT NOT NULL,
    caller TEXT NOT NULL,
    surface TEXT,
    run_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    iteration BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    seq BIGINT,
    tool TEXT NOT NULL,
    definition TEXT,
    effects TEXT,
    outcome TEXT NOT NULL,
    code TEXT,
    layer TEXT,
    args TEXT,
    args_sha256 TEXT NOT NULL,
    output TEXT,
    duration_ms BIGINT NOT NULL,
    queue_ms BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    rounds BIGINT NOT NULL,
    coerced BIGINT NOT NULL,
    decision TEXT,
    replayed BIGINT NOT NULL,
    parked BIGINT NOT NULL,
    key_sha256 TEXT,
    trace_id TEXT
);

CREATE INDEX audit_time ON audit (at_ms);
CREATE INDEX audit_waiting ON audit (call_id) WHERE code = 'input_required';
