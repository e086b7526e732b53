-- By what people tell an SSH key from others; of older ones, and of what is no key, nobody knows it.
ALTER TABLE ssh_keys ADD COLUMN
    fingerprint TEXT NOT NULL DEFAULT '';

-- Which workspaces have a variable of a key that a set has, too.
CREATE INDEX variables_key ON variables (name, category, workspace_id);
