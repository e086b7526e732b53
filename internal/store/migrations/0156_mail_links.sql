-- Links that were mailed, by their hashes. expired_at 0: used.
CREATE TABLE mail_links (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL
);
CREATE INDEX mail_links_user ON mail_links (user_id, created_at);
CREATE INDEX mail_links_created ON mail_links (created_at);
