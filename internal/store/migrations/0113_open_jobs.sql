CREATE INDEX jobs_open ON jobs (workspace_id) WHERE state <> 'ended';
CREATE INDEX jobs_under_way ON jobs (organization_id) WHERE state <> 'ended';
CREATE INDEX jobs_held ON jobs (class, queued_at, id) WHERE state = 'held';
