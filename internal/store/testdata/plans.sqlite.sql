# all

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

# all, a later page

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.name, f.id LIMIT 20 OFFSET $4) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

# by name, the last first

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.name DESC, f.id DESC LIMIT 20) page ON page.id = w.id
  ORDER BY w.name DESC, w.id DESC
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# by latest change

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY f.latest_change_at DESC, f.id DESC LIMIT 20) page ON page.id = w.id
  ORDER BY w.latest_change_at DESC, w.id DESC
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_latest_change (organization_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# by current run

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3
  ORDER BY (f.current_run_at = 0), f.current_run_at DESC, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY (w.current_run_at = 0), w.current_run_at DESC, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_run_at (organization_id=?)
--   USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

# a part of a name that few have

SELECT CAST($1 AS BIGINT) + 6 * (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_grams g
  WHERE g.organization_id = $2 AND g.gram = $3 LIMIT $4 + 0) d)
  UNION ALL SELECT CAST($5 AS BIGINT) + 6 * (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_grams g
  WHERE g.organization_id = $6 AND g.gram = $7 LIMIT $8 + 0) d)
  UNION ALL SELECT CAST($9 AS BIGINT) + 6 * (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_grams g
  WHERE g.organization_id = $10 AND g.gram = $11 LIMIT $12 + 0) d)
  UNION ALL SELECT CAST($13 AS BIGINT) * (SELECT count(*)
  FROM (SELECT 1
  FROM unread_names u
  WHERE u.organization_id = $14 LIMIT $15 + 0) d)
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH g USING PRIMARY KEY (organization_id=? AND gram=?)
--   SCAN d
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH g USING PRIMARY KEY (organization_id=? AND gram=?)
--   SCAN d
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH g USING PRIMARY KEY (organization_id=? AND gram=?)
--   SCAN d
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH u USING PRIMARY KEY (organization_id=?)
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.id IN (SELECT g.workspace_id AS id
  FROM workspace_grams g
  WHERE g.organization_id = $3 AND g.gram = $4 AND EXISTS (SELECT 1
  FROM workspace_grams h
  WHERE h.organization_id = g.organization_id AND h.gram = $5 AND h.workspace_id = g.workspace_id) AND EXISTS (SELECT 1
  FROM workspace_grams h
  WHERE h.organization_id = g.organization_id AND h.gram = $6 AND h.workspace_id = g.workspace_id)
  UNION SELECT u.workspace_id
  FROM unread_names u
  WHERE u.organization_id = $7)) SELECT *
  FROM s) f
  WHERE 1 = 1 AND f.name LIKE ($8 || '') ESCAPE '\'
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   MERGE (UNION)
--   LEFT
--   SEARCH g USING PRIMARY KEY (organization_id=? AND gram=?)
--   SEARCH h EXISTS USING PRIMARY KEY (organization_id=? AND gram=? AND workspace_id=?)
--   SEARCH h EXISTS USING PRIMARY KEY (organization_id=? AND gram=? AND workspace_id=?)
--   RIGHT
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT generation, (SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = organizations.id)
  FROM organizations
  WHERE id = $1
--   SEARCH organizations USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH c USING INDEX sqlite_autoindex_organization_counts_1 (organization_id=?)

# a part of a name that many have

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.name LIKE ($4 || '') ESCAPE '\'
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.name LIKE ($2 || '') ESCAPE '\'
--   SEARCH f USING COVERING INDEX workspaces_unique_name (organization_id=?)

SELECT generation, (SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = organizations.id)
  FROM organizations
  WHERE id = $1
--   SEARCH organizations USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH c USING INDEX sqlite_autoindex_organization_counts_1 (organization_id=?)

# a pattern of a name

