-- Fetches that agents are to carry out, because a connection is reached through their pool.
CREATE INDEX vcs_fetches_elsewhere ON vcs_fetches (next_at, id) WHERE state = 'elsewhere';
