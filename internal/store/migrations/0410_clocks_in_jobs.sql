-- The queue's clocks are read from the jobs: how far an organization has queued in a pool, and what
-- of the pool was given out. Their tables keep what jobs that are deleted had come to.
CREATE INDEX jobs_queued ON jobs (pool_id, organization_id, vtime);
CREATE INDEX jobs_given ON jobs (pool_id, vtime) WHERE taken_at > 0;
