-- Since when a team has its rights in the whole organization, and who gave them. Of older ones nobody knows.
ALTER TABLE teams ADD COLUMN access_given_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN
    access_given_by TEXT NOT NULL DEFAULT '';