SELECT CAST($1 AS BIGINT) + 6 * (SELECT count(*)
  FROM (SELECT 1
  FROM workspace_grams g
  WHERE g.organization_id = $2 AND g.gram = $3 LIMIT $4 + 0) d)
  UNION ALL SELECT CAST($5 AS BIGINT) * (SELECT count(*)
  FROM (SELECT 1
  FROM unread_names u
  WHERE u.organization_id = $6 LIMIT $7 + 0) d)
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH g USING PRIMARY KEY (organization_id=? AND gram=?)
--   SCAN d
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH u USING PRIMARY KEY (organization_id=?)
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.name LIKE ($4 || '') ESCAPE '\'
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT generation, (SELECT sum(c.workspaces) || ' ' || sum(c.generation) || ' ' || sum(c.facts_generation) || ' ' || string_agg(c.slot || '=' || c.generation, ',')
  FROM organization_counts c
  WHERE c.organization_id = organizations.id)
  FROM organizations
  WHERE id = $1
--   SEARCH organizations USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH c USING INDEX sqlite_autoindex_organization_counts_1 (organization_id=?)

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 0
  ORDER BY f.latest_change_at, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.latest_change_at, w.id
--   CO-ROUTINE page
--   SEARCH f USING INDEX workspaces_latest_change (organization_id=?)
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

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
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 0
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

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
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tags d
  WHERE 1 = 1 AND d.tag_id = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 1
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT $1 - count(*)
  FROM (SELECT g.workspace_id
  FROM workspace_tags g
  WHERE g.tag_id = $2) d
  WHERE COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.workspace_id = d.workspace_id AND g.tag_id = $3), 0) <> 0
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=? AND tag_id=?)

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $3 AND d.key = $4
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=? AND key=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT count(*)
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $1 AND d.key = $2
--   SEARCH d USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $3 AND d.key = $4 AND d.value = $5
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT count(*)
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $1 AND d.key = $2 AND d.value = $3
--   SEARCH d USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

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
--   CO-ROUTINE page
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SEARCH h USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT count(*)
  FROM (SELECT m.id AS workspace_id
  FROM project_tag_bindings b
  JOIN workspaces m ON m.project_id = b.project_id
  WHERE b.organization_id = $1 AND b.key = $2 AND b.value = $3 AND (SELECT 1
  FROM workspace_tag_bindings h
  WHERE h.workspace_id = m.id AND h.key = b.key) IS NULL) d CROSS
  JOIN workspaces f
  WHERE f.id = d.workspace_id
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH h USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   SEARCH f USING COVERING INDEX sqlite_autoindex_workspaces_1 (id=?)

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
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c
--   UNION ALL
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT d.workspace_id AS id
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $3 AND d.key = $4 AND d.value = $5 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $6 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 0
  ORDER BY d.workspace_name, d.workspace_id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH d USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT count(*)
  FROM workspace_tag_bindings d
  WHERE 1 = 1 AND d.organization_id = $1 AND d.key = $2 AND d.value = $3 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = d.workspace_name AND g.workspace_id = d.workspace_id), 0) <> 0
--   SEARCH d USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)

# in a project

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.project_id IN (SELECT value
  FROM json_each($4))
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_explorer (organization_id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.project_id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING COVERING INDEX workspaces_explorer (organization_id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER

# by run status

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.current_run_status IN (SELECT value
  FROM json_each($4))
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING INDEX workspaces_unique_name (organization_id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# locked

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3) AND m.lock_holder_id > '' LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT count(*)
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $2) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN s

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE e
--   CO-ROUTINE d
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN d
--   SCAN e
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING COVERING INDEX workspaces_run_at (organization_id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   CREATE BLOOM FILTER
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.id NOT IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   CREATE BLOOM FILTER
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# locked by somebody

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3 AND l.holder_id = $4) AND m.lock_holder_id = $5 LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id=?)
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4 AND l.holder_id = $5) AND m.lock_holder_id = $6) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id=?)
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

# what waits

