SELECT COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $2), '0')

SELECT COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k2), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[]))) WITH ORDINALITY l(k1, k2, n)

SELECT COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0')

SELECT COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, n)

SELECT COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = $2), '0')

SELECT COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = l.k2), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[]))) WITH ORDINALITY l(k1, k2, n)

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = $4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $3 AND d.doomed), CAST(EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.workspace_id = $2 AND c.archived_at = 0) AS INT), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $5), '0')

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = l.k4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k3 AND d.doomed), CAST(EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = l.k3 AND c.workspace_id = l.k2 AND c.archived_at = 0) AS INT), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k5), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, n)

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = $4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $3 AND d.doomed), (SELECT count(*)
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.workspace_id = $2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $5), '0')

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = l.k4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k3 AND d.doomed), (SELECT count(*)
  FROM change_requests c
  WHERE c.organization_id = l.k3 AND c.workspace_id = l.k2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k5), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, n)

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = $4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $3 AND d.doomed), CAST(EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.workspace_id = $2 AND c.archived_at = 0) AS INT), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = $5), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $6), '0')

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = l.k4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k3 AND d.doomed), CAST(EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = l.k3 AND c.workspace_id = l.k2 AND c.archived_at = 0) AS INT), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = l.k5), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k6), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[])), (SELECT CAST($6 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, k6, n)

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = $4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $3 AND d.doomed), (SELECT count(*)
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.workspace_id = $2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = $5), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $6), '0')

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = l.k4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k3 AND d.doomed), (SELECT count(*)
  FROM change_requests c
  WHERE c.organization_id = l.k3 AND c.workspace_id = l.k2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = l.k5), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k6), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[])), (SELECT CAST($6 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, k6, n)

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = $4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $3 AND d.doomed), CAST(EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.workspace_id = $2 AND c.archived_at = 0) AS INT), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = $5), '0')

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = l.k4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k3 AND d.doomed), CAST(EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = l.k3 AND c.workspace_id = l.k2 AND c.archived_at = 0) AS INT), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = l.k5), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, n)

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = $2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = $4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $3 AND d.doomed), (SELECT count(*)
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.workspace_id = $2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = $5), '0')

SELECT COALESCE((SELECT xmin
  FROM workspaces
  WHERE id = l.k2), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k3), '0'), COALESCE((SELECT xmin
  FROM projects
  WHERE id = l.k4), '0'), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k3 AND d.doomed), (SELECT count(*)
  FROM change_requests c
  WHERE c.organization_id = l.k3 AND c.workspace_id = l.k2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = l.k5), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, n)

SELECT COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $2), '0'), COALESCE((SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = $2), ''), (SELECT count(*)
  FROM workspaces s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST($3 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST($4 AS TEXT) AS XID[])) AS XID[]))), (SELECT count(*)
  FROM projects s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST($5 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST($6 AS TEXT) AS XID[])) AS XID[]))), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $2 AND d.doomed), COALESCE(CASE WHEN EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.archived_at = 0) THEN (SELECT CAST(json_object_agg(r.id, r.n) AS TEXT)
  FROM (SELECT c.workspace_id AS id, count(*) AS n
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.workspace_id = ANY(CAST((SELECT CAST(CAST($3 AS TEXT) AS TEXT[])) AS TEXT[])) AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0) GROUP BY c.workspace_id) r) END, ''), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $7), '0')

SELECT COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k2), '0'), COALESCE((SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = l.k2), ''), (SELECT count(*)
  FROM workspaces s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST(l.k3 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST(l.k4 AS TEXT) AS XID[])) AS XID[]))), (SELECT count(*)
  FROM projects s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST(l.k5 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST(l.k6 AS TEXT) AS XID[])) AS XID[]))), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k2 AND d.doomed), COALESCE(CASE WHEN EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = l.k2 AND c.archived_at = 0) THEN (SELECT CAST(json_object_agg(r.id, r.n) AS TEXT)
  FROM (SELECT c.workspace_id AS id, count(*) AS n
  FROM change_requests c
  WHERE c.organization_id = l.k2 AND c.workspace_id = ANY(CAST((SELECT CAST(CAST(l.k3 AS TEXT) AS TEXT[])) AS TEXT[])) AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0) GROUP BY c.workspace_id) r) END, ''), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k7), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[])), (SELECT CAST($6 AS TEXT[])), (SELECT CAST($7 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, k6, k7, n)

SELECT COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $2), '0'), COALESCE((SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = $2), ''), (SELECT count(*)
  FROM workspaces s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST($3 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST($4 AS TEXT) AS XID[])) AS XID[]))), (SELECT count(*)
  FROM projects s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST($5 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST($6 AS TEXT) AS XID[])) AS XID[]))), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $2 AND d.doomed), COALESCE(CASE WHEN EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.archived_at = 0) THEN (SELECT CAST(json_object_agg(r.id, r.n) AS TEXT)
  FROM (SELECT c.workspace_id AS id, count(*) AS n
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.workspace_id = ANY(CAST((SELECT CAST(CAST($3 AS TEXT) AS TEXT[])) AS TEXT[])) AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0) GROUP BY c.workspace_id) r) END, ''), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = $7), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $8), '0')

