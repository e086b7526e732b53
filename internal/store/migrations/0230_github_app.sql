-- Installations of the server's GitHub App, as GitHub tells of them. A connection that stands on
-- one has no token of its own: oauth_tokens has a row for it with nothing sealed.
CREATE TABLE github_app_installations (
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    icon_url TEXT NOT NULL,
    http_url TEXT NOT NULL,
    api_url TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX github_app_installations_number ON github_app_installations (number);

ALTER TABLE oauth_clients ADD COLUMN
    app_installation_id TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX oauth_clients_app_installation ON oauth_clients (app_installation_id, organization_id) WHERE app_installation_id <> '';
