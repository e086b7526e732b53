-- The comment on each pull request, which is changed for every newer commit. Whoever changes it
-- holds it, so that it is made once; told is the sum of what it says.
CREATE TABLE vcs_comments (
    hook_id TEXT NOT NULL REFERENCES vcs_hooks (id) ON DELETE CASCADE,
    pull_request BIGINT NOT NULL,
    comment_id TEXT NOT NULL,
    told TEXT NOT NULL,
    claim TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (hook_id, pull_request)
);

-- There was one for each commit: one of them goes on.
INSERT INTO vcs_comments (hook_id, pull_request, comment_id, told, claim, held_until)
SELECT s.hook_id, c.pull_request, max(s.comment_id), '', '', 0 FROM vcs_statuses s
JOIN vcs_commits c ON c.commit_sha = s.commit_sha AND c.pull_request > 0
JOIN workspaces w ON w.id = c.workspace_id AND w.vcs_hook_id = s.hook_id
WHERE s.comment_id <> '' GROUP BY s.hook_id, c.pull_request;

ALTER TABLE vcs_statuses DROP COLUMN comment_id;
