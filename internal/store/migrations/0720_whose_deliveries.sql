-- Whose a delivery is, so that the list of all of them can be narrowed to an organization, or to what was told of.
ALTER TABLE deliveries ADD COLUMN
    organization_id TEXT NOT NULL DEFAULT '';
UPDATE deliveries SET organization_id = (SELECT n.organization_id FROM notifications n WHERE n.id = deliveries.notification_id);
CREATE INDEX deliveries_whose ON deliveries (organization_id, status, updated_at, id);
CREATE INDEX deliveries_raised ON deliveries (raised, status, updated_at, id);
