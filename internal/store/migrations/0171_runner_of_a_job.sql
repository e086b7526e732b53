-- A runner that was started elsewhere for one job, and may have no other.
ALTER TABLE runners ADD COLUMN
    for_job TEXT NOT NULL DEFAULT '';
