CREATE TABLE remote_state_consumers (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    consumer_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (workspace_id, consumer_id)
);
CREATE INDEX remote_state_consumers_consumer ON remote_state_consumers (consumer_id, workspace_id);

-- The workspace that the token of a run is bound to; empty for every other token.
ALTER TABLE tokens ADD COLUMN
    workspace_id TEXT NOT NULL DEFAULT '';
CREATE INDEX tokens_workspace ON tokens (workspace_id) WHERE workspace_id <> '';
