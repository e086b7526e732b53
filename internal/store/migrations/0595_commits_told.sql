-- When a service told of a commit: what it tells late makes no run where a newer commit was told of meanwhile.
-- Of what came before, nobody knows.
ALTER TABLE vcs_commits ADD COLUMN
    told_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX vcs_commits_told ON vcs_commits (workspace_id, kind, pull_request, told_at) WHERE told_at > 0;
