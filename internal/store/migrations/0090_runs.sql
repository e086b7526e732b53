-- Runs, and what carries them out. The lists of a run that nobody filters by, and its two
-- phases, are JSON in its row: a run is read whole or not at all.
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
CREATE UNIQUE INDEX runs_plan ON runs (plan_id);
CREATE UNIQUE INDEX runs_apply ON runs (apply_id);
CREATE INDEX runs_workspace ON runs (workspace_id, created_at, id);
CREATE INDEX runs_organization ON runs (organization_id, created_at, id);
CREATE INDEX runs_configuration ON runs (configuration_version_id, created_at);
CREATE INDEX runs_unfinished ON runs (organization_id, created_at, id) WHERE unfinished;
CREATE INDEX runs_waiting ON runs (workspace_id, created_at, id) WHERE status = 'pending';
CREATE INDEX runs_saved ON runs (workspace_id) WHERE status = 'planned_and_saved';
-- A run of one workspace triggers one run of another, however often it is told to.
CREATE UNIQUE INDEX runs_triggered ON runs (triggering_run_id, workspace_id) WHERE triggering_run_id <> '';

-- The variables that a run has, with their values, sealed: fixed when it is made.
CREATE TABLE run_inputs (
    run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL
);

-- What happened to a run, in order. One with a comment is that comment's event, too.
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
CREATE UNIQUE INDEX run_notes_order ON run_notes (run_id, sequence);
CREATE UNIQUE INDEX run_notes_comment ON run_notes (comment_id) WHERE comment_id <> '';

-- The files of a run that outlive its job. The row is written last: a file without one is
-- swept.
CREATE TABLE run_files (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (run_id, kind)
);
CREATE INDEX run_files_blob ON run_files (blob_key);

-- The logs of plans and applies, by the id of the phase.
CREATE TABLE logs (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    size BIGINT NOT NULL,
    sealed_size BIGINT NOT NULL,
    truncated_at BIGINT NOT NULL,
    watched_until BIGINT NOT NULL
);
CREATE INDEX logs_run ON logs (run_id);

CREATE TABLE log_chunks (
    log_id TEXT NOT NULL REFERENCES logs (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (log_id, at)
);

-- A job is one piece of a run for one runner: another attempt is another row. The pool ''
-- is the server's own runners.
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
);
CREATE UNIQUE INDEX jobs_attempt ON jobs (run_id, kind, attempt);
CREATE UNIQUE INDEX jobs_lease ON jobs (lease_hash) WHERE lease_hash <> '';
CREATE INDEX jobs_waiting ON jobs (pool_id, class, vtime, id) WHERE state = 'waiting';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'leased';
CREATE INDEX jobs_runner ON jobs (runner_id) WHERE state = 'leased';
CREATE INDEX jobs_workspace ON jobs (workspace_id);

-- Virtual time: of each organization in a pool, and of the pool.
CREATE TABLE flows (
    pool_id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    last_vtime BIGINT NOT NULL,
    PRIMARY KEY (pool_id, organization_id)
);
CREATE TABLE pool_clocks (
    pool_id TEXT PRIMARY KEY,
    vnow BIGINT NOT NULL
);

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
);
CREATE UNIQUE INDEX runners_boot ON runners (pool_id, name, boot_id);
CREATE UNIQUE INDEX runners_token ON runners (token_hash);

-- What is to be looked at, and when. Writing one again moves it.
CREATE TABLE due (
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (kind, subject_id)
);
CREATE INDEX due_at ON due (at);
