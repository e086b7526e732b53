# all

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# all, a later page

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.name, f.id LIMIT 20 OFFSET $4) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# by name, the last first

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.name DESC, f.id DESC LIMIT 20) page ON page.id = w.id
  ORDER BY w.name DESC, w.id DESC

# by latest change

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.latest_change_at DESC, f.id DESC LIMIT 20) page ON page.id = w.id
  ORDER BY w.latest_change_at DESC, w.id DESC

# by current run

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY (f.current_run_at = 0), f.current_run_at DESC, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY (w.current_run_at = 0), w.current_run_at DESC, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# a part of a name that few have

SELECT CAST($1 AS BIGINT) + 6 * (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_names n
  WHERE workspace_grams(n.organization_id, n.name) @> CAST($2 AS TEXT[]) LIMIT $3 + 0) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.id IN (SELECT n.workspace_id AS id
  FROM workspace_names n
  WHERE workspace_grams(n.organization_id, n.name) @> CAST($3 AS TEXT[]))) SELECT *
  FROM s) f
  WHERE 1 = 1 AND LOWER(f.name) LIKE $4 ESCAPE '\'
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT generation, (SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = organizations.id)
  FROM organizations
  WHERE id = $1

# a part of a name that many have

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND LOWER(f.name) LIKE $4 ESCAPE '\'
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1 AND LOWER(f.name) LIKE $2 ESCAPE '\'

SELECT generation, (SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = organizations.id)
  FROM organizations
  WHERE id = $1

# a pattern of a name

SELECT CAST($1 AS BIGINT) + 6 * (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_names n
  WHERE workspace_grams(n.organization_id, n.name) @> CAST($2 AS TEXT[]) LIMIT $3 + 0) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND LOWER(f.name) LIKE $4 ESCAPE '\'
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT generation, (SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = organizations.id)
  FROM organizations
  WHERE id = $1

# a flat tag that few have

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# a flat tag that many have

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# a flat tag that many have, by latest change

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 0
  ORDER BY f.latest_change_at, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.latest_change_at, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# two flat tags

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)
  UNION ALL SELECT CAST($10 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $11 AND t.name = $12 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $13 AND t.name = $14 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $15 AND b.key = $16 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $17 AND b.key = $18 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 0
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# without a flat tag

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# a flat tag without another

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)
  UNION ALL SELECT CAST($10 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $11 AND t.name = $12 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $13 AND t.name = $14 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $15 AND b.key = $16 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $17 AND b.key = $18 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 1
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT $1 - count(*)
  FROM (SELECT g.workspace_id
  FROM workspace_tags g
  WHERE g.tag_id = $2) d
  WHERE COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.workspace_id = d.workspace_id AND g.tag_id = $3), 0) <> 0

# a key of bindings

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $3 AND d.key = $4
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $1 AND d.key = $2

# a key and a value

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 AND b.value = $8 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $9 AND b.key = $10 AND b.value = $11 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $3 AND d.key = $4 AND d.value = $5
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $1 AND d.key = $2 AND d.value = $3

# a key and a value that projects hand down

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 AND b.value = $8 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $9 AND b.key = $10 AND b.value = $11 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (SELECT m.id AS workspace_id
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $3 AND b.key = $4 AND b.value = $5 AND (SELECT 1
  FROM workspace_tag_bindings h
  WHERE h.workspace_id = m.id AND h.key = b.key) IS NULL) d CROSS
  JOIN workspaces f
  WHERE f.id = d.workspace_id
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT count(*)
  FROM (SELECT m.id AS workspace_id
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $1 AND b.key = $2 AND b.value = $3 AND (SELECT 1
  FROM workspace_tag_bindings h
  WHERE h.workspace_id = m.id AND h.key = b.key) IS NULL) d CROSS
  JOIN workspaces f
  WHERE f.id = d.workspace_id

# a key and a flat tag

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)
  UNION ALL SELECT CAST($10 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $11 AND t.name = $12 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $13 AND t.name = $14 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $15 AND b.key = $16 AND b.value = $17 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $18 AND b.key = $19 AND b.value = $20 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $3 AND d.key = $4 AND d.value = $5 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $6 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 0
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $1 AND d.key = $2 AND d.value = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 0

# in a project

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.project_id = ANY($4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.project_id = ANY($2)

# by run status

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.current_run_status = ANY($4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# locked

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3)) AND m.lock_holder_id > '' LIMIT 2001) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4)) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $2)) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1

