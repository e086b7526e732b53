-- A team token that an organization token makes is never more than that.
ALTER TABLE tokens ADD COLUMN by_organization BOOLEAN NOT NULL DEFAULT FALSE;

-- What follows from a switch is not kept beside it, so that it goes with it.
UPDATE teams SET organization_access = REPLACE(REPLACE(organization_access,
    '"manage-workspaces":true', '"manage-workspaces":false'), '"read-projects":true', '"read-projects":false')
    WHERE organization_access LIKE '%"manage-projects":true%';
UPDATE teams SET organization_access = REPLACE(organization_access, '"read-workspaces":true', '"read-workspaces":false')
    WHERE organization_access LIKE '%"manage-projects":true%' OR organization_access LIKE '%"manage-workspaces":true%'
    OR organization_access LIKE '%"read-projects":true%';
