-- How far a bulk action is, by the day, is read from an index alone.
CREATE INDEX change_requests_progress ON change_requests (action_id, archived_at);
ALTER TABLE bulk_actions ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
