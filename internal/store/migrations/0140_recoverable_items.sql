-- Deleted workspaces that can be brought back. The workspace itself lies on the shelf of its
-- organization meanwhile, which is an organization that nobody reaches. When it expires it is
-- erased; at 0 it is being erased.
ALTER TABLE organizations ADD COLUMN recoverable_items BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE recoverable_items (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    deleted_by TEXT NOT NULL,
    deleted_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX recoverable_items_organization ON recoverable_items (organization_id, deleted_at, id);
CREATE UNIQUE INDEX recoverable_items_workspace ON recoverable_items (workspace_id);
CREATE INDEX recoverable_items_expires ON recoverable_items (expires_at, id);

-- Runs of shelved workspaces keep their organization, and lists leave them out by their
-- workspace; change requests alike.
DROP INDEX runs_organization;
CREATE INDEX runs_organization ON runs (organization_id, created_at, id, workspace_id);