SELECT CAST(0 AS BIGINT) AS part, mark AS id, '' AS name, '' AS by_whom, CAST(0 AS BIGINT) AS n, CAST(0 AS BIGINT) AS place
  FROM put_off
  WHERE user_id = $1 AND organization_id = $2 AND until > $3
  UNION ALL SELECT *
  FROM (SELECT CAST($4 AS BIGINT), r.id, w.name, r.workspace_id, CAST(0 AS BIGINT), r.created_at
  FROM (SELECT runs.id, runs.workspace_id, runs.created_at
  FROM runs
  WHERE runs.organization_id = $5 AND runs.workspace_id NOT IN (SELECT workspace_id
  FROM recoverable_items) AND runs.operation <> 'assessment' AND runs.unfinished AND (runs.status IN (SELECT value
  FROM json_each($6)))
  ORDER BY runs.created_at DESC, runs.id DESC LIMIT 20) r
  JOIN workspaces w ON w.id = r.workspace_id
  WHERE w.organization_id = $7 AND (w.lock_holder_id = '' OR w.lock_holder_id = r.id)
  ORDER BY r.created_at, r.id LIMIT $8 + 0) plans
  UNION ALL SELECT *
  FROM (SELECT CAST($9 AS BIGINT), r.id, w.name, r.workspace_id, CAST(0 AS BIGINT), -r.created_at
  FROM (SELECT runs.id, runs.workspace_id, runs.created_at
  FROM runs
  WHERE runs.organization_id = $10 AND runs.workspace_id NOT IN (SELECT workspace_id
  FROM recoverable_items) AND runs.operation <> 'assessment' AND (runs.status IN (SELECT value
  FROM json_each($11))) AND runs.created_at >= $12
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
--   MERGE (UNION ALL)
--   LEFT
--   MERGE (UNION ALL)
--   LEFT
--   MERGE (UNION ALL)
--   LEFT
--   SEARCH put_off USING INDEX sqlite_autoindex_put_off_1 (user_id=? AND organization_id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   CO-ROUTINE plans
--   CO-ROUTINE r
--   SEARCH runs USING INDEX runs_unfinished (organization_id=?)
--   USING INDEX recoverable_items_workspace FOR IN-OPERATOR
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
--   SCAN r
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN plans
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   MERGE (UNION ALL)
--   LEFT
--   CO-ROUTINE r
--   SEARCH runs USING INDEX runs_organization (organization_id=? AND created_at>?)
--   USING INDEX recoverable_items_workspace FOR IN-OPERATOR
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
--   SCAN r
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   CO-ROUTINE own
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id=?)
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN own
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   MERGE (UNION ALL)
--   LEFT
--   MERGE (UNION ALL)
--   LEFT
--   CO-ROUTINE others
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN others
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   CO-ROUTINE requests
--   SEARCH c USING INDEX change_requests_backlog (organization_id=? AND <expr>=?)
--   SEARCH b USING INDEX sqlite_autoindex_bulk_actions_1 (id=?)
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN requests
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   MERGE (UNION ALL)
--   LEFT
--   CO-ROUTINE states
--   SEARCH s USING INDEX state_versions_age (status=? AND created_at<?)
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   SEARCH u USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN
--   SCAN states
--   USE TEMP B-TREE FOR ORDER BY
--   RIGHT
--   CO-ROUTINE failed
--   SEARCH n USING INDEX notifications_organization (organization_id=?)
--   SEARCH d USING INDEX deliveries_list (notification_id=?)
--   USE TEMP B-TREE FOR GROUP BY
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN failed
--   USE TEMP B-TREE FOR ORDER BY

# of few releases

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.engine_release IN (SELECT value
  FROM json_each($3)) LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.engine_release IN (SELECT value
  FROM json_each($4))) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# of many releases

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.engine_release IN (SELECT value
  FROM json_each($3)) LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND +f.engine_release IN (SELECT value
  FROM json_each($4))
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_explorer (organization_id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1 AND f.engine_release IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

# not changed for long

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.latest_change_at < $3 LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING COVERING INDEX workspaces_latest_change (organization_id=? AND latest_change_at<?)
--   SCAN d

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.latest_change_at < $4) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX workspaces_latest_change (organization_id=? AND latest_change_at<?)
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT count(*)
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.latest_change_at < $2) SELECT *
  FROM s) f
  WHERE 1 = 1
--   MATERIALIZE s
--   SEARCH m USING INDEX workspaces_latest_change (organization_id=? AND latest_change_at<?)
--   SCAN s

