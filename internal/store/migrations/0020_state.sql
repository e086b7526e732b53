CREATE TABLE state_versions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    serial BIGINT NOT NULL,
    lineage TEXT NOT NULL,
    md5 TEXT NOT NULL,
    size BIGINT NOT NULL,
    status TEXT NOT NULL,
    intermediate BOOLEAN NOT NULL,
    by_upload BOOLEAN NOT NULL,
    blob_key TEXT NOT NULL,
    json_key TEXT NOT NULL,
    json_md5 TEXT NOT NULL,
    json_size BIGINT NOT NULL,
    run_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    rollback_id TEXT NOT NULL,
    processed BOOLEAN NOT NULL,
    problem TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    outputs_known BOOLEAN NOT NULL,
    output_ids TEXT NOT NULL,
    contents TEXT NOT NULL,
    soft_deleted_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX state_versions_sequence ON state_versions (workspace_id, sequence);
CREATE INDEX state_versions_status ON state_versions (workspace_id, status, sequence);
CREATE INDEX state_versions_unprocessed ON state_versions (leased_until, id) WHERE NOT processed;
CREATE INDEX state_versions_blob ON state_versions (blob_key) WHERE blob_key <> '';
CREATE INDEX state_versions_json ON state_versions (json_key) WHERE json_key <> '';

CREATE TABLE state_outputs (
    id TEXT PRIMARY KEY,
    state_version_id TEXT NOT NULL REFERENCES state_versions (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    kind TEXT NOT NULL,
    detailed_type TEXT NOT NULL,
    sealed_value TEXT NOT NULL
);
CREATE UNIQUE INDEX state_outputs_name ON state_outputs (state_version_id, name);

-- What the current state of a workspace says, for the explorer.
CREATE TABLE workspace_modules (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, source)
);
CREATE INDEX workspace_modules_source ON workspace_modules (source, workspace_id);

CREATE TABLE workspace_providers (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, source)
);
CREATE INDEX workspace_providers_source ON workspace_providers (source, workspace_id);

ALTER TABLE workspaces ADD COLUMN
    state_engine_version TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN
    output_ids TEXT NOT NULL DEFAULT '';
