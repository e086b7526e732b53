-- Whose jobs get tokens of a team: those whose claims fit the patterns.
CREATE TABLE workload_rules (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    audience TEXT NOT NULL,
    claims TEXT NOT NULL,
    token_minutes BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    by_organization BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX workload_rules_team ON workload_rules (team_id, created_at, id);
CREATE INDEX workload_rules_organization ON workload_rules (organization_id);
CREATE INDEX tokens_workload ON tokens (expired_at) WHERE purpose = 'workload';
