-- What requests with an Idempotency-Key were answered with, for a day.
CREATE TABLE kept_answers (
    principal TEXT NOT NULL,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status BIGINT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (principal, name)
);
CREATE INDEX kept_answers_age ON kept_answers (created_at);
