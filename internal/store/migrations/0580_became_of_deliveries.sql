-- What services told, in words, and what became of it. Of what came before, nobody knows.
ALTER TABLE vcs_inbox ADD COLUMN
    about TEXT NOT NULL DEFAULT '';
ALTER TABLE vcs_inbox ADD COLUMN
    became TEXT NOT NULL DEFAULT '';
CREATE INDEX vcs_inbox_told ON vcs_inbox (organization_id, received_at, id);
