-- What the engine of a job acts with, and until when; empty once the job has ended.
ALTER TABLE jobs ADD COLUMN token_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN token_until BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_token ON jobs (token_hash) WHERE token_hash <> '';