# with open requests

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id IN (SELECT c.workspace_id
  FROM change_requests c
  WHERE c.organization_id = $3 AND c.archived_at = 0 AND c.action_id NOT IN (SELECT u.id
  FROM bulk_actions u
  WHERE u.unfinished_until > 0)) LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH c USING COVERING INDEX change_requests_open (organization_id=?)
--   LIST SUBQUERY
--   SEARCH u USING COVERING INDEX bulk_actions_unfinished (unfinished_until>?)
--   CREATE BLOOM FILTER
--   SCAN d

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
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

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
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH c USING COVERING INDEX change_requests_open (organization_id=?)
--   LIST SUBQUERY
--   SEARCH u USING COVERING INDEX bulk_actions_unfinished (unfinished_until>?)
--   CREATE BLOOM FILTER
--   SCAN s

# locked, with a tag, by a part of the name

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3) AND m.lock_holder_id > '' LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN d

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $3 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $4) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1 AND f.name LIKE ($5 || '') ESCAPE '\' AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $6 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 0
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN s
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

SELECT 'users', id, username, ''
  FROM users
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH users USING INDEX sqlite_autoindex_users_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

# readers of a state

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM workspaces f
  WHERE f.organization_id = $3 AND f.id IN (SELECT c.consumer_id
  FROM remote_state_consumers c
  WHERE c.workspace_id = $4)
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# for one who sees few workspaces

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name
  FROM workspaces m
  WHERE m.id IN (SELECT value
  FROM json_each($3))) SELECT *
  FROM s) f
  WHERE 1 = 1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN s
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

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
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   SEARCH t USING INDEX tags_name (organization_id=? AND name=?)
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   SCAN c
--   SCALAR SUBQUERY
--   CO-ROUTINE c
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=?)
--   SEARCH m USING COVERING INDEX workspaces_project (project_id=?)
--   SCAN c

SELECT CAST(COALESCE(SUM((projects.workspace_count + COALESCE((SELECT CAST(sum(c.workspaces) AS BIGINT)
  FROM project_counts c
  WHERE c.project_id = projects.id), 0))), 0) AS BIGINT)
  FROM projects
  WHERE id IN (SELECT value
  FROM json_each($1))
--   SEARCH projects USING INDEX sqlite_autoindex_projects_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH c USING INDEX sqlite_autoindex_project_counts_1 (project_id=?)

SELECT whole workspaces w
  JOIN (SELECT f.id AS id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.project_id IN (SELECT value
  FROM json_each($3))) SELECT *
  FROM s) f
  WHERE 1 = 1 AND COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.tag_id = $4 AND g.workspace_name = f.name AND g.workspace_id = f.id), 0) <> 0
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = w.id
  ORDER BY w.name, w.id
--   CO-ROUTINE page
--   MATERIALIZE s
--   SEARCH m USING INDEX workspaces_project (project_id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN s
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=? AND workspace_name=? AND workspace_id=?)
--   USE TEMP B-TREE FOR ORDER BY
--   SCAN page
--   SCALAR SUBQUERY
--   LIST SUBQUERY
--   CREATE BLOOM FILTER
--   SCALAR SUBQUERY
--   USE TEMP B-TREE FOR ORDER BY

# groups of what is locked

SELECT CAST($1 AS BIGINT), (SELECT count(*)
  FROM (SELECT 1
  FROM workspaces m
  WHERE m.organization_id = $2 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $3) AND m.lock_holder_id > '' LIMIT 2001) d)
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   CO-ROUTINE d
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN d

