-- Results that are too long to be given whole; of one that is gone the text is NULL.
CREATE TABLE results (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    run TEXT NOT NULL,
    call_id TEXT,
    tool TEXT NOT NULL,
    media TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    text TEXT
) STRICT;

CREATE UNIQUE INDEX results_id ON results (id);
CREATE INDEX results_scope ON results (tenant, run, n, bytes) WHERE text IS NOT NULL;
CREATE INDEX results_time ON results (at_ms) WHERE text IS NOT NULL;
CREATE INDEX results_call ON results (call_id) WHERE text IS NOT NULL;
CREATE INDEX results_gone ON results (n) WHERE text IS NULL;
