-- The last letters of a token's value, by which people tell it from others. The rest of it is
-- still over 370 bits of chance. Of older ones nobody knows them.
ALTER TABLE tokens ADD COLUMN
    tail TEXT NOT NULL DEFAULT '';
