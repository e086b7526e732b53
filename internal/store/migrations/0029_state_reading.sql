-- States are read while their client waits, so nobody looks for those that are not.
DROP INDEX state_versions_unprocessed;
ALTER TABLE state_versions DROP COLUMN leased_until;
