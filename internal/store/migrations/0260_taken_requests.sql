-- Who is on a change request, and when those who have open ones were last told again.
ALTER TABLE change_requests ADD COLUMN
    assigned_to TEXT NOT NULL DEFAULT '';
ALTER TABLE change_requests ADD COLUMN assigned_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE bulk_actions ADD COLUMN reminded_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX change_requests_assignee ON change_requests (organization_id, assigned_to) WHERE assigned_to <> '';
