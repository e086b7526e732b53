-- PostgreSQL counts a column of a whole unique index as part of a key: who changes it waits
-- for all who refer to the row, and they for whoever waits. Deleting an organization frees
-- its name, so the index that holds names apart is not of all rows, and another finds them.
DROP INDEX organizations_name;
CREATE UNIQUE INDEX organizations_name ON organizations (name) WHERE name <> '';
CREATE INDEX organizations_named ON organizations (name);
