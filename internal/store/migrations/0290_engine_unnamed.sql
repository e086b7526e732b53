-- Whether nobody named the version of a workspace's engine. Of those that are there nobody knows.
ALTER TABLE workspaces ADD COLUMN engine_unnamed BOOLEAN NOT NULL DEFAULT FALSE;
