-- Who writes a counter of an organization holds its row until the commit is on the disk, so that commits of one
-- organization took turns. On PostgreSQL they write one of several rows now; what there is of both is the sum. SQLite has
-- one writer, and writes the counter itself.
CREATE TABLE organization_counts (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slot BIGINT NOT NULL,
    workspaces BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    facts_generation BIGINT NOT NULL,
    PRIMARY KEY (organization_id, slot)
);
CREATE TABLE project_counts (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    slot BIGINT NOT NULL,
    workspaces BIGINT NOT NULL,
    PRIMARY KEY (project_id, slot)
);
