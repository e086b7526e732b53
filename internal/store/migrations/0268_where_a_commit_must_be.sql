-- The branch or tag that a commit must be found on before its files are taken.
ALTER TABLE vcs_fetches ADD COLUMN ref TEXT NOT NULL DEFAULT '';
