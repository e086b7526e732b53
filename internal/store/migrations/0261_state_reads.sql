-- Who reads the states of a workspace with a token: a row for each reader and part.
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
CREATE INDEX state_reads_workspace ON state_reads (workspace_id, last_at, id);
CREATE INDEX state_reads_last ON state_reads (last_at);
