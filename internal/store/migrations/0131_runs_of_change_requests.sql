-- The last run that was applied for a change request.
ALTER TABLE change_requests ADD COLUMN
    run_id TEXT NOT NULL DEFAULT '';
