-- From which browser and address a session was last used, and when; and when somebody was last here
-- with any. It is written some seconds after it happened, and at most once a minute for each.
ALTER TABLE sessions ADD COLUMN
    device TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN
    address TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;

CREATE TABLE user_seen (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    seen_at BIGINT NOT NULL
);
