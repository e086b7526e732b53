-- Files of runs by their age, for retention.
CREATE INDEX run_files_age ON run_files (created_at);
