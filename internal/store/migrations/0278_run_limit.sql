-- How many plans and applies of an organization go on at once; 0: as many as the site allows.
ALTER TABLE organizations ADD COLUMN run_limit BIGINT NOT NULL DEFAULT 0;
