-- Who holds the locks is found in a table of its own. An index on workspaces that a lock changes
-- has PostgreSQL write all of their indexes anew with each lock.
-- engine sqlite
CREATE TABLE workspace_locks (
    organization_id TEXT NOT NULL,
    holder_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, holder_id, workspace_id)
) WITHOUT ROWID;
INSERT INTO workspace_locks SELECT organization_id, lock_holder_id, id FROM workspaces WHERE lock_holder_id > '';
DROP INDEX workspaces_lock;
CREATE TRIGGER workspace_made_locked AFTER INSERT ON workspaces WHEN NEW.lock_holder_id > '' BEGIN
    INSERT OR IGNORE INTO workspace_locks VALUES (NEW.organization_id, NEW.lock_holder_id, NEW.id);
END;
CREATE TRIGGER workspace_lock_taken AFTER UPDATE OF lock_holder_id ON workspaces WHEN OLD.lock_holder_id <> NEW.lock_holder_id AND NEW.lock_holder_id > '' BEGIN
    INSERT OR IGNORE INTO workspace_locks VALUES (NEW.organization_id, NEW.lock_holder_id, NEW.id);
END;
CREATE TRIGGER workspace_lock_left AFTER UPDATE OF lock_holder_id ON workspaces WHEN OLD.lock_holder_id <> NEW.lock_holder_id AND OLD.lock_holder_id > '' BEGIN
    DELETE FROM workspace_locks WHERE organization_id = OLD.organization_id AND holder_id = OLD.lock_holder_id AND workspace_id = OLD.id;
END;
CREATE TRIGGER workspace_lock_gone AFTER DELETE ON workspaces WHEN OLD.lock_holder_id > '' BEGIN
    DELETE FROM workspace_locks WHERE organization_id = OLD.organization_id AND holder_id = OLD.lock_holder_id AND workspace_id = OLD.id;
END;
-- engine postgres
CREATE TABLE workspace_locks (
    organization_id TEXT NOT NULL,
    holder_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, holder_id, workspace_id)
);
INSERT INTO workspace_locks SELECT organization_id, lock_holder_id, id FROM workspaces WHERE lock_holder_id > '';
DROP INDEX workspaces_lock;
CREATE OR REPLACE FUNCTION workspace_lock_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM workspace_locks WHERE organization_id = OLD.organization_id AND holder_id = OLD.lock_holder_id AND workspace_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.lock_holder_id > '' THEN
        INSERT INTO workspace_locks VALUES (NEW.organization_id, NEW.lock_holder_id, NEW.id) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER workspace_made_locked AFTER INSERT ON workspaces FOR EACH ROW
    WHEN (NEW.lock_holder_id > '') EXECUTE FUNCTION workspace_lock_kept();
CREATE TRIGGER workspace_lock_moved AFTER UPDATE OF lock_holder_id ON workspaces FOR EACH ROW
    WHEN (OLD.lock_holder_id <> NEW.lock_holder_id) EXECUTE FUNCTION workspace_lock_kept();
CREATE TRIGGER workspace_lock_gone AFTER DELETE ON workspaces FOR EACH ROW
    WHEN (OLD.lock_holder_id > '') EXECUTE FUNCTION workspace_lock_kept();
