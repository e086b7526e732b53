-- The archives that runs plan. Of a workspace's candidates the newest is the current one,
-- which the workspace's row names, so that lists of workspaces need not look for it.
CREATE TABLE configuration_versions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    status TEXT NOT NULL,
    auto_queue_runs BOOLEAN NOT NULL,
    speculative BOOLEAN NOT NULL,
    provisional BOOLEAN NOT NULL,
    candidate BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    error_code TEXT NOT NULL,
    error_message TEXT NOT NULL,
    stamps TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    ingress_id TEXT NOT NULL,
    ingress TEXT NOT NULL,
    created_by TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    moved_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX configuration_versions_workspace ON configuration_versions (workspace_id, sequence);
CREATE INDEX configuration_versions_blob ON configuration_versions (blob_key) WHERE blob_key <> '';
CREATE UNIQUE INDEX configuration_versions_ingress ON configuration_versions (ingress_id) WHERE ingress_id <> '';
CREATE INDEX configuration_versions_moved ON configuration_versions (status, moved_at);

-- What people are told about the configuration, sealed; read when its archive is checked.
CREATE TABLE configuration_readmes (
    configuration_version_id TEXT PRIMARY KEY REFERENCES configuration_versions (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL
);

ALTER TABLE workspaces ADD COLUMN
    current_configuration_version_id TEXT NOT NULL DEFAULT '';
