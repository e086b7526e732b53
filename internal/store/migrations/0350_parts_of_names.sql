-- What finds a rare part of a workspace's name: every three letters that follow each other in it,
-- without regard to the capitals of ASCII. PostgreSQL keeps it by itself, with the name. In SQLite
-- they are rows, written a while later for many names at once: what a name was, and that it is
-- another now, is noted with the name.
-- engine sqlite
CREATE TABLE workspace_grams (
    organization_id TEXT NOT NULL,
    gram TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, gram, workspace_id)
) WITHOUT ROWID;
CREATE TABLE unread_names (
    organization_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    gone TEXT NOT NULL,
    PRIMARY KEY (organization_id, workspace_id, gone)
) WITHOUT ROWID;
INSERT INTO workspace_grams
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT COALESCE(MAX(length(name)), 0) FROM workspaces))
    SELECT DISTINCT w.organization_id, substr(lower(w.name), n.i, 3), w.id FROM workspaces w JOIN n ON n.i <= length(w.name) - 2;
CREATE TRIGGER workspace_named AFTER INSERT ON workspaces BEGIN
    INSERT OR IGNORE INTO unread_names VALUES (NEW.organization_id, NEW.id, '');
END;
CREATE TRIGGER workspace_renamed AFTER UPDATE OF organization_id, name ON workspaces
    WHEN OLD.name <> NEW.name OR OLD.organization_id <> NEW.organization_id BEGIN
    INSERT OR IGNORE INTO unread_names VALUES (OLD.organization_id, OLD.id, OLD.name), (NEW.organization_id, NEW.id, '');
END;
CREATE TRIGGER workspace_gone AFTER DELETE ON workspaces BEGIN
    INSERT OR IGNORE INTO unread_names VALUES (OLD.organization_id, OLD.id, OLD.name);
END;
-- engine postgres
CREATE OR REPLACE FUNCTION workspace_grams(organization_id TEXT, name TEXT) RETURNS TEXT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS
$$ SELECT ARRAY(SELECT organization_id || substr(lower(name COLLATE "C"), i, 3) FROM generate_series(1, length(name) - 2) i) $$;
CREATE INDEX workspaces_grams ON workspaces USING gin (workspace_grams(organization_id, name)) WITH (fastupdate = off);
