-- Who announced a state, whose file comes by a URL that names nobody.
ALTER TABLE state_versions ADD COLUMN
    announced_by TEXT NOT NULL DEFAULT '';
-- Whoever has left an organization is told nothing of it any more, should they come back.
DELETE FROM notification_users WHERE NOT EXISTS (
    SELECT 1 FROM notifications n JOIN organization_memberships m ON m.organization_id = n.organization_id
    WHERE n.id = notification_users.notification_id AND m.user_id = notification_users.user_id);
