-- Lists of workspaces by who holds the lock (nobody: '') and by open change requests.
CREATE INDEX workspaces_lock ON workspaces (organization_id, lock_holder_id, name, id);
CREATE INDEX change_requests_open ON change_requests (organization_id, workspace_id, action_id) WHERE archived_at = 0;
