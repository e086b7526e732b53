CREATE TABLE users (
    id TEXT PRIMARY KEY,
    username TEXT NOT NULL,
    email TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    is_admin BOOLEAN NOT NULL,
    is_service_account BOOLEAN NOT NULL,
    suspended BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_username ON users (username);
CREATE UNIQUE INDEX users_email ON users (email) WHERE email <> '';

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    owner_kind TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    description TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);
CREATE INDEX tokens_owner ON tokens (owner_id, created_at);

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    collaborator_auth TEXT NOT NULL,
    session_timeout BIGINT NOT NULL,
    session_remember BIGINT NOT NULL,
    cost_estimation BOOLEAN NOT NULL,
    send_passing_statuses BOOLEAN NOT NULL,
    aggregated_statuses BOOLEAN NOT NULL,
    speculative_management BOOLEAN NOT NULL,
    allow_force_delete BOOLEAN NOT NULL,
    assessments_enforced BOOLEAN NOT NULL,
    default_execution_mode TEXT NOT NULL,
    default_agent_pool_id TEXT NOT NULL,
    global_remote_state BOOLEAN NOT NULL,
    owners_team_saml_role_id TEXT NOT NULL,
    user_tokens_enabled BOOLEAN NOT NULL,
    default_project_id TEXT NOT NULL,
    service_user_id TEXT NOT NULL,
    workspace_count BIGINT NOT NULL DEFAULT 0,
    generation BIGINT NOT NULL DEFAULT 0,
    access_generation BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX organizations_name ON organizations (name);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    auto_destroy_activity_duration TEXT NOT NULL,
    owns_execution BOOLEAN NOT NULL,
    default_execution_mode TEXT NOT NULL,
    default_agent_pool_id TEXT NOT NULL,
    workspace_count BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX projects_name ON projects (organization_id, name);

CREATE TABLE organization_memberships (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    email TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX organization_memberships_email ON organization_memberships (organization_id, email);
CREATE INDEX organization_memberships_user ON organization_memberships (user_id, organization_id);

CREATE TABLE teams (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    sso_team_id TEXT NOT NULL,
    visibility TEXT NOT NULL,
    allow_member_token_management BOOLEAN NOT NULL,
    organization_access TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX teams_name ON teams (organization_id, name);

CREATE TABLE team_members (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_user ON team_members (user_id, team_id);

CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    owns_execution BOOLEAN NOT NULL,
    own_mode TEXT NOT NULL,
    own_pool_id TEXT NOT NULL,
    engine_version TEXT NOT NULL,
    allow_destroy_plan BOOLEAN NOT NULL,
    assessments_enabled BOOLEAN NOT NULL,
    auto_apply BOOLEAN NOT NULL,
    auto_apply_run_trigger BOOLEAN NOT NULL,
    file_triggers_enabled BOOLEAN NOT NULL,
    global_remote_state BOOLEAN NOT NULL,
    project_remote_state BOOLEAN NOT NULL,
    queue_all_runs BOOLEAN NOT NULL,
    speculative_enabled BOOLEAN NOT NULL,
    structured_run_output_enabled BOOLEAN NOT NULL,
    own_destroy_at BIGINT NOT NULL,
    own_destroy_duration TEXT NOT NULL,
    inherits_project_auto_destroy BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    source_name TEXT NOT NULL,
    source_url TEXT NOT NULL,
    migration_environment TEXT NOT NULL,
    trigger_patterns TEXT NOT NULL,
    trigger_prefixes TEXT NOT NULL,
    working_directory TEXT NOT NULL,
    vcs_repo TEXT NOT NULL,
    ssh_key_id TEXT NOT NULL,
    lock_holder_type TEXT NOT NULL,
    lock_holder_id TEXT NOT NULL,
    lock_holder_name TEXT NOT NULL,
    lock_reason TEXT NOT NULL,
    locked_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    latest_change_at BIGINT NOT NULL,
    resource_count BIGINT NOT NULL,
    current_state_version_id TEXT NOT NULL,
    current_run_id TEXT NOT NULL,
    current_run_status TEXT NOT NULL,
    current_run_at BIGINT NOT NULL,
    tag_names TEXT NOT NULL
);
CREATE UNIQUE INDEX workspaces_name ON workspaces (organization_id, name, id);
CREATE UNIQUE INDEX workspaces_unique_name ON workspaces (organization_id, name);
CREATE INDEX workspaces_latest_change ON workspaces (organization_id, latest_change_at, id);
CREATE INDEX workspaces_run_at ON workspaces (organization_id, (current_run_at = 0), current_run_at, id);
CREATE INDEX workspaces_run_status ON workspaces (organization_id, current_run_status, name);
CREATE INDEX workspaces_project ON workspaces (project_id, name, id);

CREATE TABLE team_projects (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    access TEXT NOT NULL,
    custom TEXT NOT NULL
);
CREATE UNIQUE INDEX team_projects_pair ON team_projects (team_id, project_id);
CREATE INDEX team_projects_project ON team_projects (project_id);

CREATE TABLE team_workspaces (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    access TEXT NOT NULL,
    custom TEXT NOT NULL
);
CREATE UNIQUE INDEX team_workspaces_pair ON team_workspaces (team_id, workspace_id);
CREATE INDEX team_workspaces_workspace ON team_workspaces (workspace_id);

CREATE TABLE engine_versions (
    id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    url TEXT NOT NULL,
    sha TEXT NOT NULL,
    official BOOLEAN NOT NULL,
    enabled BOOLEAN NOT NULL,
    beta BOOLEAN NOT NULL,
    deprecated BOOLEAN NOT NULL,
    deprecated_reason TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX engine_versions_version ON engine_versions (version);

CREATE TABLE events (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    payload TEXT NOT NULL
);
CREATE INDEX events_organization ON events (organization_id, id);

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
