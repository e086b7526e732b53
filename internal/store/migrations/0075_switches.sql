-- Settings of an organization that clients set and read, and that change nothing.
ALTER TABLE organizations ADD COLUMN
    switches TEXT NOT NULL DEFAULT '';

-- Whoever is only invited has no name yet, and reserves none.
DROP INDEX users_username;
UPDATE users SET username = '' WHERE invited;
CREATE UNIQUE INDEX users_username ON users (username) WHERE username <> '';

-- When a connection was last changed.
ALTER TABLE oauth_clients ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
UPDATE oauth_clients SET updated_at = created_at;
