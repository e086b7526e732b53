CREATE TABLE tags (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    instance_count BIGINT NOT NULL
);
CREATE UNIQUE INDEX tags_name ON tags (organization_id, name);

-- The name of the workspace stands in the key, so that the workspaces of a tag come in
-- the order of a list without sorting.
CREATE TABLE workspace_tags (
    tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    workspace_name TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, workspace_name, workspace_id)
);
CREATE INDEX workspace_tags_workspace ON workspace_tags (workspace_id, tag_id);
