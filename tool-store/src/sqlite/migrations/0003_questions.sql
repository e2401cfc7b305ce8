-- Whoever decides later sees what is asked for, redacted.
ALTER TABLE approvals ADD COLUMN args_json TEXT NOT NULL DEFAULT 'null';
