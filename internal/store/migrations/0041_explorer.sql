-- All that the explorer's common filters ask of a workspace, in the order of its rows:
-- a filter walks this narrow index and reads whole rows only for the page.
CREATE INDEX workspaces_explorer ON workspaces (organization_id, name, id, project_id, engine_version, state_engine_version, resource_count, created_at);

CREATE TABLE saved_views (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX saved_views_name ON saved_views (organization_id, name);
