-- People at identity providers, and who they are here. check_at: when the provider is asked
-- again, or its word ends; 0: never.
CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT NOT NULL,
    group_names TEXT NOT NULL,
    admin BOOLEAN NOT NULL,
    refresh_token TEXT NOT NULL,
    asserted_at BIGINT NOT NULL,
    check_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identities_subject ON identities (issuer, subject);
CREATE INDEX identities_user ON identities (user_id);
CREATE INDEX identities_check ON identities (check_at) WHERE check_at > 0;

-- What was begun by an identity ends with it.
ALTER TABLE sessions ADD COLUMN
    identity_id TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN
    provider_session TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_identity ON sessions (identity_id) WHERE identity_id <> '';
ALTER TABLE login_codes ADD COLUMN
    identity_id TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN
    identity_id TEXT NOT NULL DEFAULT '';
CREATE INDEX tokens_identity ON tokens (identity_id) WHERE identity_id <> '';

-- What groups gave is told apart from what somebody gave by hand.
ALTER TABLE users ADD COLUMN admin_by_groups BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE organization_memberships ADD COLUMN by_groups BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE team_members ADD COLUMN by_groups BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX teams_sso ON teams (sso_team_id) WHERE sso_team_id <> '';

-- What may come once and has come: tokens of others, by their hashes.
CREATE TABLE seen_assertions (
    hash TEXT PRIMARY KEY,
    expired_at BIGINT NOT NULL
);
CREATE INDEX seen_assertions_expired ON seen_assertions (expired_at);
