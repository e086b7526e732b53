-- Schedules that destroy are obeyed from here on. What was set while nothing obeyed it destroys
-- nothing by surprise: fixed moments that passed are taken away, durations count from the next
-- state.
ALTER TABLE workspaces ADD COLUMN
    destroy_disarmed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workspaces ADD COLUMN
    destroy_failed BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE workspaces SET destroy_disarmed = TRUE WHERE own_destroy_duration <> ''
    OR inherits_project_auto_destroy AND project_id IN (SELECT id FROM projects WHERE auto_destroy_activity_duration <> '');
UPDATE workspaces SET own_destroy_at = 0 WHERE own_destroy_at > 0 AND own_destroy_at < NOW_MILLIS;
INSERT INTO due (kind, subject_id, at) SELECT 'destroy', id, CASE
    WHEN own_destroy_at - 86400000 > NOW_MILLIS THEN own_destroy_at - 86400000
    WHEN own_destroy_at - 43200000 > NOW_MILLIS THEN own_destroy_at - 43200000
    ELSE own_destroy_at END FROM workspaces WHERE own_destroy_at > 0;
-- What a delivery tells that is in no other row.
ALTER TABLE deliveries ADD COLUMN
    facts TEXT NOT NULL DEFAULT '';
