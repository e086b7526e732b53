-- What the current states hold, one row for each instance of a resource: what the explorer
-- tells of them. They are read behind the requests; state_readings is what is still to be read.
CREATE TABLE state_resources (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    address TEXT NOT NULL,
    module TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    provider TEXT NOT NULL,
    created_serial BIGINT NOT NULL,
    updated_serial BIGINT NOT NULL,
    mark TEXT NOT NULL
);
CREATE INDEX state_resources_workspace ON state_resources (workspace_id, id);
CREATE INDEX state_resources_address ON state_resources (organization_id, address, id);
CREATE INDEX state_resources_type ON state_resources (organization_id, type, address, id);

CREATE TABLE state_readings (
    workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    state_version_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX state_readings_at ON state_readings (at, workspace_id);
INSERT INTO state_readings (workspace_id, state_version_id, at)
    SELECT id, current_state_version_id, 0 FROM workspaces WHERE current_state_version_id <> '';
