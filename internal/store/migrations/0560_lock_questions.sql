-- What others have asked the holder of a lock, as a list in JSON: it is written and gone with the lock.
ALTER TABLE workspaces ADD COLUMN
    lock_questions TEXT NOT NULL DEFAULT '';
