-- Those that wait for a commit are looked for all the time, and are few.
CREATE INDEX configuration_versions_fetching ON configuration_versions (id) WHERE status = 'fetching';