SELECT w.current_run_status, w.project_id, count(*)
  FROM (SELECT f.id
  FROM (WITH s AS MATERIALIZED (SELECT m.id, m.name, m.project_id, m.latest_change_at, m.current_run_at, m.current_run_status, m.lock_holder_id, m.locked_at, m.engine_release
  FROM workspaces m
  WHERE m.organization_id = $1 AND m.id IN (SELECT l.workspace_id
  FROM workspace_locks l
  WHERE l.organization_id = $2) AND m.lock_holder_id > '') SELECT *
  FROM s) f
  WHERE 1 = 1 LIMIT $3 + 0) found
  JOIN workspaces w ON w.id = found.id GROUP BY 1, 2
  UNION ALL SELECT current_run_status, '', count(*)
  FROM workspaces
  WHERE organization_id = $4 GROUP BY current_run_status
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   CO-ROUTINE found
--   MATERIALIZE s
--   SEARCH m USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SEARCH workspaces USING INDEX workspaces_locked (organization_id=? AND lock_last_id>?)
--   SCAN s
--   SCAN found
--   SEARCH w USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR GROUP BY
--   UNION ALL
--   SEARCH workspaces USING COVERING INDEX workspaces_run_status (organization_id=?)

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
--   SEARCH o USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   SEARCH p USING INDEX projects_name (organization_id=?)
--   LIST SUBQUERY
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   CREATE BLOOM FILTER
--   CORRELATED SCALAR SUBQUERY
--   SEARCH c USING INDEX sqlite_autoindex_project_counts_1 (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH c USING COVERING INDEX team_projects_project (project_id=?)

# what is in a project

SELECT w.current_run_status, w.project_id, count(*)
  FROM workspaces w
  WHERE w.project_id IN (SELECT value
  FROM json_each($1)) AND w.current_run_status IN (SELECT value
  FROM json_each($2)) GROUP BY w.project_id, w.current_run_status
--   SEARCH w USING COVERING INDEX workspaces_project_runs (project_id=? AND current_run_status=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

SELECT '', w.project_id, count(*), CAST(sum(w.resource_count) AS BIGINT)
  FROM workspaces w
  WHERE w.project_id IN (SELECT value
  FROM json_each($1)) GROUP BY w.project_id
--   SEARCH w USING COVERING INDEX workspaces_project_runs (project_id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  JOIN (SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1
  ORDER BY f.name, f.id LIMIT 20) page ON page.id = f.id
  ORDER BY f.name, f.id
--   CO-ROUTINE page
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   SCAN page
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY

# explorer type=workspaces&sort=-resource_count

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1
  ORDER BY f.resource_count DESC, f.id LIMIT $2 + 0
--   SEARCH f USING COVERING INDEX workspaces_explorer (organization_id=?)
--   USE TEMP B-TREE FOR ORDER BY

SELECT count(*)
  FROM workspaces f
  WHERE f.organization_id = $1
--   SEARCH f USING COVERING INDEX workspaces_run_at (organization_id=?)

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE +f.organization_id = $1 AND f.id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)

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
--   CO-ROUTINE f
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   CO-ROUTINE d
--   SEARCH f USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   SCAN d
--   UNION ALL
--   CO-ROUTINE d
--   SEARCH f USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   SCAN d
--   SCAN f
--   USE TEMP B-TREE FOR ORDER BY

# explorer type=workspaces&filter[0][workspace_name][contains][0]=w47

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND ((f.name LIKE ($2 || '') ESCAPE '\'))
  ORDER BY f.name, f.id LIMIT $3 + 0
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE +f.organization_id = $1 AND f.id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)

# explorer type=workspaces&filter[0][workspace_name][contains][0]=w4711

SELECT f.id
  FROM (SELECT g.workspace_id AS id
  FROM workspace_grams g
  WHERE g.organization_id = $1 AND g.gram = $2 AND EXISTS (SELECT 1
  FROM workspace_grams h
  WHERE h.organization_id = g.organization_id AND h.gram = $3 AND h.workspace_id = g.workspace_id) AND EXISTS (SELECT 1
  FROM workspace_grams h
  WHERE h.organization_id = g.organization_id AND h.gram = $4 AND h.workspace_id = g.workspace_id)
  UNION SELECT u.workspace_id
  FROM unread_names u
  WHERE u.organization_id = $5) d CROSS
  JOIN workspaces f
  WHERE f.id = d.id AND f.organization_id = $6 AND ((f.name LIKE ($7 || '') ESCAPE '\'))
  ORDER BY f.name, f.id LIMIT $8 + 0
--   CO-ROUTINE d
--   MERGE (UNION)
--   LEFT
--   SEARCH g USING PRIMARY KEY (organization_id=? AND gram=?)
--   SEARCH h EXISTS USING PRIMARY KEY (organization_id=? AND gram=? AND workspace_id=?)
--   SEARCH h EXISTS USING PRIMARY KEY (organization_id=? AND gram=? AND workspace_id=?)
--   RIGHT
--   SEARCH u USING PRIMARY KEY (organization_id=?)
--   SCAN d
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   USE TEMP B-TREE FOR ORDER BY

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE +f.organization_id = $1 AND f.id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)

# explorer type=workspaces&filter[0][tags][contains][0]=rare

SELECT t.id, t.instance_count
  FROM tags t
  WHERE t.organization_id = $1 AND NOT t.doomed AND (t.name LIKE ($2 || '') ESCAPE '\')
--   SEARCH t USING INDEX tags_name (organization_id=?)

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
  WHERE pairs.value IS NOT NULL ) SELECT b.key, b.value, (b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END LIKE ($5 || '') ESCAPE '\')
  FROM pairs b
  WHERE b.value IS NOT NULL LIMIT $6 + 0
--   CO-ROUTINE pairs
--   SETUP
--   CO-ROUTINE keys
--   SETUP
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=?)
--   RECURSIVE STEP
--   SCAN keys
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=? AND key>?)
--   SCAN keys
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   RECURSIVE STEP
--   SCAN pairs
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value>?)
--   SCAN b

SELECT count(*)
  FROM project_tag_bindings b
  WHERE b.organization_id = $1 AND (b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END LIKE ($2 || '') ESCAPE '\')
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=?)

SELECT f.id
  FROM (SELECT g.workspace_name AS name, g.workspace_id AS id
  FROM workspace_tags g
  WHERE g.tag_id = $1) f
  WHERE TRUE
  ORDER BY f.name, f.id LIMIT $2 + 0
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE +f.organization_id = $1 AND f.id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)

# explorer type=workspaces&filter[0][tags][contains][0]=env:prod&sort=workspace_name

SELECT t.id, t.instance_count
  FROM tags t
  WHERE t.organization_id = $1 AND NOT t.doomed AND (t.name LIKE ($2 || '') ESCAPE '\')
--   SEARCH t USING INDEX tags_name (organization_id=?)

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
  WHERE pairs.value IS NOT NULL ) SELECT b.key, b.value, (b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END LIKE ($5 || '') ESCAPE '\')
  FROM pairs b
  WHERE b.value IS NOT NULL LIMIT $6 + 0
--   CO-ROUTINE pairs
--   SETUP
--   CO-ROUTINE keys
--   SETUP
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=?)
--   RECURSIVE STEP
--   SCAN keys
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=? AND key>?)
--   SCAN keys
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   RECURSIVE STEP
--   SCAN pairs
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value>?)
--   SCAN b

