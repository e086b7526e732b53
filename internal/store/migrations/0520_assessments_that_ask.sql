-- Assessments that somebody has to see are few, and are looked for by organization: the list of workspaces asks for them.
CREATE INDEX assessments_attention ON assessments (organization_id, workspace_id)
    WHERE resources_drifted > 0 OR checks_failed > 0 OR checks_errored > 0 OR NOT succeeded;
