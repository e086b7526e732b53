CREATE INDEX runs_busy ON runs (workspace_id, created_at, id) WHERE unfinished;
CREATE INDEX runs_last ON runs (workspace_id, active_at, created_at, id) WHERE queued;

-- When a waiting job was last moved to a better class.
ALTER TABLE jobs ADD COLUMN risen_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_of_run ON jobs (run_id) WHERE run_id <> '';
CREATE INDEX jobs_claimed ON jobs (runner_id, nonce) WHERE state IN ('leased', 'lost');

-- The averages over the newest runs of a workspace, as JSON.
ALTER TABLE workspaces ADD COLUMN
    run_figures TEXT NOT NULL DEFAULT '';