# unlocked

SELECT CAST($1 AS BIGINT), COALESCE((SELECT $2 - n
  FROM (SELECT count(*) AS n
  FROM (SELECT 1
  FROM workspace_locks l
  WHERE l.organization_id = $3 LIMIT 2001) d) e
  WHERE n < $4), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $5 AND m.id NOT IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $6) LIMIT 2001) d))

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.id NOT IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# locked by somebody

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3 AND l.holder_id = $4)) AND m.lock_holder_id = $5 LIMIT 2001) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4 AND l.holder_id = $5)) AND m.lock_holder_id = $6) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# what waits

SELECT CAST(0 AS BIGINT) AS part, mark AS id, '' AS name, '' AS by_whom, CAST(0 AS BIGINT) AS n, CAST(0 AS BIGINT) AS place
  FROM put_off
  WHERE user_id = $1 AND organization_id = $2 AND until > $3
  UNION ALL SELECT *
  FROM (SELECT CAST($4 AS BIGINT), r.id, w.name, r.workspace_id, CAST(0 AS BIGINT), r.created_at
  FROM (SELECT runs.id, runs.workspace_id, runs.created_at
  FROM runs
  WHERE runs.organization_id = $5 AND runs.workspace_id NOT IN (SELECT workspace_id
  FROM recoverable_items) AND runs.operation <> 'assessment' AND runs.unfinished AND (runs.status = ANY($6))
  ORDER BY runs.created_at DESC, runs.id DESC LIMIT 20) r
  JOIN workspaces w ON w.id = r.workspace_id
  WHERE w.organization_id = $7 AND (w.lock_holder_id = '' OR w.lock_holder_id = r.id)
  ORDER BY r.created_at, r.id LIMIT $8 + 0) plans
  UNION ALL SELECT *
  FROM (SELECT CAST($9 AS BIGINT), r.id, w.name, r.workspace_id, CAST(0 AS BIGINT), -r.created_at
  FROM (SELECT runs.id, runs.workspace_id, runs.created_at
  FROM runs
  WHERE runs.organization_id = $10 AND runs.workspace_id NOT IN (SELECT workspace_id
  FROM recoverable_items) AND runs.operation <> 'assessment' AND (runs.status = ANY($11)) AND runs.created_at >= $12
  ORDER BY runs.created_at DESC, runs.id DESC LIMIT 20) r
  JOIN workspaces w ON w.id = r.workspace_id
  WHERE w.organization_id = $13) failures
  UNION ALL SELECT *
  FROM (SELECT CAST($14 AS BIGINT), w.id, w.name, '', CASE WHEN w.lock_questions IN ('', 'null', '[]') THEN CAST(0 AS BIGINT) ELSE 1 END, CAST(0 AS BIGINT)
  FROM workspace_locks l
  JOIN workspaces w ON w.id = l.workspace_id
  WHERE l.organization_id = $15 AND l.holder_id = $16 AND w.lock_holder_id = $17
  ORDER BY w.name, w.id LIMIT $18 + 0) own
  UNION ALL SELECT *
  FROM (SELECT CAST($19 AS BIGINT), w.id, w.name, '', CASE WHEN w.lock_questions IN ('', 'null', '[]') THEN CAST(0 AS BIGINT) ELSE 1 END, CAST(0 AS BIGINT)
  FROM workspace_locks l
  JOIN workspaces w ON w.id = l.workspace_id
  WHERE l.organization_id = $20 AND w.lock_holder_id > '' AND w.lock_holder_id <> $21 AND w.lock_holder_type <> 'runs' AND w.locked_at < $22
  ORDER BY w.name, w.id LIMIT $23 + 0) others
  UNION ALL SELECT *
  FROM (SELECT CAST($24 AS BIGINT), c.id, b.subject, c.action_id, CAST(0 AS BIGINT), -c.created_at
  FROM change_requests c
  JOIN bulk_actions b ON b.id = c.action_id
  JOIN workspaces w ON w.id = c.workspace_id AND w.organization_id = b.organization_id
  WHERE c.organization_id = $25 AND (c.archived_at > 0) = $26 AND b.unfinished_until = 0
  ORDER BY (c.archived_at > 0), c.archived_at DESC, c.created_at DESC, c.id DESC LIMIT 50) requests
  UNION ALL SELECT *
  FROM (SELECT CAST($27 AS BIGINT), s.id, w.name, COALESCE(u.username, ''), s.serial, s.created_at
  FROM state_versions s
  JOIN workspaces w ON w.id = s.workspace_id LEFT
  JOIN users u ON u.id = s.created_by
  WHERE s.status = $28 AND s.created_at < $29 AND w.organization_id = $30
  ORDER BY s.created_at, s.id LIMIT $31 + 0) states
  UNION ALL SELECT *
  FROM (SELECT CAST($32 AS BIGINT), n.id, n.name, '', count(*), -max(d.updated_at)
  FROM deliveries d
  JOIN notifications n ON n.id = d.notification_id
  WHERE d.status = 'parked' AND d.updated_at >= $33 AND n.organization_id = $34 AND (n.workspace_id IS NOT NULL OR n.project_id IS NOT NULL OR n.team_id IS NOT NULL) GROUP BY n.id, n.name
  ORDER BY max(d.updated_at) DESC, n.id LIMIT $35 + 0) failed
  ORDER BY part, place, name, id

