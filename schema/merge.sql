-- Merge the attached run file `source` into this database, by content: merging twice, or in another order, gives the same.
-- Every statement is idempotent. The temporary tables map the ids of the source to ours.

INSERT INTO about
SELECT name, content FROM source.about WHERE name = 'target' EXCEPT SELECT name, content FROM about;

CREATE OR REPLACE TEMP TABLE map_classes AS
SELECT s.id AS old, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM classes) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY s.id)) AS new,
       m.id IS NULL AS fresh
FROM source.classes s LEFT JOIN classes m ON m.name = s.name;

UPDATE classes SET subject = TRUE
WHERE NOT subject AND id IN (SELECT p.new FROM map_classes p JOIN source.classes s ON s.id = p.old WHERE s.subject);

INSERT INTO classes BY NAME
SELECT p.new AS id, s.* EXCLUDE (id) FROM source.classes s JOIN map_classes p ON p.old = s.id WHERE p.fresh;

INSERT INTO conformances
SELECT DISTINCT a.new, b.new FROM source.conformances s JOIN map_classes a ON a.old = s.class_id JOIN map_classes b ON b.old = s.base_id
EXCEPT SELECT class_id, base_id FROM conformances;

CREATE OR REPLACE TEMP TABLE map_routines AS
SELECT s.id AS old, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM routines) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY s.id)) AS new,
       m.id IS NULL AS fresh
FROM source.routines s LEFT JOIN routines m ON m.name = s.name;

INSERT INTO routines BY NAME
SELECT p.new AS id, c.new AS class_id, s.* EXCLUDE (id, class_id)
FROM source.routines s JOIN map_routines p ON p.old = s.id LEFT JOIN map_classes c ON c.old = s.class_id WHERE p.fresh;

INSERT INTO parameters BY NAME
SELECT p.new AS routine_id, s.* EXCLUDE (routine_id) FROM source.parameters s JOIN map_routines p ON p.old = s.routine_id WHERE p.fresh;

UPDATE routines SET helper = FALSE
WHERE helper AND id IN (SELECT p.new FROM map_routines p JOIN source.routines s ON s.id = p.old WHERE NOT s.helper);

UPDATE parameters SET learned = list_sort(list_distinct(list_concat(coalesce(parameters.learned, []), s.learned)))
FROM source.parameters s JOIN map_routines p ON p.old = s.routine_id
WHERE parameters.routine_id = p.new AND parameters.slot = s.slot AND s.learned IS NOT NULL;

INSERT INTO clauses BY NAME
SELECT (SELECT coalesce(max(id), 0) FROM clauses) + row_number() OVER (ORDER BY s.id) AS id, p.new AS routine_id,
       s.* EXCLUDE (id, routine_id, witness), NULL AS witness
FROM source.clauses s JOIN map_routines p ON p.old = s.routine_id
WHERE s.status = 'written'
  AND NOT EXISTS (SELECT 1 FROM clauses c WHERE c.routine_id = p.new AND c.kind = s.kind AND c.text = s.text);

CREATE OR REPLACE TEMP TABLE map_snapshots AS
SELECT s.id AS old, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM snapshots) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY s.id)) AS new,
       m.id IS NULL AS fresh
FROM source.snapshots s LEFT JOIN snapshots m ON m.digest = s.digest;

CREATE OR REPLACE TEMP TABLE map_sessions AS
SELECT s.id AS old, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM sessions) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY s.id)) AS new,
       m.id IS NULL AS fresh
FROM source.sessions s LEFT JOIN sessions m ON m.digest = s.digest;

CREATE OR REPLACE TEMP TABLE map_tests AS
SELECT s.id AS old, coalesce(m.id, (SELECT coalesce(max(id), 0) FROM test_cases) + row_number() OVER (PARTITION BY m.id IS NULL ORDER BY s.id)) AS new,
       m.id IS NULL AS fresh
FROM source.test_cases s LEFT JOIN test_cases m ON m.digest = s.digest;

INSERT INTO snapshots BY NAME
SELECT p.new AS id, NULL AS recipe_test, CASE WHEN s.recipe_test IS NULL THEN s.recipe_calls END AS recipe_calls, s.* EXCLUDE (id, recipe_test, recipe_calls)
FROM source.snapshots s JOIN map_snapshots p ON p.old = s.id WHERE p.fresh;

INSERT INTO objects
SELECT p.new, s.index, c.new, NULL, NULL FROM source.objects s JOIN map_snapshots p ON p.old = s.snapshot_id JOIN map_classes c ON c.old = s.class_id
JOIN source.snapshots o ON o.id = s.snapshot_id
WHERE p.fresh AND s.index < o.slots;

INSERT INTO test_cases BY NAME
SELECT p.new AS id, e.new AS session_id, r.new AS routine_id, a.new AS pre_snapshot, b.new AS post_snapshot,
       s.* EXCLUDE (id, session_id, routine_id, pre_snapshot, post_snapshot)
FROM source.test_cases s JOIN map_tests p ON p.old = s.id JOIN map_routines r ON r.old = s.routine_id
LEFT JOIN map_sessions e ON e.old = s.session_id
LEFT JOIN map_snapshots a ON a.old = s.pre_snapshot LEFT JOIN map_snapshots b ON b.old = s.post_snapshot
WHERE p.fresh;

INSERT INTO recipes
SELECT p.new, s.slot, o.new, s.source_index, s.literal
FROM source.recipes s JOIN map_tests p ON p.old = s.test_case_id LEFT JOIN map_snapshots o ON o.old = s.source_snapshot
WHERE p.fresh;

UPDATE snapshots SET recipe_test = t.new, recipe_calls = s.recipe_calls
FROM source.snapshots s JOIN map_snapshots p ON p.old = s.id JOIN map_tests t ON t.old = s.recipe_test
WHERE snapshots.id = p.new AND (snapshots.recipe_calls IS NULL OR s.recipe_calls < snapshots.recipe_calls);

UPDATE snapshots SET recipe_test = NULL, recipe_calls = s.recipe_calls
FROM source.snapshots s JOIN map_snapshots p ON p.old = s.id
WHERE snapshots.id = p.new AND s.recipe_test IS NULL AND s.recipe_calls < snapshots.recipe_calls;

INSERT INTO faults BY NAME
SELECT r.new AS routine_id, s.* EXCLUDE (routine_id) FROM source.faults s JOIN map_routines r ON r.old = s.routine_id
WHERE NOT EXISTS (SELECT 1 FROM faults f WHERE f.digest = s.digest);

UPDATE faults SET tests = (SELECT count(*) FROM test_cases t WHERE t.fault = faults.digest);

INSERT INTO coverage
SELECT p.new, s.* EXCLUDE (session_id) FROM source.coverage s JOIN map_sessions p ON p.old = s.session_id WHERE p.fresh;

INSERT INTO sessions BY NAME
SELECT p.new AS id, s.* EXCLUDE (id) FROM source.sessions s JOIN map_sessions p ON p.old = s.id WHERE p.fresh;
