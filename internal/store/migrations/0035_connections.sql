CREATE TABLE ssh_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX ssh_keys_name ON ssh_keys (organization_id, name);
CREATE INDEX workspaces_ssh_key ON workspaces (ssh_key_id) WHERE ssh_key_id <> '';

CREATE TABLE agent_pools (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    organization_scoped BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX agent_pools_name ON agent_pools (organization_id, name);
CREATE INDEX workspaces_pool ON workspaces (own_pool_id, name) WHERE own_pool_id <> '';
CREATE INDEX projects_pool ON projects (default_agent_pool_id) WHERE default_agent_pool_id <> '';

CREATE TABLE agent_pool_workspaces (
    pool_id TEXT NOT NULL REFERENCES agent_pools (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (pool_id, workspace_id)
);
CREATE INDEX agent_pool_workspaces_workspace ON agent_pool_workspaces (workspace_id);

CREATE TABLE agent_pool_excluded (
    pool_id TEXT NOT NULL REFERENCES agent_pools (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (pool_id, workspace_id)
);
CREATE INDEX agent_pool_excluded_workspace ON agent_pool_excluded (workspace_id);

CREATE TABLE agent_pool_projects (
    pool_id TEXT NOT NULL REFERENCES agent_pools (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (pool_id, project_id)
);
CREATE INDEX agent_pool_projects_project ON agent_pool_projects (project_id);

CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    service_provider TEXT NOT NULL,
    http_url TEXT NOT NULL,
    api_url TEXT NOT NULL,
    client_key TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    sealed_private_key TEXT NOT NULL,
    rsa_public_key TEXT NOT NULL,
    organization_scoped BOOLEAN NOT NULL,
    agent_pool_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX oauth_clients_organization ON oauth_clients (organization_id, created_at, id);

CREATE TABLE oauth_client_projects (
    client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (client_id, project_id)
);
CREATE INDEX oauth_client_projects_project ON oauth_client_projects (project_id);

CREATE TABLE oauth_tokens (
    id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    service_provider_user TEXT NOT NULL,
    sealed TEXT NOT NULL,
    sealed_ssh_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX oauth_tokens_client ON oauth_tokens (client_id, created_at);
CREATE INDEX oauth_tokens_organization ON oauth_tokens (organization_id, created_at, id);

ALTER TABLE workspaces ADD COLUMN
    vcs_token_id TEXT NOT NULL DEFAULT '';
CREATE INDEX workspaces_vcs_token ON workspaces (vcs_token_id) WHERE vcs_token_id <> '';
