CREATE TABLE bulk_actions (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    message TEXT NOT NULL,
    query TEXT NOT NULL,
    created_count BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_by_name TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX bulk_actions_organization ON bulk_actions (organization_id, created_by, id);
CREATE UNIQUE INDEX bulk_actions_key ON bulk_actions (organization_id, idempotency_key) WHERE idempotency_key <> '';

CREATE TABLE change_requests (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    action_id TEXT NOT NULL REFERENCES bulk_actions (id) ON DELETE CASCADE,
    archived_by TEXT NOT NULL,
    archived_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX change_requests_workspace ON change_requests (workspace_id, archived_at, created_at, id);
CREATE INDEX change_requests_unarchived ON change_requests (workspace_id) WHERE archived_at = 0;
CREATE INDEX change_requests_organization ON change_requests (organization_id, created_at, id);
CREATE INDEX change_requests_action ON change_requests (action_id, workspace_id);
