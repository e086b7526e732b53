-- What the background work of retention looks for: the oldest states first.
CREATE INDEX state_versions_age ON state_versions (status, created_at, id);
CREATE INDEX workspaces_retention ON workspaces (retention_days) WHERE retention_id <> '';
