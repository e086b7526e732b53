-- The order of an organization's backlog: the open ones first, the newest first; then the
-- archived ones, the one archived last first.
CREATE INDEX change_requests_backlog ON change_requests (organization_id, (archived_at > 0), archived_at DESC, created_at DESC, id DESC);
