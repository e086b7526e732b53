-- A lock that nobody held has no row to delete.
-- engine postgres
CREATE OR REPLACE FUNCTION workspace_lock_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.lock_holder_id > '' THEN
        DELETE FROM workspace_locks WHERE organization_id = OLD.organization_id AND holder_id = OLD.lock_holder_id AND workspace_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.lock_holder_id > '' THEN
        INSERT INTO workspace_locks VALUES (NEW.organization_id, NEW.lock_holder_id, NEW.id) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
