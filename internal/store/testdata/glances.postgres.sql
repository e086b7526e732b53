SELECT t.xmin, t.xmin, a.xmin, w.xmin, o.xmin, p.xmin, (SELECT count(*)
  FROM change_requests c
  WHERE c.workspace_id = w.id AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = w.organization_id AND d.doomed)
  FROM tokens t
  JOIN organizations a ON a.id = t.organization_id CROSS
  JOIN workspaces w
  JOIN organizations o ON o.id = w.organization_id
  JOIN projects p ON p.id = w.project_id
  WHERE t.hash = $1 AND w.id = $2

SELECT t.xmin, m.xmin, a.xmin, w.xmin, o.xmin, p.xmin, (SELECT count(*)
  FROM change_requests c
  WHERE c.workspace_id = w.id AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = w.organization_id AND d.doomed)
  FROM tokens t
  JOIN teams m ON m.id = t.owner_id
  JOIN organizations a ON a.id = t.organization_id CROSS
  JOIN workspaces w
  JOIN organizations o ON o.id = w.organization_id
  JOIN projects p ON p.id = w.project_id
  WHERE t.hash = $1 AND w.id = $2

SELECT t.xmin, u.xmin, t.xmin, w.xmin, o.xmin, p.xmin, (SELECT count(*)
  FROM change_requests c
  WHERE c.workspace_id = w.id AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = w.organization_id AND d.doomed)
  FROM tokens t
  JOIN users u ON u.id = t.owner_id CROSS
  JOIN workspaces w
  JOIN organizations o ON o.id = w.organization_id
  JOIN projects p ON p.id = w.project_id
  WHERE t.hash = $1 AND w.id = $2

