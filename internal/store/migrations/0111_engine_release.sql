-- What the setting of an engine version stands for. Where that is a constraint the server
-- finds it out when it starts.
ALTER TABLE workspaces ADD COLUMN
    engine_release TEXT NOT NULL DEFAULT '';
UPDATE workspaces SET engine_release = engine_version;
DROP INDEX workspaces_explorer;
CREATE INDEX workspaces_explorer ON workspaces (organization_id, name, id, project_id, engine_release, state_engine_version, resource_count, module_count, provider_count, created_at);
DROP INDEX workspaces_engine;
CREATE INDEX workspaces_engine ON workspaces (organization_id, engine_release, name, id);
CREATE INDEX workspaces_release ON workspaces (engine_release, engine_version);
