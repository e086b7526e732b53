-- The servers that share one PostgreSQL tell of themselves here, every 15 seconds. One that stops takes its row away.
CREATE TABLE replicas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

-- From which address a token was used last; written with last_used_at.
ALTER TABLE tokens ADD COLUMN
    used_from TEXT NOT NULL DEFAULT '';
