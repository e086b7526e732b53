-- E-mail addresses are compared without regard to capitals. Where several users have the same
-- address but for those, the first keeps it, and the others are found by their exact spelling.
ALTER TABLE users ADD COLUMN
    email_shared BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users SET email_shared = TRUE WHERE id IN (
    SELECT id FROM (
        SELECT id, ROW_NUMBER() OVER (PARTITION BY LOWER(email) ORDER BY invited, created_at, id) AS nth FROM users WHERE email <> ''
    ) same WHERE nth > 1
);
CREATE UNIQUE INDEX users_email_folded ON users (LOWER(email)) WHERE email <> '' AND NOT email_shared;
CREATE INDEX organization_memberships_folded ON organization_memberships (organization_id, LOWER(email));
