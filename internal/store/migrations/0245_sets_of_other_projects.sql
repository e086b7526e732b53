-- A workspace that was moved out of a project stayed in the variable sets of that project, whose
-- managers went on writing variables into its runs.
DELETE FROM varset_workspaces WHERE EXISTS (
    SELECT 1 FROM varsets s JOIN workspaces w ON w.id = varset_workspaces.workspace_id
    WHERE s.id = varset_workspaces.varset_id AND s.project_id <> '' AND s.project_id <> w.project_id
        AND w.organization_id NOT LIKE 'shelf %'
);