SELECT count(*)
  FROM (SELECT b.workspace_name AS name, b.workspace_id AS id
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1 AND b.key = $2 AND b.value = $3 LIMIT 2001) x
--   CO-ROUTINE x
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)
--   SCAN x

SELECT count(*)
  FROM project_tag_bindings b
  WHERE b.organization_id = $1 AND (b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END LIKE ($2 || '') ESCAPE '\')
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=?)

SELECT f.id
  FROM (SELECT b.workspace_name AS name, b.workspace_id AS id
  FROM workspace_tag_bindings b
  WHERE b.organization_id = $1 AND b.key = $2 AND b.value = $3) f
  WHERE TRUE
  ORDER BY f.name, f.id LIMIT $4 + 0
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value=?)

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE +f.organization_id = $1 AND f.id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)

# explorer type=workspaces&filter[0][tags][does_not_contain][0]=common

SELECT t.id, t.instance_count
  FROM tags t
  WHERE t.organization_id = $1 AND NOT t.doomed AND (t.name LIKE ($2 || '') ESCAPE '\')
--   SEARCH t USING INDEX tags_name (organization_id=?)

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
  WHERE pairs.value IS NOT NULL ) SELECT b.key, b.value, (b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END LIKE ($5 || '') ESCAPE '\')
  FROM pairs b
  WHERE b.value IS NOT NULL LIMIT $6 + 0
--   CO-ROUTINE pairs
--   SETUP
--   CO-ROUTINE keys
--   SETUP
--   SCAN CONSTANT ROW
--   SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=?)
--   RECURSIVE STEP
--   SCAN keys
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_key (organization_id=? AND key>?)
--   SCAN keys
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=?)
--   RECURSIVE STEP
--   SCAN pairs
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_by_value (organization_id=? AND key=? AND value>?)
--   SCAN b

