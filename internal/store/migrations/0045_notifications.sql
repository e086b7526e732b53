CREATE TABLE notifications (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
    workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    destination TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    triggers TEXT NOT NULL,
    on_change_request BOOLEAN NOT NULL,
    url TEXT NOT NULL,
    sealed_token TEXT NOT NULL,
    email_addresses TEXT NOT NULL,
    email_all_members BOOLEAN NOT NULL,
    response TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX notifications_organization ON notifications (organization_id, on_change_request);
CREATE INDEX notifications_team ON notifications (team_id, created_at, id);
CREATE INDEX notifications_workspace ON notifications (workspace_id, created_at, id);
CREATE INDEX notifications_project ON notifications (project_id, created_at, id);

CREATE TABLE notification_users (
    notification_id TEXT NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (notification_id, user_id)
);
CREATE INDEX notification_users_user ON notification_users (user_id);

CREATE TABLE event_queue (
    event_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    after_workspace TEXT NOT NULL
);

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL,
    notification_id TEXT NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    workspace_id TEXT NOT NULL,
    change_request_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    claim TEXT NOT NULL,
    response TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX deliveries_once ON deliveries (event_id, notification_id, workspace_id);
CREATE INDEX deliveries_list ON deliveries (notification_id, created_at, id);
CREATE INDEX deliveries_due ON deliveries (notification_id, next_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_next ON deliveries (next_at) WHERE status = 'pending';
CREATE INDEX deliveries_done ON deliveries (updated_at) WHERE status <> 'pending';
