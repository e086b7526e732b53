-- Fingerprints of requests with an Idempotency-Key were bare hashes, from which a short secret
-- in a body could be guessed: they are sealed with the answer now. Of requests that were
-- answered before, it is known that they were, and no more.
-- The column stays, empty, for replicas that are not replaced yet.
UPDATE kept_answers SET status = 0, answer = '', fingerprint = '';
