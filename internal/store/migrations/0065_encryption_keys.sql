-- The encryption keys that the data may be sealed with, each known by its fingerprint. One
-- of them leads: it seals what is new.
CREATE TABLE encryption_keys (
    fingerprint TEXT PRIMARY KEY,
    leads BOOLEAN NOT NULL
);
