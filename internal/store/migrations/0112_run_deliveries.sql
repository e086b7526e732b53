ALTER TABLE deliveries ADD COLUMN
    raised TEXT NOT NULL DEFAULT 'change_request:created';
ALTER TABLE deliveries ADD COLUMN
    run_id TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN
    run_place BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN
    run_status TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN
    acted_by TEXT NOT NULL DEFAULT '';
CREATE INDEX deliveries_run ON deliveries (notification_id, run_id, run_place) WHERE status = 'pending' AND run_id <> '';
