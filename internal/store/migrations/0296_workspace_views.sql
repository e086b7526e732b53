
-- What the list of workspaces is asked for, under a name: somebody's own, or everybody's.
CREATE TABLE workspace_views (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX workspace_views_own ON workspace_views (organization_id, user_id, name) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX workspace_views_shared ON workspace_views (organization_id, name) WHERE user_id IS NULL;
CREATE INDEX workspace_views_user ON workspace_views (user_id) WHERE user_id IS NOT NULL;
