-- What somebody has put off at the home of an organization, by marks of the things, and until when.
CREATE TABLE put_off (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (user_id, organization_id, mark)
);
CREATE INDEX put_off_organization ON put_off (organization_id);