SELECT count(*)
  FROM project_tag_bindings b
  WHERE b.organization_id = $1 AND (b.key || CASE WHEN b.value = '' THEN '' ELSE ':' || b.value END LIKE ($2 || '') ESCAPE '\')
--   SEARCH b USING COVERING INDEX project_tag_bindings_by_value (organization_id=?)

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND (NOT (COALESCE((SELECT 1
  FROM workspace_tags g
  WHERE g.workspace_id = f.id AND g.tag_id = $2 LIMIT 1), 0) <> 0))
  ORDER BY f.name, f.id LIMIT $3 + 0
--   SEARCH f USING COVERING INDEX workspaces_name (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=? AND tag_id=?)

SELECT count(*)
  FROM (SELECT g.workspace_name AS name, g.workspace_id AS id
  FROM workspace_tags g
  WHERE g.tag_id = $1) f
  WHERE TRUE
--   SEARCH g USING COVERING INDEX sqlite_autoindex_workspace_tags_1 (tag_id=?)

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
  WHERE x.id = f.vcs_token_id) THEN '' ELSE COALESCE(json_extract(f.vcs_repo, '$.identifier'), '') END), f.created_at, f.name, f.engine_release, f.updated_at
  FROM workspaces f
  WHERE +f.organization_id = $1 AND f.id IN (SELECT value
  FROM json_each($2))