SELECT COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k2), '0'), COALESCE((SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = l.k2), ''), (SELECT count(*)
  FROM workspaces s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST(l.k3 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST(l.k4 AS TEXT) AS XID[])) AS XID[]))), (SELECT count(*)
  FROM projects s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST(l.k5 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST(l.k6 AS TEXT) AS XID[])) AS XID[]))), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k2 AND d.doomed), COALESCE(CASE WHEN EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = l.k2 AND c.archived_at = 0) THEN (SELECT CAST(json_object_agg(r.id, r.n) AS TEXT)
  FROM (SELECT c.workspace_id AS id, count(*) AS n
  FROM change_requests c
  WHERE c.organization_id = l.k2 AND c.workspace_id = ANY(CAST((SELECT CAST(CAST(l.k3 AS TEXT) AS TEXT[])) AS TEXT[])) AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0) GROUP BY c.workspace_id) r) END, ''), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM teams
  WHERE id = l.k7), '0'), COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k8), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[])), (SELECT CAST($6 AS TEXT[])), (SELECT CAST($7 AS TEXT[])), (SELECT CAST($8 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, k6, k7, k8, n)

SELECT COALESCE((SELECT xmin
  FROM organizations
  WHERE id = $2), '0'), COALESCE((SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = $2), ''), (SELECT count(*)
  FROM workspaces s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST($3 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST($4 AS TEXT) AS XID[])) AS XID[]))), (SELECT count(*)
  FROM projects s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST($5 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST($6 AS TEXT) AS XID[])) AS XID[]))), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = $2 AND d.doomed), COALESCE(CASE WHEN EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.archived_at = 0) THEN (SELECT CAST(json_object_agg(r.id, r.n) AS TEXT)
  FROM (SELECT c.workspace_id AS id, count(*) AS n
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.workspace_id = ANY(CAST((SELECT CAST(CAST($3 AS TEXT) AS TEXT[])) AS TEXT[])) AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0) GROUP BY c.workspace_id) r) END, ''), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = $1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = $7), '0')

SELECT COALESCE((SELECT xmin
  FROM organizations
  WHERE id = l.k2), '0'), COALESCE((SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = l.k2), ''), (SELECT count(*)
  FROM workspaces s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST(l.k3 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST(l.k4 AS TEXT) AS XID[])) AS XID[]))), (SELECT count(*)
  FROM projects s
  WHERE s.id = ANY(CAST((SELECT CAST(CAST(l.k5 AS TEXT) AS TEXT[])) AS TEXT[])) AND s.xmin = ANY(CAST((SELECT CAST(CAST(l.k6 AS TEXT) AS XID[])) AS XID[]))), EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = l.k2 AND d.doomed), COALESCE(CASE WHEN EXISTS (SELECT 1
  FROM change_requests c
  WHERE c.organization_id = l.k2 AND c.archived_at = 0) THEN (SELECT CAST(json_object_agg(r.id, r.n) AS TEXT)
  FROM (SELECT c.workspace_id AS id, count(*) AS n
  FROM change_requests c
  WHERE c.organization_id = l.k2 AND c.workspace_id = ANY(CAST((SELECT CAST(CAST(l.k3 AS TEXT) AS TEXT[])) AS TEXT[])) AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0) GROUP BY c.workspace_id) r) END, ''), COALESCE((SELECT xmin
  FROM tokens
  WHERE hash = l.k1), '0'), COALESCE((SELECT xmin
  FROM users
  WHERE id = l.k7), '0'), l.n
  FROM unnest((SELECT CAST($1 AS TEXT[])), (SELECT CAST($2 AS TEXT[])), (SELECT CAST($3 AS TEXT[])), (SELECT CAST($4 AS TEXT[])), (SELECT CAST($5 AS TEXT[])), (SELECT CAST($6 AS TEXT[])), (SELECT CAST($7 AS TEXT[]))) WITH ORDINALITY l(k1, k2, k3, k4, k5, k6, k7, n)

