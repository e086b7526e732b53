-- Moves with all that the explorer reads and lists do not: states, settings, projects' names.
ALTER TABLE organizations ADD COLUMN
    facts_generation BIGINT NOT NULL DEFAULT 0;