# of few releases

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.engine_release = ANY($3) LIMIT 2001) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.engine_release = ANY($4)) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# of many releases

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.engine_release = ANY($3) LIMIT 2001) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.engine_release = ANY($4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.engine_release = ANY($2)

# not changed for long

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.latest_change_at < $3 LIMIT 2001) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.latest_change_at < $4) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT count(*)
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.latest_change_at < $2) SELECT *
  FROM s) f
  WHERE 1 = 1

# with open requests

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id IN (SELECT c.workspace_id
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)) LIMIT 2001) d)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id IN (SELECT c.workspace_id
  FROM change_requests c
  WHERE c.organization_id = $4 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0))) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

SELECT count(*)
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.id IN (SELECT c.workspace_id
  FROM change_requests c
  WHERE c.organization_id = $2 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0))) SELECT *
  FROM s) f
  WHERE 1 = 1

# locked, with a tag, by a part of the name

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3)) AND m.lock_holder_id > '' LIMIT 2001) d)

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4)) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1 AND LOWER(f.name) LIKE $5 ESCAPE '\' AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $6 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 0
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

SELECT 'users', id, username, ''
  FROM users
  WHERE id = ANY($1)

# readers of a state

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.id IN (SELECT c.consumer_id
  FROM remote_state_consumers c
  WHERE c.workspace_id = $4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# for one who sees few workspaces

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name
  FROM workspaces m
  WHERE m.id = ANY($3)) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# for one who sees a project, with a tag

SELECT CAST($1 AS TEXT), COALESCE((SELECT t.id
  FROM tags t
  WHERE t.organization_id = $2 AND t.name = $3 AND NOT t.doomed), ''), COALESCE((SELECT t.instance_count
  FROM tags t
  WHERE t.organization_id = $4 AND t.name = $5 AND NOT t.doomed), 0), (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $6 AND b.key = $7 LIMIT 2001) c), (SELECT count(*)
  FROM (SELECT 1
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $8 AND b.key = $9 LIMIT 2001) c)

SELECT CAST(COALESCE(SUM((projects.workspace_count + COALESCE((SELECT CAST(sum(c.workspaces) AS BIGINT)
  FROM project_counts c
  WHERE c.project_id = projects.id), 0))), 0) AS BIGINT)
  FROM projects
  WHERE id = ANY($1)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.project_id = ANY($3)) SELECT *
  FROM s) f
  WHERE 1 = 1 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 0
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id

# groups of what is locked

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3)) AND m.lock_holder_id > '' LIMIT 2001) d)

SELECT w.current_run_status, w.project_id, count(*)
  FROM (SELECT f.id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.id = ANY(ARRAY(SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $2)) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1 LIMIT $3 + 0) found
  JOIN workspaces w ON w.id = found.id GROUP BY 1, 2
  UNION ALL SELECT current_run_status, '', count(*)
  FROM workspaces
  WHERE organization_id = $4 GROUP BY current_run_status

# projects with a tag

