-- What a short file of a run holds, sealed: it has no object, and no key.
ALTER TABLE run_files ADD COLUMN sealed TEXT NOT NULL DEFAULT '';
