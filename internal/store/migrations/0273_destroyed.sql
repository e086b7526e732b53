-- Whether the last state came from a destroy that was applied, whatever schedule was in force
-- then; whether there ever was anything to destroy; and which reminder was sent.
ALTER TABLE workspaces ADD COLUMN
    destroyed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workspaces ADD COLUMN
    managed_once BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workspaces ADD COLUMN
    destroy_reminded_at BIGINT NOT NULL DEFAULT 0;
UPDATE workspaces SET managed_once = TRUE WHERE current_state_version_id <> '';
UPDATE workspaces SET destroyed = TRUE WHERE resource_count = 0 AND EXISTS (SELECT 1 FROM state_versions v
    JOIN runs r ON r.id = v.run_id WHERE v.id = workspaces.current_state_version_id AND r.operation = 'destroy' AND r.status = 'applied');
