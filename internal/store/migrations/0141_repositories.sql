-- Repositories that workspaces are connected to. One hook serves all workspaces that reach the
-- same repository by the same token. What is to be done with it at the service is due at
-- work_at; its branches are looked at by poll_at.
CREATE TABLE vcs_hooks (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    token_id TEXT NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE,
    identifier TEXT NOT NULL,
    folded TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    sealed_before TEXT NOT NULL,
    before_until BIGINT NOT NULL,
    remote_id TEXT NOT NULL,
    state TEXT NOT NULL,
    tries BIGINT NOT NULL,
    work_at BIGINT NOT NULL,
    poll_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX vcs_hooks_repository ON vcs_hooks (token_id, folded);
CREATE INDEX vcs_hooks_organization ON vcs_hooks (organization_id);
CREATE INDEX vcs_hooks_work ON vcs_hooks (work_at) WHERE work_at > 0;
CREATE INDEX vcs_hooks_poll ON vcs_hooks (poll_at);

-- The addresses that workspaces had each for itself, before they shared a hook.
CREATE TABLE vcs_hook_names (
    id TEXT PRIMARY KEY,
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE
);
CREATE INDEX vcs_hook_names_hook ON vcs_hook_names (hook_id);

ALTER TABLE workspaces ADD COLUMN
    vcs_hook_id TEXT NOT NULL DEFAULT '';
CREATE INDEX workspaces_vcs_hook ON workspaces (vcs_hook_id, id) WHERE vcs_hook_id <> '';

-- The newest commit of each branch that workspaces follow, as it was last heard of.
CREATE TABLE vcs_heads (
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    branch TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (hook_id, branch)
);

-- What services told, once for each delivery. after_workspace is how far it was worked on.
CREATE TABLE vcs_inbox (
    id TEXT PRIMARY KEY,
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    after_workspace TEXT NOT NULL,
    tries BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    claim TEXT NOT NULL,
    received_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX vcs_inbox_delivery ON vcs_inbox (hook_id, delivery_id);
CREATE INDEX vcs_inbox_waiting ON vcs_inbox (organization_id, next_at, id) WHERE state = 'waiting';
CREATE INDEX vcs_inbox_old ON vcs_inbox (received_at);

-- What was told to people who look after connections.
CREATE TABLE vcs_events (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    token_id TEXT NOT NULL,
    level TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX vcs_events_organization ON vcs_events (organization_id, created_at, id);
CREATE INDEX vcs_events_old ON vcs_events (created_at);

-- The commits that made a run of a kind in a workspace; without a run none was wanted.
CREATE TABLE vcs_commits (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    run_id TEXT NOT NULL,
    pull_request BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, kind, commit_sha)
);
CREATE INDEX vcs_commits_pull ON vcs_commits (workspace_id, pull_request) WHERE pull_request > 0;

-- One fetch of a commit, and the archive that it made, for all workspaces that plan it.
CREATE TABLE vcs_fetches (
    id TEXT PRIMARY KEY,
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    submodules BOOLEAN NOT NULL,
    state TEXT NOT NULL,
    tries BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    claim TEXT NOT NULL,
    error TEXT NOT NULL,
    code TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    readme TEXT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX vcs_fetches_hook ON vcs_fetches (hook_id);
CREATE INDEX vcs_fetches_waiting ON vcs_fetches (organization_id, next_at, id) WHERE state = 'waiting';
CREATE INDEX vcs_fetches_used ON vcs_fetches (used_at);
CREATE INDEX vcs_fetches_blob ON vcs_fetches (blob_key) WHERE blob_key <> '';

ALTER TABLE configuration_versions ADD COLUMN
    fetch_id TEXT NOT NULL DEFAULT '';
CREATE INDEX configuration_versions_fetch ON configuration_versions (fetch_id, status) WHERE fetch_id <> '';

-- Commits whose status at the service is to be looked at: only the newest is sent. moved
-- counts what happened since.
CREATE TABLE vcs_statuses (
    id TEXT PRIMARY KEY,
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    state TEXT NOT NULL,
    moved BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    claim TEXT NOT NULL,
    sent TEXT NOT NULL,
    comment_id TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX vcs_statuses_hook ON vcs_statuses (hook_id);
CREATE INDEX vcs_statuses_waiting ON vcs_statuses (organization_id, next_at, id) WHERE state = 'waiting';
CREATE INDEX vcs_statuses_old ON vcs_statuses (updated_at);
CREATE INDEX runs_commit ON runs (organization_id, commit_sha, created_at) WHERE commit_sha <> '';

-- Comments on pull requests with what plans come to: where an organization wants them.
ALTER TABLE organizations ADD COLUMN pull_request_comments BOOLEAN NOT NULL DEFAULT FALSE;
