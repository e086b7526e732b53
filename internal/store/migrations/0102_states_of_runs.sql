-- The states that came of a run.
CREATE INDEX state_versions_run ON state_versions (run_id, sequence) WHERE run_id <> '';