SELECT p.id, p.organization_id, p.name, p.description, p.auto_destroy_activity_duration, p.owns_execution, p.default_execution_mode, p.default_agent_pool_id, p.created_at, (p.workspace_count + COALESCE((SELECT CAST(sum(c.workspaces) AS BIGINT)
  FROM project_counts c
  WHERE c.project_id = p.id), 0)), (SELECT count(*)
  FROM team_projects c
  WHERE c.project_id = p.id), o.id, o.name, o.default_execution_mode, o.default_agent_pool_id, o.default_project_id, o.access_generation, o.user_tokens_enabled
  FROM projects p
  JOIN organizations o ON o.id = p.organization_id
  WHERE p.organization_id = $1 AND p.id IN (SELECT b.project_id
  FROM project_tag_bindings b
  WHERE b.organization_id = $2 AND b.key = $3 AND b.value = $4)
  ORDER BY p.name LIMIT 20

# what is in a project

SELECT w.current_run_status, w.project_id, count(*)
  FROM workspaces w
  WHERE w.project_id = ANY($1) AND w.current_run_status = ANY($2) GROUP BY w.project_id, w.current_run_status

SELECT '', w.project_id, count(*), CAST(sum(w.resource_count) AS BIGINT)
  FROM workspaces w
  WHERE w.project_id = ANY($1) GROUP BY w.project_id

