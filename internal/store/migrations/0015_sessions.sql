CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expired ON sessions (expired_at);

CREATE TABLE login_codes (
    hash TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    token_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expired_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX login_codes_user ON login_codes (user_id);
CREATE INDEX login_codes_expired ON login_codes (expired_at);
