-- A tag that many workspaces carry is gone for whoever looks from the moment it is doomed; it is
-- taken from them in parts behind that.
ALTER TABLE tags ADD COLUMN doomed BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX tags_doomed ON tags (organization_id) WHERE doomed;
