-- Derive the transitions from the passing test cases and the evaluations of their snapshots: for each routine and each
-- predicate over its operands, the value before and after the call. A constructor has no before.

DELETE FROM transitions;

CREATE OR REPLACE TEMP TABLE places AS
SELECT t.id AS test, t.digest, t.routine_id, t.pre_snapshot, t.post_snapshot, slot - 1 AS slot,
       t.pre_operands[slot] AS before_index, t.post_operands[slot] AS after_index
FROM test_cases t JOIN routines r ON r.id = t.routine_id, unnest(range(1, r.slots + 2)) AS u(slot)
WHERE t.outcome = 'pass' AND t.pre_operands[slot] IS NOT NULL AND t.post_operands[slot] IS NOT NULL;

INSERT INTO transitions
SELECT a.routine_id, b.predicate_id, [a.slot], b.value_id, f.value_id, count(*), arg_min(a.test, a.digest)
FROM places a
JOIN evaluations b ON b.snapshot_id = a.pre_snapshot AND b.var_0 = a.before_index AND b.var_1 IS NULL
JOIN evaluations f ON f.snapshot_id = a.post_snapshot AND f.var_0 = a.after_index AND f.var_1 IS NULL AND f.predicate_id = b.predicate_id
GROUP BY ALL;

INSERT INTO transitions
SELECT a.routine_id, b.predicate_id, [a.slot, c.slot], b.value_id, f.value_id, count(*), arg_min(a.test, a.digest)
FROM places a
JOIN places c ON c.test = a.test
JOIN evaluations b ON b.snapshot_id = a.pre_snapshot AND b.var_0 = a.before_index AND b.var_1 = c.before_index AND b.var_2 IS NULL
JOIN evaluations f ON f.snapshot_id = a.post_snapshot AND f.var_0 = a.after_index AND f.var_1 = c.after_index AND f.var_2 IS NULL
                  AND f.predicate_id = b.predicate_id
GROUP BY ALL;

DROP TABLE places;
