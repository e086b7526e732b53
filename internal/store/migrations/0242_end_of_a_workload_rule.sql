-- When a rule gives no more tokens, as the token that made it; 0: never.
ALTER TABLE workload_rules ADD COLUMN
    ends_at BIGINT NOT NULL DEFAULT 0;
