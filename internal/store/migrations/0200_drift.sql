-- Which instances have drifted, by the newest assessment. That is known where drift_state_id is
-- the current state; drift_readings is the plans of assessments that are still to be read for it.
ALTER TABLE state_resources ADD COLUMN drifted BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workspaces ADD COLUMN
    drift_state_id TEXT NOT NULL DEFAULT '';

CREATE TABLE drift_readings (
    workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    state_version_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX drift_readings_at ON drift_readings (at, workspace_id);
INSERT INTO drift_readings (workspace_id, state_version_id, run_id, at)
    SELECT w.id, w.current_state_version_id, a.run_id, 0 FROM workspaces w
    JOIN assessments a ON a.id = w.assessment_id JOIN runs r ON r.id = a.run_id
    WHERE a.succeeded AND r.input_state_version_id = w.current_state_version_id AND w.current_state_version_id <> '';
