-- Parts of names are found in a table of their own. An index on workspaces gets new entries
-- with each lock and each run, for those change what other indexes hold. The newest names wait
-- in a short list of the index, so that many are put into it at once.
-- engine postgres
CREATE TABLE workspace_names (
    workspace_id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL
);
INSERT INTO workspace_names SELECT id, organization_id, name FROM workspaces;
DROP INDEX workspaces_grams;
CREATE INDEX workspace_names_grams ON workspace_names USING gin (workspace_grams(organization_id, name)) WITH (fastupdate = on, gin_pending_list_limit = 64);
CREATE OR REPLACE FUNCTION workspace_name_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO workspace_names VALUES (NEW.id, NEW.organization_id, NEW.name);
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE workspace_names SET organization_id = NEW.organization_id, name = NEW.name WHERE workspace_id = NEW.id;
    ELSE
        DELETE FROM workspace_names WHERE workspace_id = OLD.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER workspace_named AFTER INSERT OR DELETE ON workspaces FOR EACH ROW EXECUTE FUNCTION workspace_name_kept();
CREATE TRIGGER workspace_renamed AFTER UPDATE OF organization_id, name ON workspaces FOR EACH ROW
    WHEN (OLD.name <> NEW.name OR OLD.organization_id <> NEW.organization_id) EXECUTE FUNCTION workspace_name_kept();
