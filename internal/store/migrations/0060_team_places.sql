-- A user has one place in an organization: the oldest that is active, else the oldest.
DELETE FROM organization_memberships WHERE EXISTS (
    SELECT 1 FROM organization_memberships kept
    WHERE kept.organization_id = organization_memberships.organization_id AND kept.user_id = organization_memberships.user_id
    AND kept.id <> organization_memberships.id AND (
        kept.status < organization_memberships.status
        OR kept.status = organization_memberships.status AND (
            kept.created_at < organization_memberships.created_at
            OR kept.created_at = organization_memberships.created_at AND kept.id < organization_memberships.id)));
DELETE FROM organization_memberships WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = organization_memberships.user_id);
DROP INDEX organization_memberships_user;
CREATE UNIQUE INDEX organization_memberships_user ON organization_memberships (user_id, organization_id);

-- A place in a team hangs on the place in its organization. What was left without one goes.
CREATE TABLE team_places (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    PRIMARY KEY (team_id, user_id),
    FOREIGN KEY (user_id, organization_id) REFERENCES organization_memberships (user_id, organization_id) ON DELETE CASCADE
);
INSERT INTO team_places (team_id, user_id, organization_id)
    SELECT c.team_id, c.user_id, t.organization_id FROM team_members c JOIN teams t ON t.id = c.team_id
    JOIN organization_memberships m ON m.user_id = c.user_id AND m.organization_id = t.organization_id
    JOIN users u ON u.id = c.user_id;
DROP TABLE team_members;
ALTER TABLE team_places RENAME TO team_members;
CREATE INDEX team_members_user ON team_members (user_id, team_id);

-- Tokens and variable sets that were made while their owner went.
DELETE FROM tokens WHERE owner_kind = 'user' AND NOT EXISTS (SELECT 1 FROM users o WHERE o.id = tokens.owner_id);
DELETE FROM tokens WHERE owner_kind = 'team' AND NOT EXISTS (SELECT 1 FROM teams o WHERE o.id = tokens.owner_id);
DELETE FROM tokens WHERE owner_kind = 'organization' AND NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = tokens.owner_id);
DELETE FROM tokens WHERE owner_kind = 'agent' AND NOT EXISTS (SELECT 1 FROM agent_pools o WHERE o.id = tokens.owner_id);
DELETE FROM tokens WHERE owner_kind = 'run' AND NOT EXISTS (SELECT 1 FROM workspaces o WHERE o.id = tokens.workspace_id);
DELETE FROM varsets WHERE project_id <> '' AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = varsets.project_id);

UPDATE organizations SET access_generation = access_generation + 1;