# explorer type=workspaces

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  JOIN (SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = f.id
  ORDER BY f.name, f.id

# explorer type=workspaces&sort=-resource_count

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1
  ORDER BY f.resource_count DESC, f.id LIMIT $2 + 0

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.id = ANY($2)

# explorer type=workspaces&filter[0][workspace_terraform_version][is][0]=1.1.9&filter[0][workspace_terraform_version][is][1]=1.2.0

SELECT f.id
  FROM (SELECT *
  FROM (SELECT f.id, f.name
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.engine_release = $2
  ORDER BY f.name, f.id LIMIT $3 + 0) d
  UNION ALL SELECT *
  FROM (SELECT f.id, f.name
  FROM workspaces f
  WHERE f.organization_id = $4 AND f.engine_release = $5
  ORDER BY f.name, f.id LIMIT $6 + 0) d) f
  ORDER BY f.name, f.id LIMIT $7 + 0

# explorer type=workspaces&filter[0][workspace_name][contains][0]=w47

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND ((LOWER(f.name) LIKE $2 ESCAPE '\'))
  ORDER BY f.name, f.id LIMIT $3 + 0

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.id = ANY($2)

# explorer type=workspaces&filter[0][workspace_name][contains][0]=w4711

SELECT f.id
  FROM (SELECT n.workspace_id AS id
  FROM workspace_names n
  WHERE workspace_grams(n.organization_id, n.name) @> CAST($1 AS TEXT[])) d CROSS
  JOIN workspaces f
  WHERE f.id = d.id AND f.organization_id = $2 AND ((LOWER(f.name) LIKE $3 ESCAPE '\'))
  ORDER BY f.name, f.id LIMIT $4 + 0

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.id = ANY($2)

# explorer type=workspaces&filter[0][tags][contains][0]=rare

SELECT t.id, t.instance_count
  FROM tags t
  WHERE t.organization_id = $1 AND NOT t.doomed AND (LOWER(t.name) LIKE $2 ESCAPE '\')

WITH RECURSIVE keys(key) AS ( SELECT (SELECT min(b.key)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1)
  UNION ALL SELECT (SELECT min(b.key)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $2 AND b.key > keys.key)
  FROM keys
  WHERE keys.key IS NOT NULL ), pairs(key, value) AS ( SELECT keys.key, (SELECT min(b.value)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $3 AND b.key = keys.key)
  FROM keys
  WHERE keys.key IS NOT NULL
  UNION ALL SELECT pairs.key, (SELECT min(b.value)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $4 AND b.key = pairs.key AND b.value > pairs.value)
  FROM pairs
  WHERE pairs.value IS NOT NULL ) SELECT b.key, b.value, (LOWER(b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END) LIKE $5 ESCAPE '\')
  FROM pairs b
  WHERE b.value IS NOT NULL LIMIT $6 + 0

SELECT count(*)
  FROM project_tag_bindings b
  WHERE b.organization_id = $1 AND (LOWER(b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END) LIKE $2 ESCAPE '\')

SELECT f.id
  FROM (SELECT g.workspace_name AS name, g.workspace_id AS id
  FROM workspace_tags g
  WHERE g.tag_id = $1) f
  WHERE TRUE
  ORDER BY f.name, f.id LIMIT $2 + 0

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.id = ANY($2)

# explorer type=workspaces&filter[0][tags][contains][0]=env:prod&sort=workspace_name

SELECT t.id, t.instance_count
  FROM tags t
  WHERE t.organization_id = $1 AND NOT t.doomed AND (LOWER(t.name) LIKE $2 ESCAPE '\')

WITH RECURSIVE keys(key) AS ( SELECT (SELECT min(b.key)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1)
  UNION ALL SELECT (SELECT min(b.key)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $2 AND b.key > keys.key)
  FROM keys
  WHERE keys.key IS NOT NULL ), pairs(key, value) AS ( SELECT keys.key, (SELECT min(b.value)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $3 AND b.key = keys.key)
  FROM keys
  WHERE keys.key IS NOT NULL
  UNION ALL SELECT pairs.key, (SELECT min(b.value)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $4 AND b.key = pairs.key AND b.value > pairs.value)
  FROM pairs
  WHERE pairs.value IS NOT NULL ) SELECT b.key, b.value, (LOWER(b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END) LIKE $5 ESCAPE '\')
  FROM pairs b
  WHERE b.value IS NOT NULL LIMIT $6 + 0

SELECT count(*)
  FROM (SELECT b.workspace_name AS name, b.workspace_id AS id
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1 AND b.key = $2 AND b.value = $3 LIMIT 2001) x

SELECT count(*)
  FROM project_tag_bindings b
  WHERE b.organization_id = $1 AND (LOWER(b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END) LIKE $2 ESCAPE '\')

SELECT f.id
  FROM (SELECT b.workspace_name AS name, b.workspace_id AS id
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1 AND b.key = $2 AND b.value = $3) f
  WHERE TRUE
  ORDER BY f.name, f.id LIMIT $4 + 0

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.id = ANY($2)

# explorer type=workspaces&filter[0][tags][does_not_contain][0]=common

SELECT t.id, t.instance_count
  FROM tags t
  WHERE t.organization_id = $1 AND NOT t.doomed AND (LOWER(t.name) LIKE $2 ESCAPE '\')

WITH RECURSIVE keys(key) AS ( SELECT (SELECT min(b.key)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1)
  UNION ALL SELECT (SELECT min(b.key)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $2 AND b.key > keys.key)
  FROM keys
  WHERE keys.key IS NOT NULL ), pairs(key, value) AS ( SELECT keys.key, (SELECT min(b.value)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $3 AND b.key = keys.key)
  FROM keys
  WHERE keys.key IS NOT NULL
  UNION ALL SELECT pairs.key, (SELECT min(b.value)
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $4 AND b.key = pairs.key AND b.value > pairs.value)
  FROM pairs
  WHERE pairs.value IS NOT NULL ) SELECT b.key, b.value, (LOWER(b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END) LIKE $5 ESCAPE '\')
  FROM pairs b
  WHERE b.value IS NOT NULL LIMIT $6 + 0

SELECT count(*)
  FROM project_tag_bindings b
  WHERE b.organization_id = $1 AND (LOWER(b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END) LIKE $2 ESCAPE '\')

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND (NOT (COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.workspace_id = f.id AND g.tag_id = $2 LIMIT 1), 0) <> 0))
  ORDER BY f.name, f.id LIMIT $3 + 0

SELECT count(*)
  FROM (SELECT g.workspace_name AS name, g.workspace_id AS id
  FROM workspace_tags g
  WHERE g.tag_id = $1) f
  WHERE TRUE

SELECT f.id, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.checks_failed + x.checks_errored + x.checks_unknown = 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_errored
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_failed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_passed
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.checks_unknown
  FROM assessments x
  WHERE x.id = f.assessment_id) END, f.resource_count, CAST(NULL AS BIGINT), f.current_run_id, f.current_run_status, (CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1), f.id, f.module_count, CASE WHEN f.module_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'modules'), '') END, (SELECT x.name
  FROM organizations x
  WHERE x.id = f.organization_id), f.project_id, (SELECT x.name
  FROM projects x
  WHERE x.id = f.project_id), f.provider_count, CASE WHEN f.provider_count = 0 THEN '' ELSE COALESCE((SELECT string_agg(m.source, ', '
  ORDER BY m.source)
  FROM workspace_uses m
  WHERE m.workspace_id = f.id AND m.kind = 'providers'), '') END, f.resource_count, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_drifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, CASE WHEN f.assessment_id <> '' THEN (SELECT x.resources_undrifted
  FROM assessments x
  WHERE x.id = f.assessment_id) END, '', f.state_engine_version, SUBSTR(CASE WHEN EXISTS (SELECT 1
  FROM tags d
  WHERE d.organization_id = f.organization_id AND d.doomed) THEN COALESCE((SELECT string_agg(', ' || t.name, ''
  ORDER BY t.name)
  FROM workspace_tags g
  JOIN tags t ON t.id = g.tag_id
  WHERE g.workspace_id = f.id AND NOT t.doomed), '') WHEN LENGTH(f.tag_names) < 5 THEN '' ELSE ', ' || REPLACE(SUBSTR(f.tag_names, 3, LENGTH(f.tag_names) - 4), '","', ', ') END || COALESCE((SELECT string_agg(', ' || x.word, ''
  ORDER BY x.word)
  FROM ( SELECT b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END AS word
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id
  UNION ALL SELECT p.key || CASE WHEN p.value = '' THEN '' ELSE ':' || p.value END
  FROM project_tag_bindings p
  WHERE p.project_id = f.project_id AND NOT EXISTS (SELECT 1
  FROM workspace_tag_bindings b
  WHERE b.workspace_id = f.id AND b.key = p.key) ) x), ''), 3), (CASE WHEN f.vcs_repo = '' OR f.vcs_token_id <> '' AND NOT EXISTS (SELECT 1
  FROM oauth_tokens x
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(CAST(f.vcs_repo AS JSON) ->> 'identifier', '') COLLATE "C" END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.id = ANY($2)

# explorer type=workspaces&filter[0][providers][contains][0]=aws

SELECT u.source, u.workspace_count
  FROM used_sources u
  WHERE u.organization_id = $1 AND u.kind = $2 AND (LOWER(u.source) LIKE $3 ESCAPE '\')

SELECT f.id
  FROM (SELECT w.name AS name, w.id AS id
  FROM workspaces w
  WHERE FALSE) f
  WHERE TRUE
  ORDER BY f.name, f.id LIMIT $1 + 0

# explorer type=workspaces&filter[0][resource_count][gt][0]=3&filter[1][project_name][contains][0]=few

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND (f.resource_count > $2) AND (f.project_id IN (SELECT x.id
  FROM projects x
  WHERE x.organization_id = $3 AND (LOWER(x.name) LIKE $4 ESCAPE '\')))
  ORDER BY f.name, f.id LIMIT $5 + 0

# explorer type=workspaces&filter[0][drifted][is][0]=true

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND ((CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1) = $2)
  ORDER BY f.name, f.id LIMIT $3 + 0

# explorer type=tf_versions

SELECT f.version
  FROM (SELECT w.organization_id, w.engine_release AS version, count(*) AS workspace_count
  FROM workspaces w
  WHERE w.engine_release <> '' AND w.organization_id = $1 GROUP BY w.organization_id, w.engine_release) f
  WHERE TRUE
  ORDER BY f.version LIMIT $2 + 0

SELECT f.version, f.version, f.version, f.workspace_count, (SELECT string_agg(w.name, ', '
  ORDER BY w.name)
  FROM workspaces w
  WHERE w.organization_id = f.organization_id AND w.engine_release = f.version)
  FROM (SELECT w.organization_id, w.engine_release AS version, count(*) AS workspace_count
  FROM workspaces w
  WHERE w.engine_release <> '' AND w.organization_id = $1 AND w.engine_release = ANY($2) GROUP BY w.organization_id, w.engine_release) f
  WHERE TRUE

# explorer type=providers&filter[0][name][contains][0]=aws

SELECT f.source
  FROM used_sources f
  WHERE f.kind = 'providers' AND f.organization_id = $1 AND ((LOWER(f.name) LIKE $2 ESCAPE '\'))
  ORDER BY f.source LIMIT $3 + 0

# explorer type=modules&sort=-workspace_count

SELECT f.source
  FROM used_sources f
  WHERE f.kind = 'modules' AND f.organization_id = $1
  ORDER BY f.workspace_count DESC, f.source LIMIT $2 + 0

# explorer type=resources&filter[0][type][is][0]=aws_instance

SELECT f.id
  FROM state_resources f
  WHERE f.organization_id = $1 AND EXISTS (SELECT 1
  FROM workspaces w
  WHERE w.id = f.workspace_id AND w.organization_id = f.organization_id) AND (f.type = $2)
  ORDER BY f.address, f.id LIMIT $3 + 0

