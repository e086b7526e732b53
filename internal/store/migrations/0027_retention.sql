-- The data retention policy of a workspace and of an organization; no id: none of its own.
ALTER TABLE workspaces ADD COLUMN
    retention_id TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN
    retention_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN retention_days BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN
    retention_id TEXT NOT NULL DEFAULT '';
ALTER TABLE organizations ADD COLUMN
    retention_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE organizations ADD COLUMN retention_days BIGINT NOT NULL DEFAULT 0;

-- Who does a piece of background work, so that of several servers one does it.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until BIGINT NOT NULL
);
