-- The token that issued one for a run: whoever revokes it revokes both.
ALTER TABLE tokens ADD COLUMN
    issued_by TEXT NOT NULL DEFAULT '';
