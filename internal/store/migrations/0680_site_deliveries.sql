-- What waits and what arrived, by when it changed last, whatever destination it is for; what was given up has its index.
-- That of all that has ended is what two of them are together.
CREATE INDEX deliveries_waiting ON deliveries (updated_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_arrived ON deliveries (updated_at, id) WHERE status = 'delivered';
DROP INDEX deliveries_done;

-- Who made a connection: of older ones nobody knows. And since when its service does not accept a token; zero: it does, or
-- was not asked.
ALTER TABLE oauth_clients ADD COLUMN
    created_by TEXT NOT NULL DEFAULT '';
ALTER TABLE oauth_tokens ADD COLUMN
    refused_at BIGINT NOT NULL DEFAULT 0;
