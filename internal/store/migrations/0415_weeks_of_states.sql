-- On a list of workspaces: how many states of each came in which week.
CREATE INDEX state_versions_weeks ON state_versions (workspace_id, created_at, status, intermediate);
