-- Outputs are written in parts, before the state version that will have them, and deleted
-- in parts, after the one that had them. So nothing refers to it, and what does not belong
-- to a state version is noted until it is gone.
CREATE TABLE kept_outputs (
    id TEXT PRIMARY KEY,
    state_version_id TEXT NOT NULL,
    set_id TEXT NOT NULL,
    name TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    kind TEXT NOT NULL,
    detailed_type TEXT NOT NULL,
    sealed_value TEXT NOT NULL
);
INSERT INTO kept_outputs (id, state_version_id, set_id, name, sensitive, kind, detailed_type, sealed_value)
    SELECT id, state_version_id, '', name, sensitive, kind, detailed_type, sealed_value FROM state_outputs;
DROP TABLE state_outputs;
ALTER TABLE kept_outputs RENAME TO state_outputs;
CREATE UNIQUE INDEX state_outputs_name ON state_outputs (state_version_id, set_id, name);

CREATE TABLE loose_outputs (
    state_version_id TEXT NOT NULL,
    set_id TEXT NOT NULL,
    free_at BIGINT NOT NULL,
    PRIMARY KEY (state_version_id, set_id)
);
CREATE INDEX loose_outputs_free ON loose_outputs (free_at);

ALTER TABLE state_versions ADD COLUMN
    output_set TEXT NOT NULL DEFAULT '';
-- A document refers to 1,000 outputs at the most, each with an id of 22 letters.
UPDATE state_versions SET output_ids = '*' WHERE length(output_ids) > 25001;
UPDATE workspaces SET output_ids = '*' WHERE length(output_ids) > 25001;
