-- A user that was invited by its e-mail address and has not come yet.
ALTER TABLE users ADD COLUMN invited BOOLEAN NOT NULL DEFAULT FALSE;

CREATE INDEX team_projects_organization ON team_projects (organization_id);
CREATE INDEX team_workspaces_organization ON team_workspaces (organization_id);
CREATE INDEX tokens_organization ON tokens (organization_id, owner_kind);
