CREATE TABLE variables (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    category TEXT NOT NULL,
    hcl BOOLEAN NOT NULL,
    description TEXT NOT NULL,
    version_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX variables_name ON variables (workspace_id, name, category);

ALTER TABLE workspaces ADD COLUMN
    var_refs TEXT NOT NULL DEFAULT '';

CREATE TABLE varsets (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    global BOOLEAN NOT NULL,
    priority BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX varsets_name ON varsets (organization_id, name);
CREATE INDEX varsets_project ON varsets (project_id) WHERE project_id <> '';

CREATE TABLE varset_variables (
    id TEXT PRIMARY KEY,
    varset_id TEXT NOT NULL REFERENCES varsets (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    category TEXT NOT NULL,
    hcl BOOLEAN NOT NULL,
    description TEXT NOT NULL,
    version_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX varset_variables_name ON varset_variables (varset_id, name, category);

CREATE TABLE varset_workspaces (
    varset_id TEXT NOT NULL REFERENCES varsets (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (varset_id, workspace_id)
);
CREATE INDEX varset_workspaces_workspace ON varset_workspaces (workspace_id);

CREATE TABLE varset_projects (
    varset_id TEXT NOT NULL REFERENCES varsets (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (varset_id, project_id)
);
CREATE INDEX varset_projects_project ON varset_projects (project_id);

CREATE TABLE run_triggers (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX run_triggers_pair ON run_triggers (workspace_id, source_id);
CREATE INDEX run_triggers_source ON run_triggers (source_id);
