-- Since when somebody is in a team, and who gave a team its level, when. Of older ones nobody knows.
ALTER TABLE team_members ADD COLUMN joined_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE team_projects ADD COLUMN given_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE team_projects ADD COLUMN
    given_by TEXT NOT NULL DEFAULT '';
ALTER TABLE team_workspaces ADD COLUMN given_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE team_workspaces ADD COLUMN
    given_by TEXT NOT NULL DEFAULT '';
