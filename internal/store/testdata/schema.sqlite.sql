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
CREATE TABLE agent_pool_workspaces (
    pool_id TEXT NOT NULL REFERENCES agent_pools (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (pool_id, workspace_id)
);
CREATE INDEX agent_pool_workspaces_workspace ON agent_pool_workspaces (workspace_id);
CREATE TABLE agent_pools (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    organization_scoped BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX agent_pools_name ON agent_pools (organization_id, name);
CREATE TABLE assessments (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    succeeded BOOLEAN NOT NULL,
    problem TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    resources_drifted BIGINT NOT NULL,
    resources_undrifted BIGINT NOT NULL,
    checks_passed BIGINT NOT NULL,
    checks_failed BIGINT NOT NULL,
    checks_errored BIGINT NOT NULL,
    checks_unknown BIGINT NOT NULL
);
CREATE INDEX assessments_attention ON assessments (organization_id, workspace_id)
    WHERE resources_drifted > 0 OR checks_failed > 0 OR checks_errored > 0 OR NOT succeeded;
CREATE INDEX assessments_workspace ON assessments (workspace_id, created_at, id);
CREATE TABLE bulk_actions (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    message TEXT NOT NULL,
    query TEXT NOT NULL,
    created_count BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_by_name TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL
, unfinished_until BIGINT NOT NULL DEFAULT 0, due_at BIGINT NOT NULL DEFAULT 0, reminded_at BIGINT NOT NULL DEFAULT 0, key_holder TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX bulk_actions_key ON bulk_actions (organization_id, key_holder, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX bulk_actions_organization ON bulk_actions (organization_id, created_by, id);
CREATE INDEX bulk_actions_unfinished ON bulk_actions (unfinished_until, id) WHERE unfinished_until > 0;
CREATE TABLE change_requests (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    action_id TEXT NOT NULL REFERENCES bulk_actions (id) ON DELETE CASCADE,
    archived_by TEXT NOT NULL,
    archived_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
, run_id TEXT NOT NULL DEFAULT '', assigned_to TEXT NOT NULL DEFAULT '', assigned_at BIGINT NOT NULL DEFAULT 0);
CREATE INDEX change_requests_action ON change_requests (action_id, workspace_id);
CREATE INDEX change_requests_assignee ON change_requests (organization_id, assigned_to) WHERE assigned_to <> '';
CREATE INDEX change_requests_backlog ON change_requests (organization_id, (archived_at > 0), archived_at DESC, created_at DESC, id DESC);
CREATE INDEX change_requests_open ON change_requests (organization_id, workspace_id, action_id) WHERE archived_at = 0;
CREATE INDEX change_requests_organization ON change_requests (organization_id, created_at, id);
CREATE INDEX change_requests_progress ON change_requests (action_id, archived_at);
CREATE INDEX change_requests_workspace ON change_requests (workspace_id, archived_at, created_at, id);
CREATE TABLE configuration_readmes (
    configuration_version_id TEXT PRIMARY KEY REFERENCES configuration_versions (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL
);
CREATE TABLE configuration_versions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    status TEXT NOT NULL,
    auto_queue_runs BOOLEAN NOT NULL,
    speculative BOOLEAN NOT NULL,
    provisional BOOLEAN NOT NULL,
    candidate BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    error_code TEXT NOT NULL,
    error_message TEXT NOT NULL,
    stamps TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    ingress_id TEXT NOT NULL,
    ingress TEXT NOT NULL,
    created_by TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    moved_at BIGINT NOT NULL
, fetch_id TEXT NOT NULL DEFAULT '', vetted BOOLEAN NOT NULL DEFAULT TRUE);
CREATE INDEX configuration_versions_blob ON configuration_versions (blob_key) WHERE blob_key <> '';
CREATE INDEX configuration_versions_fetch ON configuration_versions (fetch_id, status) WHERE fetch_id <> '';
CREATE INDEX configuration_versions_fetching ON configuration_versions (id) WHERE status = 'fetching';
CREATE UNIQUE INDEX configuration_versions_ingress ON configuration_versions (ingress_id) WHERE ingress_id <> '';
CREATE INDEX configuration_versions_moved ON configuration_versions (status, moved_at);
CREATE UNIQUE INDEX configuration_versions_workspace ON configuration_versions (workspace_id, sequence);
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL,
    notification_id TEXT NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    change_request_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    claim TEXT NOT NULL,
    response TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
, raised TEXT NOT NULL DEFAULT 'change_request:created', run_id TEXT NOT NULL DEFAULT '', run_place BIGINT NOT NULL DEFAULT 0, run_status TEXT NOT NULL DEFAULT '', acted_by TEXT NOT NULL DEFAULT '', facts TEXT NOT NULL DEFAULT '', assessment TEXT NOT NULL DEFAULT '', organization_id TEXT NOT NULL DEFAULT '');
CREATE INDEX deliveries_action ON deliveries (action_id, status) WHERE action_id <> '';
CREATE INDEX deliveries_arrived ON deliveries (updated_at, id) WHERE status = 'delivered';
CREATE INDEX deliveries_due ON deliveries (notification_id, next_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_list ON deliveries (notification_id, created_at, id);
CREATE INDEX deliveries_next ON deliveries (next_at) WHERE status = 'pending';
CREATE UNIQUE INDEX deliveries_once ON deliveries (event_id, notification_id, workspace_id);
CREATE INDEX deliveries_parked ON deliveries (updated_at, id) WHERE status = 'parked';
CREATE INDEX deliveries_raised ON deliveries (raised, status, updated_at, id);
CREATE INDEX deliveries_run ON deliveries (notification_id, run_id, run_place) WHERE status = 'pending' AND run_id <> '';
CREATE INDEX deliveries_waiting ON deliveries (updated_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_whose ON deliveries (organization_id, status, updated_at, id);
CREATE TABLE drift_readings (
    workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    state_version_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX drift_readings_at ON drift_readings (at, workspace_id);
CREATE TABLE due (
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (kind, subject_id)
);
CREATE INDEX due_at ON due (at);
CREATE TABLE encryption_keys (
    fingerprint TEXT PRIMARY KEY,
    leads BOOLEAN NOT NULL
);
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
, archs TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX engine_versions_version ON engine_versions (version);
CREATE TABLE event_queue (
    event_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    after_workspace TEXT NOT NULL
);
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
, request_id TEXT NOT NULL DEFAULT '');
CREATE INDEX events_organization ON events (organization_id, id);
CREATE INDEX events_workspace ON events (workspace_id, id) WHERE workspace_id <> '';
CREATE TABLE flows (
    pool_id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    last_vtime BIGINT NOT NULL,
    PRIMARY KEY (pool_id, organization_id)
);
CREATE TABLE github_app_installations (
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    icon_url TEXT NOT NULL,
    http_url TEXT NOT NULL,
    api_url TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX github_app_installations_number ON github_app_installations (number);
CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT NOT NULL,
    group_names TEXT NOT NULL,
    admin BOOLEAN NOT NULL,
    refresh_token TEXT NOT NULL,
    asserted_at BIGINT NOT NULL,
    check_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX identities_check ON identities (check_at) WHERE check_at > 0;
CREATE UNIQUE INDEX identities_subject ON identities (issuer, subject);
CREATE INDEX identities_user ON identities (user_id);
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    pool_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    class BIGINT NOT NULL,
    vtime BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    lease_hash TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    runner_id TEXT NOT NULL,
    nonce TEXT NOT NULL,
    cancel TEXT NOT NULL,
    queued_at BIGINT NOT NULL,
    taken_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    engine_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    ending TEXT NOT NULL,
    error TEXT NOT NULL
, risen_at BIGINT NOT NULL DEFAULT 0, token_hash TEXT NOT NULL DEFAULT '', token_until BIGINT NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX jobs_attempt ON jobs (run_id, kind, attempt);
CREATE INDEX jobs_claimed ON jobs (runner_id, nonce) WHERE state IN ('leased', 'lost');
CREATE INDEX jobs_given ON jobs (pool_id, vtime) WHERE taken_at > 0;
CREATE INDEX jobs_held ON jobs (class, queued_at, id) WHERE state = 'held';
CREATE UNIQUE INDEX jobs_lease ON jobs (lease_hash) WHERE lease_hash <> '';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'leased';
CREATE INDEX jobs_of_run ON jobs (run_id) WHERE run_id <> '';
CREATE INDEX jobs_open ON jobs (workspace_id) WHERE state <> 'ended';
CREATE INDEX jobs_queued ON jobs (pool_id, organization_id, vtime);
CREATE INDEX jobs_runner ON jobs (runner_id) WHERE state = 'leased';
CREATE INDEX jobs_token ON jobs (token_hash) WHERE token_hash <> '';
CREATE INDEX jobs_under_way ON jobs (organization_id) WHERE state <> 'ended';
CREATE INDEX jobs_waiting ON jobs (pool_id, class, vtime, id) WHERE state = 'waiting';
CREATE INDEX jobs_workspace ON jobs (workspace_id);
CREATE TABLE kept_answers (
    principal TEXT NOT NULL,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status BIGINT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (principal, name)
);
CREATE INDEX kept_answers_age ON kept_answers (created_at);
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until BIGINT NOT NULL
);
CREATE TABLE log_chunks (
    log_id TEXT NOT NULL REFERENCES logs (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (log_id, at)
);
CREATE TABLE login_codes (
    hash TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    token_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
, identity_id TEXT NOT NULL DEFAULT '');
CREATE INDEX login_codes_expired ON login_codes (expired_at);
CREATE INDEX login_codes_user ON login_codes (user_id);
CREATE TABLE logs (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    size BIGINT NOT NULL,
    sealed_size BIGINT NOT NULL,
    truncated_at BIGINT NOT NULL,
    watched_until BIGINT NOT NULL
, marks TEXT NOT NULL DEFAULT '');
CREATE INDEX logs_ended ON logs (state) WHERE state = 'ended';
CREATE INDEX logs_run ON logs (run_id);
CREATE TABLE loose_outputs (
    state_version_id TEXT NOT NULL,
    set_id TEXT NOT NULL,
    free_at BIGINT NOT NULL,
    PRIMARY KEY (state_version_id, set_id)
);
CREATE INDEX loose_outputs_free ON loose_outputs (free_at);
CREATE TABLE mail_left_out (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    told_as TEXT NOT NULL,
    PRIMARY KEY (user_id, told_as)
);
CREATE TABLE mail_links (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL
, created_by TEXT NOT NULL DEFAULT '');
CREATE INDEX mail_links_created ON mail_links (created_at);
CREATE INDEX mail_links_user ON mail_links (user_id, created_at);
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE notification_users (
    notification_id TEXT NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (notification_id, user_id)
);
CREATE INDEX notification_users_user ON notification_users (user_id);
CREATE TABLE notifications (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
    workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    destination TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    triggers TEXT NOT NULL,
    on_change_request BOOLEAN NOT NULL,
    url TEXT NOT NULL,
    sealed_token TEXT NOT NULL,
    email_addresses TEXT NOT NULL,
    email_all_members BOOLEAN NOT NULL,
    response TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX notifications_mailed ON notifications (organization_id, workspace_id) WHERE destination = 'email' AND workspace_id IS NOT NULL;
CREATE INDEX notifications_organization ON notifications (organization_id, on_change_request);
CREATE INDEX notifications_project ON notifications (project_id, created_at, id);
CREATE INDEX notifications_team ON notifications (team_id, created_at, id);
CREATE INDEX notifications_workspace ON notifications (workspace_id, created_at, id);
CREATE TABLE oauth_client_projects (
    client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (client_id, project_id)
);
CREATE INDEX oauth_client_projects_project ON oauth_client_projects (project_id);
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
, updated_at BIGINT NOT NULL DEFAULT 0, app_installation_id TEXT NOT NULL DEFAULT '', created_by TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX oauth_clients_app_installation ON oauth_clients (app_installation_id, organization_id) WHERE app_installation_id <> '';
CREATE INDEX oauth_clients_organization ON oauth_clients (organization_id, created_at, id);
CREATE TABLE oauth_tokens (
    id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    service_provider_user TEXT NOT NULL,
    sealed TEXT NOT NULL,
    sealed_ssh_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
, refused_at BIGINT NOT NULL DEFAULT 0);
CREATE INDEX oauth_tokens_client ON oauth_tokens (client_id, created_at);
CREATE INDEX oauth_tokens_organization ON oauth_tokens (organization_id, created_at, id);
CREATE TABLE organization_counts (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slot BIGINT NOT NULL,
    workspaces BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    facts_generation BIGINT NOT NULL,
    PRIMARY KEY (organization_id, slot)
);
CREATE TABLE organization_memberships (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    email TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL
, by_groups BOOLEAN NOT NULL DEFAULT FALSE);
CREATE UNIQUE INDEX organization_memberships_email ON organization_memberships (organization_id, email);
CREATE INDEX organization_memberships_folded ON organization_memberships (organization_id, LOWER(email));
CREATE UNIQUE INDEX organization_memberships_user ON organization_memberships (user_id, organization_id);
CREATE TABLE organization_storage (
    organization_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    states BIGINT NOT NULL,
    state_bytes BIGINT NOT NULL,
    configurations BIGINT NOT NULL,
    configuration_bytes BIGINT NOT NULL,
    run_files BIGINT NOT NULL,
    run_file_bytes BIGINT NOT NULL,
    counted_at BIGINT NOT NULL
);
CREATE INDEX organization_storage_bytes ON organization_storage ((state_bytes + configuration_bytes + run_file_bytes), organization_id);
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
, retention_id TEXT NOT NULL DEFAULT '', retention_kind TEXT NOT NULL DEFAULT '', retention_days BIGINT NOT NULL DEFAULT 0, facts_generation BIGINT NOT NULL DEFAULT 0, switches TEXT NOT NULL DEFAULT '', recoverable_items BOOLEAN NOT NULL DEFAULT FALSE, pull_request_comments BOOLEAN NOT NULL DEFAULT FALSE, run_limit BIGINT NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX organizations_name ON organizations (name) WHERE name <> '';
CREATE INDEX organizations_named ON organizations (name);
CREATE TABLE pool_clocks (
    pool_id TEXT PRIMARY KEY,
    vnow BIGINT NOT NULL
);
CREATE TABLE project_counts (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    slot BIGINT NOT NULL,
    workspaces BIGINT NOT NULL,
    PRIMARY KEY (project_id, slot)
);
CREATE TABLE project_tag_bindings (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX project_tag_bindings_by_value ON project_tag_bindings (organization_id, key, value, project_id);
CREATE UNIQUE INDEX project_tag_bindings_key ON project_tag_bindings (project_id, key);
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
CREATE INDEX projects_pool ON projects (default_agent_pool_id) WHERE default_agent_pool_id <> '';
CREATE TABLE put_off (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (user_id, organization_id, mark)
);
CREATE INDEX put_off_organization ON put_off (organization_id);
CREATE TABLE recoverable_items (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    deleted_by TEXT NOT NULL,
    deleted_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX recoverable_items_expires ON recoverable_items (expires_at, id);
CREATE INDEX recoverable_items_organization ON recoverable_items (organization_id, deleted_at, id);
CREATE UNIQUE INDEX recoverable_items_workspace ON recoverable_items (workspace_id);
CREATE TABLE remote_state_consumers (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    consumer_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (workspace_id, consumer_id)
);
CREATE INDEX remote_state_consumers_consumer ON remote_state_consumers (consumer_id, workspace_id);
CREATE TABLE replicas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);
CREATE TABLE reserved_tag_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    disable_overrides BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX reserved_tag_keys_key ON reserved_tag_keys (organization_id, key);
CREATE TABLE run_checks (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    stage TEXT NOT NULL,
    place BIGINT NOT NULL,
    name TEXT NOT NULL,
    enforcement TEXT NOT NULL,
    status TEXT NOT NULL,
    exit_code BIGINT NOT NULL,
    reason TEXT NOT NULL,
    output TEXT NOT NULL,
    began_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX run_checks_run ON run_checks (run_id, stage, place);
CREATE TABLE run_files (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    created_at BIGINT NOT NULL, sealed TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, kind)
);
CREATE INDEX run_files_age ON run_files (created_at);
CREATE INDEX run_files_blob ON run_files (blob_key);
CREATE TABLE run_inputs (
    run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL
);
CREATE TABLE run_notes (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    action TEXT NOT NULL,
    description TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    comment_id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX run_notes_comment ON run_notes (comment_id) WHERE comment_id <> '';
CREATE UNIQUE INDEX run_notes_order ON run_notes (run_id, sequence);
CREATE TABLE run_triggers (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX run_triggers_pair ON run_triggers (workspace_id, source_id);
CREATE INDEX run_triggers_source ON run_triggers (source_id);
CREATE TABLE runners (
    id TEXT PRIMARY KEY,
    pool_id TEXT NOT NULL,
    name TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    version TEXT NOT NULL,
    platform TEXT NOT NULL,
    slots BIGINT NOT NULL,
    kinds TEXT NOT NULL,
    engines TEXT NOT NULL,
    isolation TEXT NOT NULL,
    work_dir TEXT NOT NULL,
    ip TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    errored BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    exited_at BIGINT NOT NULL
, for_job TEXT NOT NULL DEFAULT '', token_id TEXT NOT NULL DEFAULT '', labels TEXT NOT NULL DEFAULT '[]');
CREATE UNIQUE INDEX runners_boot ON runners (pool_id, name, boot_id);
CREATE UNIQUE INDEX runners_token ON runners (token_hash);
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    status TEXT NOT NULL,
    unfinished BOOLEAN NOT NULL,
    queued BOOLEAN NOT NULL,
    operation TEXT NOT NULL,
    stamps TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    configuration_version_id TEXT NOT NULL,
    input_state_version_id TEXT NOT NULL,
    message TEXT NOT NULL,
    options TEXT NOT NULL,
    source TEXT NOT NULL,
    reason TEXT NOT NULL,
    triggering_run_id TEXT NOT NULL,
    triggering_source_id TEXT NOT NULL,
    triggering_source TEXT NOT NULL,
    chain_length BIGINT NOT NULL,
    engine TEXT NOT NULL,
    engine_version TEXT NOT NULL,
    working_directory TEXT NOT NULL,
    mode TEXT NOT NULL,
    pool_id TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    plan TEXT NOT NULL,
    apply_id TEXT NOT NULL,
    apply TEXT NOT NULL,
    created_by TEXT NOT NULL,
    confirmed_by TEXT NOT NULL,
    canceled_by TEXT NOT NULL,
    canceled_at BIGINT NOT NULL,
    force_cancel_at BIGINT NOT NULL,
    silent_since BIGINT NOT NULL,
    keeps_lock BOOLEAN NOT NULL,
    error TEXT NOT NULL,
    active_at BIGINT NOT NULL,
    notes BIGINT NOT NULL,
    commit_sha TEXT NOT NULL,
    sender_name TEXT NOT NULL
);
CREATE INDEX runs_applied ON runs (workspace_id) WHERE status = 'applied';
CREATE UNIQUE INDEX runs_apply ON runs (apply_id);
CREATE INDEX runs_assessing ON runs (workspace_id) WHERE operation = 'assessment';
CREATE INDEX runs_busy ON runs (workspace_id, created_at, id) WHERE unfinished;
CREATE INDEX runs_commit ON runs (organization_id, commit_sha, created_at) WHERE commit_sha <> '';
CREATE INDEX runs_configuration ON runs (configuration_version_id, created_at);
CREATE INDEX runs_last ON runs (workspace_id, active_at, created_at, id) WHERE queued;
CREATE INDEX runs_organization ON runs (organization_id, created_at, id, workspace_id);
CREATE UNIQUE INDEX runs_plan ON runs (plan_id);
CREATE INDEX runs_saved ON runs (workspace_id) WHERE status = 'planned_and_saved';
CREATE UNIQUE INDEX runs_triggered ON runs (triggering_run_id, workspace_id) WHERE triggering_run_id <> '';
CREATE INDEX runs_unfinished ON runs (organization_id, created_at, id) WHERE unfinished;
CREATE INDEX runs_waiting ON runs (workspace_id, created_at, id) WHERE status = 'pending';
CREATE INDEX runs_workspace ON runs (workspace_id, created_at, id);
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
CREATE TABLE seen_assertions (
    hash TEXT PRIMARY KEY,
    expired_at BIGINT NOT NULL
);
CREATE INDEX seen_assertions_expired ON seen_assertions (expired_at);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL
, identity_id TEXT NOT NULL DEFAULT '', provider_session TEXT NOT NULL DEFAULT '', device TEXT NOT NULL DEFAULT '', address TEXT NOT NULL DEFAULT '', seen_at BIGINT NOT NULL DEFAULT 0);
CREATE INDEX sessions_expired ON sessions (expired_at);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_identity ON sessions (identity_id) WHERE identity_id <> '';
CREATE INDEX sessions_user ON sessions (user_id);
CREATE TABLE ssh_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL
, fingerprint TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX ssh_keys_name ON ssh_keys (organization_id, name);
CREATE TABLE "state_outputs" (
    id TEXT PRIMARY KEY,
    state_version_id TEXT NOT NULL,
    set_id TEXT NOT NULL,
    name TEXT NOT NULL,
    sensitive BOOLEAN NOT NULL,
    kind TEXT NOT NULL,
    detailed_type TEXT NOT NULL,
    sealed_value TEXT NOT NULL
);
CREATE UNIQUE INDEX state_outputs_name ON state_outputs (state_version_id, set_id, name);
CREATE TABLE state_readings (
    workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    state_version_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX state_readings_at ON state_readings (at, workspace_id);
CREATE TABLE state_reads (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    reader_kind TEXT NOT NULL,
    reader_id TEXT NOT NULL,
    part TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    days BIGINT NOT NULL,
    UNIQUE (workspace_id, reader_id, part)
);
CREATE INDEX state_reads_last ON state_reads (last_at);
CREATE INDEX state_reads_workspace ON state_reads (workspace_id, last_at, id);
CREATE TABLE state_resources (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    address TEXT NOT NULL,
    module TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    provider TEXT NOT NULL,
    created_serial BIGINT NOT NULL,
    updated_serial BIGINT NOT NULL,
    mark TEXT NOT NULL
, drifted BOOLEAN NOT NULL DEFAULT FALSE);
CREATE INDEX state_resources_address ON state_resources (organization_id, address, id);
CREATE INDEX state_resources_type ON state_resources (organization_id, type, address, id);
CREATE INDEX state_resources_workspace ON state_resources (workspace_id, id);
CREATE TABLE state_versions (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    sequence BIGINT NOT NULL,
    serial BIGINT NOT NULL,
    lineage TEXT NOT NULL,
    md5 TEXT NOT NULL,
    size BIGINT NOT NULL,
    status TEXT NOT NULL,
    intermediate BOOLEAN NOT NULL,
    by_upload BOOLEAN NOT NULL,
    blob_key TEXT NOT NULL,
    json_key TEXT NOT NULL,
    json_md5 TEXT NOT NULL,
    json_size BIGINT NOT NULL,
    run_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    rollback_id TEXT NOT NULL,
    processed BOOLEAN NOT NULL,
    problem TEXT NOT NULL,
    outputs_known BOOLEAN NOT NULL,
    output_ids TEXT NOT NULL,
    contents TEXT NOT NULL,
    soft_deleted_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
, forced BOOLEAN NOT NULL DEFAULT FALSE, announced_by TEXT NOT NULL DEFAULT '', output_set TEXT NOT NULL DEFAULT '');
CREATE INDEX state_versions_age ON state_versions (status, created_at, id);
CREATE INDEX state_versions_blob ON state_versions (blob_key) WHERE blob_key <> '';
CREATE INDEX state_versions_json ON state_versions (json_key) WHERE json_key <> '';
CREATE INDEX state_versions_run ON state_versions (run_id, sequence) WHERE run_id <> '';
CREATE UNIQUE INDEX state_versions_sequence ON state_versions (workspace_id, sequence);
CREATE INDEX state_versions_status ON state_versions (workspace_id, status, sequence);
CREATE INDEX state_versions_weeks ON state_versions (workspace_id, created_at, status, intermediate);
CREATE TABLE tags (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    instance_count BIGINT NOT NULL
, doomed BOOLEAN NOT NULL DEFAULT FALSE);
CREATE INDEX tags_doomed ON tags (organization_id) WHERE doomed;
CREATE UNIQUE INDEX tags_name ON tags (organization_id, name);
CREATE TABLE "team_members" (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL, by_groups BOOLEAN NOT NULL DEFAULT FALSE, joined_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (team_id, user_id),
    FOREIGN KEY (user_id, organization_id) REFERENCES organization_memberships (user_id, organization_id) ON DELETE CASCADE
);
CREATE INDEX team_members_user ON team_members (user_id, team_id);
CREATE TABLE team_projects (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    access TEXT NOT NULL,
    custom TEXT NOT NULL
, given_at BIGINT NOT NULL DEFAULT 0, given_by TEXT NOT NULL DEFAULT '');
CREATE INDEX team_projects_organization ON team_projects (organization_id);
CREATE UNIQUE INDEX team_projects_pair ON team_projects (team_id, project_id);
CREATE INDEX team_projects_project ON team_projects (project_id);
CREATE TABLE team_workspaces (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    access TEXT NOT NULL,
    custom TEXT NOT NULL
, given_at BIGINT NOT NULL DEFAULT 0, given_by TEXT NOT NULL DEFAULT '');
CREATE INDEX team_workspaces_organization ON team_workspaces (organization_id);
CREATE UNIQUE INDEX team_workspaces_pair ON team_workspaces (team_id, workspace_id);
CREATE INDEX team_workspaces_workspace ON team_workspaces (workspace_id);
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
, access_given_at BIGINT NOT NULL DEFAULT 0, access_given_by TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX teams_name ON teams (organization_id, name);
CREATE INDEX teams_sso ON teams (sso_team_id) WHERE sso_team_id <> '';
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
, workspace_id TEXT NOT NULL DEFAULT '', by_organization BOOLEAN NOT NULL DEFAULT FALSE, identity_id TEXT NOT NULL DEFAULT '', issued_by TEXT NOT NULL DEFAULT '', tail TEXT NOT NULL DEFAULT '', used_from TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);
CREATE INDEX tokens_identity ON tokens (identity_id) WHERE identity_id <> '';
CREATE INDEX tokens_organization ON tokens (organization_id, owner_kind);
CREATE INDEX tokens_owner ON tokens (owner_id, created_at);
CREATE INDEX tokens_workload ON tokens (expired_at) WHERE purpose = 'workload';
CREATE INDEX tokens_workspace ON tokens (workspace_id) WHERE workspace_id <> '';
CREATE TABLE unread_names (
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    gone TEXT NOT NULL,
    PRIMARY KEY (organization_id, workspace_id, gone)
) WITHOUT ROWID;
CREATE TABLE untold_events (
    id TEXT PRIMARY KEY,
    events TEXT NOT NULL
);
CREATE TABLE used_sources (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    workspace_count BIGINT NOT NULL,
    PRIMARY KEY (organization_id, kind, source)
);
CREATE TABLE user_seen (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    seen_at BIGINT NOT NULL
);
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    username TEXT NOT NULL,
    email TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    is_admin BOOLEAN NOT NULL,
    is_service_account BOOLEAN NOT NULL,
    suspended BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
, invited BOOLEAN NOT NULL DEFAULT FALSE, unconfirmed_email TEXT NOT NULL DEFAULT '', admin_by_groups BOOLEAN NOT NULL DEFAULT FALSE, email_shared BOOLEAN NOT NULL DEFAULT FALSE);
CREATE UNIQUE INDEX users_email ON users (email) WHERE email <> '';
CREATE UNIQUE INDEX users_email_folded ON users (LOWER(email)) WHERE email <> '' AND NOT email_shared;
CREATE UNIQUE INDEX users_username ON users (username) WHERE username <> '';
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
CREATE INDEX variables_key ON variables (name, category, workspace_id);
CREATE UNIQUE INDEX variables_name ON variables (workspace_id, name, category);
CREATE TABLE varset_projects (
    varset_id TEXT NOT NULL REFERENCES varsets (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (varset_id, project_id)
);
CREATE INDEX varset_projects_project ON varset_projects (project_id);
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
CREATE TABLE vcs_comments (
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    pull_request BIGINT NOT NULL,
    comment_id TEXT NOT NULL,
    told TEXT NOT NULL,
    claim TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (hook_id, pull_request)
);
CREATE TABLE vcs_commits (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    run_id TEXT NOT NULL,
    pull_request BIGINT NOT NULL,
    created_at BIGINT NOT NULL, told_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, kind, commit_sha)
);
CREATE INDEX vcs_commits_pull ON vcs_commits (workspace_id, pull_request) WHERE pull_request > 0;
CREATE INDEX vcs_commits_told ON vcs_commits (workspace_id, kind, pull_request, told_at) WHERE told_at > 0;
CREATE TABLE vcs_events (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    token_id TEXT NOT NULL,
    level TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX vcs_events_old ON vcs_events (created_at);
CREATE INDEX vcs_events_organization ON vcs_events (organization_id, created_at, id);
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
, ref TEXT NOT NULL DEFAULT '');
CREATE INDEX vcs_fetches_blob ON vcs_fetches (blob_key) WHERE blob_key <> '';
CREATE INDEX vcs_fetches_elsewhere ON vcs_fetches (next_at, id) WHERE state = 'elsewhere';
CREATE INDEX vcs_fetches_hook ON vcs_fetches (hook_id);
CREATE INDEX vcs_fetches_used ON vcs_fetches (used_at);
CREATE INDEX vcs_fetches_waiting ON vcs_fetches (organization_id, next_at, id) WHERE state = 'waiting';
CREATE TABLE vcs_heads (
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    branch TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (hook_id, branch)
);
CREATE TABLE vcs_hook_names (
    id TEXT PRIMARY KEY,
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE
);
CREATE INDEX vcs_hook_names_hook ON vcs_hook_names (hook_id);
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
CREATE INDEX vcs_hooks_organization ON vcs_hooks (organization_id);
CREATE INDEX vcs_hooks_poll ON vcs_hooks (poll_at);
CREATE UNIQUE INDEX vcs_hooks_repository ON vcs_hooks (token_id, folded);
CREATE INDEX vcs_hooks_work ON vcs_hooks (work_at) WHERE work_at > 0;
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
, about TEXT NOT NULL DEFAULT '', became TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX vcs_inbox_delivery ON vcs_inbox (hook_id, delivery_id);
CREATE INDEX vcs_inbox_old ON vcs_inbox (received_at);
CREATE INDEX vcs_inbox_told ON vcs_inbox (organization_id, received_at, id);
CREATE INDEX vcs_inbox_waiting ON vcs_inbox (organization_id, next_at, id) WHERE state = 'waiting';
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
    updated_at BIGINT NOT NULL
);
CREATE INDEX vcs_statuses_hook ON vcs_statuses (hook_id);
CREATE INDEX vcs_statuses_old ON vcs_statuses (updated_at);
CREATE INDEX vcs_statuses_waiting ON vcs_statuses (organization_id, next_at, id) WHERE state = 'waiting';
CREATE TABLE workload_rules (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    audience TEXT NOT NULL,
    claims TEXT NOT NULL,
    token_minutes BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    by_organization BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
, ends_at BIGINT NOT NULL DEFAULT 0);
CREATE INDEX workload_rules_organization ON workload_rules (organization_id);
CREATE INDEX workload_rules_team ON workload_rules (team_id, created_at, id);
CREATE TABLE workspace_grams (
    organization_id TEXT NOT NULL,
    gram TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, gram, workspace_id)
) WITHOUT ROWID;
CREATE VIEW workspace_locks AS SELECT organization_id, lock_last_id AS holder_id, id AS workspace_id
    FROM workspaces WHERE lock_last_id > '' AND lock_holder_id = lock_last_id;
CREATE TABLE workspace_tag_bindings (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    workspace_name TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX workspace_tag_bindings_by_key ON workspace_tag_bindings (organization_id, key, workspace_name, workspace_id);
CREATE INDEX workspace_tag_bindings_by_value ON workspace_tag_bindings (organization_id, key, value, workspace_name, workspace_id);
CREATE UNIQUE INDEX workspace_tag_bindings_unique_key ON workspace_tag_bindings (workspace_id, key);
CREATE TABLE workspace_tags (
    tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    workspace_name TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, workspace_name, workspace_id)
);
CREATE INDEX workspace_tags_workspace ON workspace_tags (workspace_id, tag_id);
CREATE TABLE workspace_uses (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    workspace_name TEXT NOT NULL,
    PRIMARY KEY (workspace_id, kind, source)
);
CREATE INDEX workspace_uses_source ON workspace_uses (organization_id, kind, source, workspace_name, workspace_id);
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
CREATE TRIGGER workspace_gone AFTER DELETE ON workspaces BEGIN
    INSERT OR IGNORE INTO unread_names VALUES (OLD.organization_id, OLD.id, OLD.name);
END;
CREATE TRIGGER workspace_named AFTER INSERT ON workspaces BEGIN
    INSERT OR IGNORE INTO unread_names VALUES (NEW.organization_id, NEW.id, '');
END;
CREATE TRIGGER workspace_renamed AFTER UPDATE OF organization_id, name ON workspaces
    WHEN OLD.name <> NEW.name OR OLD.organization_id <> NEW.organization_id BEGIN
    INSERT OR IGNORE INTO unread_names VALUES (OLD.organization_id, OLD.id, OLD.name), (NEW.organization_id, NEW.id, '');
END;
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
, state_engine_version TEXT NOT NULL DEFAULT '', output_ids TEXT NOT NULL DEFAULT '', retention_id TEXT NOT NULL DEFAULT '', retention_kind TEXT NOT NULL DEFAULT '', retention_days BIGINT NOT NULL DEFAULT 0, vcs_token_id TEXT NOT NULL DEFAULT '', var_refs TEXT NOT NULL DEFAULT '', module_count BIGINT NOT NULL DEFAULT 0, provider_count BIGINT NOT NULL DEFAULT 0, run_figures TEXT NOT NULL DEFAULT '', engine TEXT NOT NULL DEFAULT '', current_configuration_version_id TEXT NOT NULL DEFAULT '', engine_release TEXT NOT NULL DEFAULT '', destroy_disarmed BOOLEAN NOT NULL DEFAULT FALSE, destroy_failed BOOLEAN NOT NULL DEFAULT FALSE, vcs_hook_id TEXT NOT NULL DEFAULT '', assessing_id TEXT NOT NULL DEFAULT '', assessment_id TEXT NOT NULL DEFAULT '', assessed_at BIGINT NOT NULL DEFAULT 0, drift_state_id TEXT NOT NULL DEFAULT '', destroyed BOOLEAN NOT NULL DEFAULT FALSE, managed_once BOOLEAN NOT NULL DEFAULT FALSE, destroy_reminded_at BIGINT NOT NULL DEFAULT 0, engine_unnamed BOOLEAN NOT NULL DEFAULT FALSE, lock_last_id TEXT NOT NULL DEFAULT '', lock_questions TEXT NOT NULL DEFAULT '');
CREATE INDEX workspaces_engine ON workspaces (organization_id, engine_release, name, id);
CREATE INDEX workspaces_explorer ON workspaces (organization_id, name, id, project_id, engine_release, state_engine_version, resource_count, module_count, provider_count, created_at);
CREATE INDEX workspaces_latest_change ON workspaces (organization_id, latest_change_at, id);
CREATE INDEX workspaces_locked ON workspaces (organization_id, lock_last_id) WHERE lock_last_id > '';
CREATE UNIQUE INDEX workspaces_name ON workspaces (organization_id, name, id);
CREATE INDEX workspaces_pool ON workspaces (own_pool_id, name) WHERE own_pool_id <> '';
CREATE INDEX workspaces_project ON workspaces (project_id, name, id);
CREATE INDEX workspaces_project_runs ON workspaces (project_id, current_run_status, resource_count);
CREATE INDEX workspaces_release ON workspaces (engine_release, engine_version);
CREATE INDEX workspaces_retention ON workspaces (retention_days) WHERE retention_id <> '';
CREATE INDEX workspaces_run_at ON workspaces (organization_id, (current_run_at = 0), current_run_at, id);
CREATE INDEX workspaces_run_status ON workspaces (organization_id, current_run_status, name);
CREATE INDEX workspaces_ssh_key ON workspaces (ssh_key_id) WHERE ssh_key_id <> '';
CREATE INDEX workspaces_state_engine ON workspaces (organization_id, state_engine_version, name, id);
CREATE INDEX workspaces_unhooked ON workspaces (id) WHERE vcs_token_id <> '' AND vcs_hook_id = '';
CREATE UNIQUE INDEX workspaces_unique_name ON workspaces (organization_id, name);
CREATE INDEX workspaces_vcs_hook ON workspaces (vcs_hook_id, id) WHERE vcs_hook_id <> '';
CREATE INDEX workspaces_vcs_token ON workspaces (vcs_token_id) WHERE vcs_token_id <> '';
