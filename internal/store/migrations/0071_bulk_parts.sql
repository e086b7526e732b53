-- The change requests of a bulk action on many workspaces are written in parts. Until the
-- last of them nobody sees the action or any of them, and one that is left behind is
-- deleted after this moment.
ALTER TABLE bulk_actions ADD COLUMN unfinished_until BIGINT NOT NULL DEFAULT 0;
CREATE INDEX bulk_actions_unfinished ON bulk_actions (unfinished_until, id) WHERE unfinished_until > 0;
-- What it found, the index of a workspace's backlog finds as well.
DROP INDEX change_requests_unarchived;
