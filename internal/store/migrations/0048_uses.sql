-- What the current states say that workspaces use: one table for modules and providers. The
-- name of the workspace is kept so that the workspaces of a source come in the order of a list.
CREATE TABLE workspace_uses (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    workspace_name TEXT NOT NULL,
    PRIMARY KEY (workspace_id, kind, source)
);
INSERT INTO workspace_uses (workspace_id, kind, source, organization_id, workspace_name)
    SELECT w.id, 'modules', m.source, w.organization_id, w.name FROM workspace_modules m JOIN workspaces w ON w.id = m.workspace_id
    UNION ALL SELECT w.id, 'providers', m.source, w.organization_id, w.name FROM workspace_providers m JOIN workspaces w ON w.id = m.workspace_id;
CREATE INDEX workspace_uses_source ON workspace_uses (organization_id, kind, source, workspace_name, workspace_id);

-- How many workspaces use a source; none when no row.
CREATE TABLE used_sources (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    workspace_count BIGINT NOT NULL,
    PRIMARY KEY (organization_id, kind, source)
);
INSERT INTO used_sources (organization_id, kind, source, name, workspace_count)
    SELECT w.organization_id, 'modules', m.source, min(m.name), count(*) FROM workspace_modules m JOIN workspaces w ON w.id = m.workspace_id GROUP BY 1, 3
    UNION ALL SELECT w.organization_id, 'providers', m.source, min(m.name), count(*) FROM workspace_providers m JOIN workspaces w ON w.id = m.workspace_id GROUP BY 1, 3;
DROP TABLE workspace_modules;
DROP TABLE workspace_providers;

ALTER TABLE workspaces ADD COLUMN
    module_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN
    provider_count BIGINT NOT NULL DEFAULT 0;
UPDATE workspaces SET module_count = (SELECT count(*) FROM workspace_uses u WHERE u.workspace_id = workspaces.id AND u.kind = 'modules'),
    provider_count = (SELECT count(*) FROM workspace_uses u WHERE u.workspace_id = workspaces.id AND u.kind = 'providers')
    WHERE current_state_version_id <> '';
DROP INDEX workspaces_explorer;
CREATE INDEX workspaces_explorer ON workspaces (organization_id, name, id, project_id, engine_version, state_engine_version, resource_count, module_count, provider_count, created_at);
CREATE INDEX workspaces_engine ON workspaces (organization_id, engine_version, name, id);
CREATE INDEX workspaces_state_engine ON workspaces (organization_id, state_engine_version, name, id);
