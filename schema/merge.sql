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

UPDATE classes SET source = s.source, file = s.file, doc = s.doc
FROM map_classes p JOIN source.classes s ON s.id = p.old
WHERE classes.id = p.new AND classes.source IS NULL AND s.source IS NOT NULL AND NOT p.fresh;

INSERT INTO seeds SELECT program FROM source.seeds EXCEPT SELECT program FROM seeds;

INSERT INTO retired_faults
SELECT * FROM source.retired_faults s WHERE NOT EXISTS (SELECT 1 FROM retired_faults f WHERE f.digest = s.digest);

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

-- A test case that both have may have been built in two ways. Where the way of the source makes a shorter recipe, it is taken
-- together with its length, so that a recipe stays longer than those it stands on.
CREATE OR REPLACE TEMP TABLE costs AS
SELECT t.id, t.digest, t.pre_snapshot, coalesce(sum(s.recipe_calls), 0) AS calls, count(*) FILTER (r.snapshot IS NOT NULL AND s.recipe_calls IS NULL) AS without
FROM source.test_cases t
LEFT JOIN (SELECT DISTINCT test_case_id, source_snapshot AS snapshot FROM source.recipes) r ON r.test_case_id = t.id
LEFT JOIN source.snapshots s ON s.id = r.snapshot
GROUP BY t.id, t.digest, t.pre_snapshot;

CREATE OR REPLACE TEMP TABLE shorter AS
SELECT p.new AS snapshot, s.recipe_calls AS calls, s.recipe_test IS NULL AS before,
       coalesce(s.recipe_test, (SELECT arg_min(c.id, c.digest) FROM costs c WHERE c.pre_snapshot = s.id AND c.without = 0 AND c.calls <= s.recipe_calls)) AS test
FROM source.snapshots s JOIN map_snapshots p ON p.old = s.id JOIN snapshots m ON m.id = p.new
WHERE s.recipe_calls IS NOT NULL AND (m.recipe_calls IS NULL OR s.recipe_calls < m.recipe_calls);

DELETE FROM recipes WHERE test_case_id IN (SELECT t.new FROM shorter b JOIN map_tests t ON t.old = b.test WHERE NOT t.fresh);

INSERT INTO recipes
SELECT DISTINCT t.new, s.slot, o.new, s.source_index, s.literal
FROM source.recipes s JOIN shorter b ON b.test = s.test_case_id JOIN map_tests t ON t.old = b.test
LEFT JOIN map_snapshots o ON o.old = s.source_snapshot
WHERE NOT t.fresh;

UPDATE snapshots SET recipe_test = CASE WHEN b.before THEN NULL ELSE t.new END, recipe_calls = b.calls
FROM shorter b JOIN map_tests t ON t.old = b.test
WHERE snapshots.id = b.snapshot;

-- Of a test case that both have, the session with the smaller digest tells when and how it was found.
UPDATE test_cases SET session_id = e.new, seconds = s.seconds, found_by = s.found_by, odd = s.odd, reason = s.reason, message = s.message
FROM source.test_cases s JOIN map_tests p ON p.old = s.id JOIN source.sessions x ON x.id = s.session_id JOIN map_sessions e ON e.old = x.id, sessions m
WHERE test_cases.id = p.new AND NOT p.fresh AND m.id = test_cases.session_id AND x.digest < m.digest;

-- Of a fault that both have, the one that is told better: confirmed, more likely, with the shorter reproducer.
CREATE OR REPLACE TEMP TABLE better AS
SELECT * FROM (
    SELECT f.*, FALSE AS theirs FROM faults f
    UNION ALL BY NAME
    SELECT r.new AS routine_id, s.* EXCLUDE (routine_id), TRUE AS theirs FROM source.faults s JOIN map_routines r ON r.old = s.routine_id)
QUALIFY row_number() OVER (
    PARTITION BY digest
    ORDER BY confirmed DESC NULLS LAST, list_position(['certain', 'likely', 'suspicious'], likelihood), calls, length(reproducer), reproducer, reason) = 1;

DELETE FROM faults WHERE digest IN (SELECT digest FROM better WHERE theirs);

INSERT INTO faults BY NAME SELECT * EXCLUDE (theirs) FROM better WHERE theirs;

UPDATE faults SET tests = (SELECT count(*) FROM test_cases t WHERE t.fault = faults.digest);

INSERT INTO coverage
SELECT p.new, s.* EXCLUDE (session_id) FROM source.coverage s JOIN map_sessions p ON p.old = s.session_id WHERE p.fresh;

INSERT INTO sessions BY NAME
SELECT p.new AS id, s.* EXCLUDE (id) FROM source.sessions s JOIN map_sessions p ON p.old = s.id WHERE p.fresh;
