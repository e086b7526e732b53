-- What happened to one workspace, for its page.
CREATE INDEX events_workspace ON events (workspace_id, id) WHERE workspace_id <> '';
