-- A state that is announced by force may come without a lineage: its file is not compared
-- with the state before it either.
ALTER TABLE state_versions ADD COLUMN forced BOOLEAN NOT NULL DEFAULT FALSE;
