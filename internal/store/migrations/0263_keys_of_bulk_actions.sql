-- The Idempotency-Key of a bulk action is one token's own. Of older ones it is not known whose.
ALTER TABLE bulk_actions ADD COLUMN
    key_holder TEXT NOT NULL DEFAULT '';
DROP INDEX bulk_actions_key;
CREATE UNIQUE INDEX bulk_actions_key ON bulk_actions (organization_id, key_holder, idempotency_key) WHERE idempotency_key <> '';
