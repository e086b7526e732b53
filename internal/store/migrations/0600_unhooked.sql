-- Workspaces that have a repository and no hook yet: each start of a server looks for them.
CREATE INDEX workspaces_unhooked ON workspaces (id) WHERE vcs_token_id <> '' AND vcs_hook_id = '';
