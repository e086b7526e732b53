-- Results of health assessments. The run that planned one is in no list.
CREATE TABLE assessments (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    succeeded BOOLEAN NOT NULL,
    problem TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    resources_drifted BIGINT NOT NULL,
    resources_undrifted BIGINT NOT NULL,
    checks_passed BIGINT NOT NULL,
    checks_failed BIGINT NOT NULL,
    checks_errored BIGINT NOT NULL,
    checks_unknown BIGINT NOT NULL
);
CREATE INDEX assessments_workspace ON assessments (workspace_id, created_at, id);
CREATE INDEX runs_assessing ON runs (workspace_id) WHERE operation = 'assessment';
CREATE INDEX runs_applied ON runs (workspace_id) WHERE status = 'applied';

ALTER TABLE workspaces ADD COLUMN
    assessing_id TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN
    assessment_id TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN assessed_at BIGINT NOT NULL DEFAULT 0;

-- What a delivery tells of an assessment.
ALTER TABLE deliveries ADD COLUMN
    assessment TEXT NOT NULL DEFAULT '';

-- Workspaces that wanted assessments before there were any are looked at over an hour.
INSERT INTO due (kind, subject_id, at) SELECT 'assess', w.id, NOW_MILLIS + 120000 + (row_number() OVER (ORDER BY w.id)) * 7919 % 3600000
    FROM workspaces w JOIN organizations o ON o.id = w.organization_id WHERE w.assessments_enabled OR o.assessments_enforced;
