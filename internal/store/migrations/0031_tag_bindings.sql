-- As in workspace_tags, the name of the workspace is kept so that the workspaces of a
-- key, or of a key with a value, come in the order of a list.
CREATE TABLE workspace_tag_bindings (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    workspace_name TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX workspace_tag_bindings_unique_key ON workspace_tag_bindings (workspace_id, key);
CREATE INDEX workspace_tag_bindings_by_key ON workspace_tag_bindings (organization_id, key, workspace_name, workspace_id);
CREATE INDEX workspace_tag_bindings_by_value ON workspace_tag_bindings (organization_id, key, value, workspace_name, workspace_id);

CREATE TABLE project_tag_bindings (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX project_tag_bindings_key ON project_tag_bindings (project_id, key);
CREATE INDEX project_tag_bindings_by_value ON project_tag_bindings (organization_id, key, value, project_id);

CREATE TABLE reserved_tag_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    disable_overrides BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX reserved_tag_keys_key ON reserved_tag_keys (organization_id, key);
