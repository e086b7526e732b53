-- How the workspaces of a project are spread by the statuses of their runs, and how many resources they manage.
CREATE INDEX workspaces_project_runs ON workspaces (project_id, current_run_status, resource_count);

-- What somebody does not want to be mailed as one of a team, by the trigger that it is told as.
CREATE TABLE mail_left_out (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    told_as TEXT NOT NULL,
    PRIMARY KEY (user_id, told_as)
);
-- Mail about workspaces is found by the organization, for whom it reaches.
CREATE INDEX notifications_mailed ON notifications (organization_id, workspace_id) WHERE destination = 'email' AND workspace_id IS NOT NULL;