--   SEARCH f USING INDEX sqlite_autoindex_workspaces_1 (id=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_organizations_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_projects_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH m USING COVERING INDEX sqlite_autoindex_workspace_uses_1 (workspace_id=? AND kind=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH d USING INDEX tags_doomed (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH g USING COVERING INDEX workspace_tags_workspace (workspace_id=?)
--   SEARCH t USING INDEX sqlite_autoindex_tags_1 (id=?)
--   CORRELATED SCALAR SUBQUERY
--   CO-ROUTINE x
--   COMPOUND QUERY
--   LEFT-MOST SUBQUERY
--   SEARCH b USING INDEX workspace_tag_bindings_unique_key (workspace_id=?)
--   UNION ALL
--   SEARCH p USING INDEX project_tag_bindings_key (project_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH b USING COVERING INDEX workspace_tag_bindings_unique_key (workspace_id=? AND key=?)
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SCAN x
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING COVERING INDEX sqlite_autoindex_oauth_tokens_1 (id=?)

# explorer type=workspaces&filter[0][providers][contains][0]=aws

SELECT u.source, u.workspace_count
  FROM used_sources u
  WHERE u.organization_id = $1 AND u.kind = $2 AND (u.source LIKE ($3 || '') ESCAPE '\')
--   SEARCH u USING INDEX sqlite_autoindex_used_sources_1 (organization_id=? AND kind=?)

SELECT f.id
  FROM (SELECT w.name AS name, w.id AS id
  FROM workspaces w
  WHERE FALSE) f
  WHERE TRUE
  ORDER BY f.name, f.id LIMIT $1 + 0
--   SCAN w USING COVERING INDEX workspaces_project
--   USE TEMP B-TREE FOR ORDER BY

# explorer type=workspaces&filter[0][resource_count][gt][0]=3&filter[1][project_name][contains][0]=few

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND (f.resource_count > $2) AND (f.project_id IN (SELECT x.id
  FROM projects x
  WHERE x.organization_id = $3 AND (x.name LIKE ($4 || '') ESCAPE '\')))
  ORDER BY f.name, f.id LIMIT $5 + 0
--   SEARCH f USING COVERING INDEX workspaces_explorer (organization_id=?)
--   LIST SUBQUERY
--   SEARCH x USING INDEX projects_name (organization_id=?)
--   CREATE BLOOM FILTER

# explorer type=workspaces&filter[0][drifted][is][0]=true

SELECT f.id
  FROM workspaces f
  WHERE f.organization_id = $1 AND ((CASE WHEN f.assessment_id <> '' THEN (SELECT CASE WHEN x.succeeded AND x.resources_drifted > 0 THEN 1 ELSE 0 END
  FROM assessments x
  WHERE x.id = f.assessment_id) END = 1) = $2)
  ORDER BY f.name, f.id LIMIT $3 + 0
--   SEARCH f USING INDEX workspaces_unique_name (organization_id=?)
--   CORRELATED SCALAR SUBQUERY
--   SEARCH x USING INDEX sqlite_autoindex_assessments_1 (id=?)

# explorer type=tf_versions

SELECT f.version
  FROM (SELECT w.organization_id, w.engine_release AS version, count(*) AS workspace_count
  FROM workspaces w
  WHERE w.engine_release <> '' AND w.organization_id = $1 GROUP BY w.organization_id, w.engine_release) f
  WHERE TRUE
  ORDER BY f.version LIMIT $2 + 0
--   CO-ROUTINE f
--   SEARCH w USING COVERING INDEX workspaces_engine (organization_id=?)
--   SCAN f
--   USE TEMP B-TREE FOR ORDER BY

SELECT f.version, f.version, f.version, f.workspace_count, (SELECT string_agg(w.name, ', '
  ORDER BY w.name)
  FROM workspaces w
  WHERE w.organization_id = f.organization_id AND w.engine_release = f.version)
  FROM (SELECT w.organization_id, w.engine_release AS version, count(*) AS workspace_count
  FROM workspaces w
  WHERE w.engine_release <> '' AND w.organization_id = $1 AND w.engine_release IN (SELECT value
  FROM json_each($2)) GROUP BY w.organization_id, w.engine_release) f
  WHERE TRUE
--   CO-ROUTINE f
--   SEARCH w USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)
--   LIST SUBQUERY
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   SCAN f
--   CORRELATED SCALAR SUBQUERY
--   USE TEMP B-TREE FOR string_agg(ORDER BY)
--   SEARCH w USING COVERING INDEX workspaces_engine (organization_id=? AND engine_release=?)

# explorer type=providers&filter[0][name][contains][0]=aws

SELECT f.source
  FROM used_sources f
  WHERE f.kind = 'providers' AND f.organization_id = $1 AND ((f.name LIKE ($2 || '') ESCAPE '\'))
  ORDER BY f.source LIMIT $3 + 0
--   SEARCH f USING INDEX sqlite_autoindex_used_sources_1 (organization_id=? AND kind=?)

# explorer type=modules&sort=-workspace_count

SELECT f.source
  FROM used_sources f
  WHERE f.kind = 'modules' AND f.organization_id = $1
  ORDER BY f.workspace_count DESC, f.source LIMIT $2 + 0
--   SEARCH f USING INDEX sqlite_autoindex_used_sources_1 (organization_id=? AND kind=?)
--   USE TEMP B-TREE FOR ORDER BY

# explorer type=resources&filter[0][type][is][0]=aws_instance

SELECT f.id
  FROM state_resources f
  WHERE f.organization_id = $1 AND EXISTS (SELECT 1
  FROM workspaces w
  WHERE w.id = f.workspace_id AND w.organization_id = f.organization_id) AND (f.type = $2)
  ORDER BY f.address, f.id LIMIT $3 + 0
--   SEARCH f USING INDEX state_resources_type (organization_id=? AND type=?)
--   SEARCH w EXISTS USING INDEX sqlite_autoindex_workspaces_1 (id=?)

