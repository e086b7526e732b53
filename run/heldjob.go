package run

// HeldJob is a job that a runner has in hand, and the workspace that it is of.
type HeldJob struct{ RunnerID, RunID, OrganizationID, WorkspaceID, Workspace, ProjectID string }
