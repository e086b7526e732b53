
-- What each organization keeps, counted by itself from time to time; and what was given up,
-- the newest first, whatever destination it was for.
CREATE TABLE organization_storage (
    organization_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    states BIGINT NOT NULL,
    state_bytes BIGINT NOT NULL,
    configurations BIGINT NOT NULL,
    configuration_bytes BIGINT NOT NULL,
    run_files BIGINT NOT NULL,
    run_file_bytes BIGINT NOT NULL,
    counted_at BIGINT NOT NULL
);
CREATE INDEX organization_storage_bytes ON organization_storage ((state_bytes + configuration_bytes + run_file_bytes), organization_id);
CREATE INDEX deliveries_parked ON deliveries (updated_at, id) WHERE status = 'parked';
