-- What the checks of operators came to in runs. The output is sealed.
CREATE TABLE run_checks (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    stage TEXT NOT NULL,
    place BIGINT NOT NULL,
    name TEXT NOT NULL,
    enforcement TEXT NOT NULL,
    status TEXT NOT NULL,
    exit_code BIGINT NOT NULL,
    reason TEXT NOT NULL,
    output TEXT NOT NULL,
    began_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX run_checks_run ON run_checks (run_id, stage, place);
