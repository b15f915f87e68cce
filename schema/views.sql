-- The questions that the tool and its users ask, by name.

-- Every evaluation with its predicate's text and its value. A row whose kind is NULL is undefined.
CREATE VIEW readings AS
SELECT e.snapshot_id, p.text AS predicate, p.arity,
       e.var_0, e.var_1, e.var_2, e.var_3, e.var_4, e.var_5, e.var_6, e.var_7, e.var_8,
       e.value_id, v.kind, v.integer, v.real, v.text, v.truth, v.equality, v.items, v.object
FROM evaluations e
JOIN predicates p ON p.id = e.predicate_id
LEFT JOIN values v ON v.id = e.value_id;

-- Every object with the names of all classes it conforms to: `WHERE class = ...` finds subclasses too. Only operands,
-- results and what a public path leads to are `callable`, if calls can build them; what is merely inside is looked at,
-- and never called.
CREATE VIEW instances AS
SELECT o.snapshot_id, o.index, own.name AS own_class, base.name AS class, (o.index < s.slots OR o.path IS NOT NULL) AND s.recipe_calls IS NOT NULL AS callable
FROM objects o
JOIN snapshots s ON s.id = o.snapshot_id
JOIN classes own ON own.id = o.class_id
JOIN conformances c ON c.class_id = o.class_id
JOIN classes base ON base.id = c.base_id;

-- Test cases in words.
CREATE VIEW calls AS
SELECT t.id, r.name AS routine, t.outcome, t.reason, t.raised[1] AS exception, t.message, t.changed, t.found_by,
       t.pre_snapshot, t.pre_operands, t.post_snapshot, t.post_operands
FROM test_cases t
JOIN routines r ON r.id = t.routine_id;

-- Which predicates each routine changed, from what to what, how often.
CREATE VIEW changes AS
SELECT r.name AS routine, p.text AS predicate, t.slots,
       coalesce(b.text, 'undefined') AS before, coalesce(a.text, 'undefined') AS after,
       CASE WHEN b.kind = 'int' AND a.kind = 'int' THEN a.integer - b.integer END AS changed_by, t.tests, t.example
FROM transitions t
JOIN routines r ON r.id = t.routine_id
JOIN predicates p ON p.id = t.predicate_id
LEFT JOIN values b ON b.id = t.before_value
LEFT JOIN values a ON a.id = t.after_value
WHERE t.before_value IS DISTINCT FROM t.after_value;

-- What a class looks like from outside, in a few words for each object: truth of boolean queries, whether a number is 0, 1,
-- more, or negative, whether something is there at all or is empty. Text, such as names, is no part of it.
CREATE VIEW object_states AS
SELECT e.snapshot_id, e.var_0 AS index, k.name AS class, o.index < s.slots AS operand,
       string_agg(replace(p.text, '$.', '') || '=' || CASE
           WHEN e.value_id IS NULL THEN 'undefined'
           WHEN v.kind = 'bool' THEN CASE WHEN v.truth THEN 'True' ELSE 'False' END
           WHEN v.kind IN ('int', 'float') THEN CASE WHEN v.real < 0 THEN '<0' WHEN v.real = 0 THEN '0' WHEN v.real = 1 THEN '1' ELSE '>1' END
           WHEN v.kind = 'none' THEN 'None'
           WHEN v.kind IN ('object', 'opaque') THEN 'object'
           WHEN v.truth THEN 'some' ELSE 'empty' END, ', ' ORDER BY p.text) AS state
FROM evaluations e
JOIN predicates p ON p.id = e.predicate_id AND p.arity = 1 AND (p.text = 'len($)' OR starts_with(p.text, '$.')) AND NOT contains(p.text, ' ')
JOIN objects o ON o.snapshot_id = e.snapshot_id AND o.index = e.var_0
JOIN snapshots s ON s.id = e.snapshot_id
JOIN classes k ON k.id = o.class_id AND k.subject
LEFT JOIN values v ON v.id = e.value_id
WHERE v.kind IS DISTINCT FROM 'str' AND v.kind IS DISTINCT FROM 'bytes'
GROUP BY e.snapshot_id, e.var_0, k.name, operand;

-- Which states were reached, how often, and an object in each with the shortest recipe.
CREATE VIEW states_reached AS
SELECT b.class, b.state, count(*) AS objects, min(s.recipe_calls) AS calls,
       arg_min(b.snapshot_id, coalesce(s.recipe_calls, 999999)) AS snapshot_id, arg_min(b.index, coalesce(s.recipe_calls, 999999)) AS index
FROM object_states b
JOIN snapshots s ON s.id = b.snapshot_id
WHERE b.operand
GROUP BY b.class, b.state;

-- A class as a state machine: from which state which routine leads where.
CREATE VIEW state_machine AS
SELECT b.class, b.state AS before, r.name AS routine, a.state AS after, count(*) AS tests, min(t.id) AS example
FROM test_cases t
JOIN routines r ON r.id = t.routine_id
JOIN object_states b ON b.snapshot_id = t.pre_snapshot AND b.index = t.pre_operands[1]
JOIN object_states a ON a.snapshot_id = t.post_snapshot AND a.index = t.post_operands[1]
WHERE t.outcome = 'pass'
GROUP BY ALL;

-- States in which a routine of the class was never called.
CREATE VIEW never_tried AS
SELECT s.class, s.state, r.name AS routine
FROM states_reached s
JOIN classes k ON k.name = s.class
JOIN routines r ON r.class_id = k.id AND r.kind IN ('method', 'property', 'setter', 'context') AND NOT r.helper
WHERE NOT EXISTS (
    SELECT 1 FROM test_cases t JOIN object_states b ON b.snapshot_id = t.pre_snapshot AND b.index = t.pre_operands[1]
    WHERE t.routine_id = r.id AND b.class = s.class AND b.state = s.state);

-- Who refused what.
CREATE VIEW refusals AS
SELECT r.name AS routine, t.raised[1] AS exception, t.reason, count(*) AS tests, min(t.id) AS example
FROM test_cases t
JOIN routines r ON r.id = t.routine_id
WHERE t.outcome = 'refuse'
GROUP BY ALL;

-- What tells the calls that show a fault from those that pass: a predicate of the receiver that has one truth in all of the
-- former and the other in all of the latter. Such a fault may be a precondition that nobody wrote down.
CREATE VIEW separations AS
SELECT f.digest AS fault, p.text AS predicate, min(v.kind) AS kind,
       bool_or(v.truth) FILTER (t.outcome <> 'pass') AS failing,
       count(*) FILTER (t.outcome <> 'pass') AS failures, count(*) FILTER (t.outcome = 'pass') AS passes
FROM faults f
JOIN test_cases t ON t.routine_id = f.routine_id AND (t.fault = f.digest OR t.outcome = 'pass')
JOIN evaluations e ON e.snapshot_id = t.pre_snapshot AND e.var_0 = t.pre_operands[1]
JOIN predicates p ON p.id = e.predicate_id AND p.arity = 1
LEFT JOIN values v ON v.id = e.value_id
WHERE f.kind = 'exception'
GROUP BY f.digest, p.text
HAVING failures >= 1 AND passes >= 5 AND count(*) FILTER (v.truth IS NULL OR v.kind NOT IN ('bool', 'int')) = 0
   AND bool_or(v.truth) FILTER (t.outcome <> 'pass') = bool_and(v.truth) FILTER (t.outcome <> 'pass')
   AND bool_or(v.truth) FILTER (t.outcome = 'pass') = bool_and(v.truth) FILTER (t.outcome = 'pass')
   AND bool_or(v.truth) FILTER (t.outcome <> 'pass') <> bool_or(v.truth) FILTER (t.outcome = 'pass');

-- Contracts in words.
CREATE VIEW contracts AS
SELECT c.id, r.name AS routine, c.kind, c.text, c.status, c.support, c.evidence, c.witness, c.template, c.rank
FROM clauses c
JOIN routines r ON r.id = c.routine_id;

-- The report per class of the paper's Table I: what random testing found, what was inferred, and what reduction did about it.
CREATE VIEW classes_in_numbers AS
WITH own AS (
    SELECT r.class_id, c.kind, c.status FROM clauses c JOIN routines r ON r.id = c.routine_id WHERE c.status <> 'written'
), reduced AS (
    -- Clauses that were challenged together have the same query and the same calls: these count once.
    SELECT class_id, sum(tried) AS calls, sum(milliseconds) AS milliseconds
    FROM (SELECT DISTINCT r.class_id, r.id, d.way, d.query, d.tried, d.milliseconds
          FROM reductions d JOIN clauses c ON c.id = d.clause_id JOIN routines r ON r.id = c.routine_id)
    GROUP BY class_id
)
SELECT k.name AS class,
       (SELECT count(*) FROM routines r WHERE r.class_id = k.id) AS routines,
       (SELECT count(*) FROM test_cases t JOIN routines r ON r.id = t.routine_id WHERE r.class_id = k.id AND t.found_by = 'run') AS random_tests,
       (SELECT count(*) FROM test_cases t JOIN routines r ON r.id = t.routine_id WHERE r.class_id = k.id AND t.found_by <> 'run') AS new_tests,
       (SELECT count(*) FROM faults f JOIN routines r ON r.id = f.routine_id WHERE r.class_id = k.id AND f.found_by = 'run') AS faults,
       (SELECT count(*) FROM faults f JOIN routines r ON r.id = f.routine_id WHERE r.class_id = k.id AND f.found_by <> 'run') AS new_faults,
       (SELECT count(*) FROM own WHERE class_id = k.id AND kind = 'requires') AS preconditions,
       (SELECT count(*) FROM own WHERE class_id = k.id AND kind = 'requires' AND status = 'removed') AS preconditions_removed,
       (SELECT count(*) FROM own WHERE class_id = k.id AND kind = 'ensures') AS postconditions,
       (SELECT count(*) FROM own WHERE class_id = k.id AND kind = 'ensures' AND status = 'removed') AS postconditions_removed,
       (SELECT count(*) FROM own WHERE class_id = k.id AND kind = 'raises') AS exceptional,
       (SELECT count(*) FROM own WHERE class_id = k.id AND kind = 'raises' AND status = 'removed') AS exceptional_removed,
       (SELECT calls FROM reduced WHERE class_id = k.id) AS calls_of_reduction,
       (SELECT milliseconds FROM reduced WHERE class_id = k.id) AS milliseconds_of_queries
FROM classes k
WHERE k.subject;

-- The tables of the paper "Stateful Testing" (ASE 2011), so that its queries run as published.
-- A boolean is 1 or 0 there, objects are known by a number that is unique over all test cases, and kind is 'pre' or 'post'.

CREATE VIEW TestCases AS
SELECT t.id AS tc_id, t.digest AS uuid, k.name AS class, r.name AS feature, t.outcome AS status,
       t.pre_snapshot AS pre_state, t.post_snapshot AS post_state, pre.bytes AS pre_serialization, post.bytes AS post_serialization,
       t.raised[1] AS exception
FROM test_cases t
JOIN routines r ON r.id = t.routine_id
LEFT JOIN classes k ON k.id = r.class_id
LEFT JOIN snapshots pre ON pre.id = t.pre_snapshot
LEFT JOIN snapshots post ON post.id = t.post_snapshot;

CREATE VIEW paper_states AS
SELECT id AS tc_id, pre_snapshot AS snapshot_id, 'pre' AS kind FROM test_cases
UNION ALL
SELECT id, post_snapshot, 'post' FROM test_cases WHERE post_snapshot IS NOT NULL;

CREATE VIEW paper_values AS
SELECT s.tc_id, s.kind, e.snapshot_id, p.text, p.arity, e.var_0, e.var_1, e.var_2, e.var_3, e.var_4, e.var_5, e.var_6, e.var_7, e.var_8,
       CASE v.kind WHEN 'bool' THEN v.integer::VARCHAR WHEN 'object' THEN (e.snapshot_id * 256 + v.object)::VARCHAR ELSE v.text END AS ret_value
FROM paper_states s
JOIN evaluations e ON e.snapshot_id = s.snapshot_id
JOIN predicates p ON p.id = e.predicate_id
JOIN values v ON v.id = e.value_id;

CREATE VIEW paper_types AS
SELECT o.snapshot_id, o.index, split_part(k.name, ':', 2) AS name
FROM objects o
JOIN classes k ON k.id = o.class_id;

CREATE VIEW Predicates_1 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
WHERE v.arity = 1;

CREATE VIEW Predicates_2 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
WHERE v.arity = 2;

CREATE VIEW Predicates_3 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
WHERE v.arity = 3;

CREATE VIEW Predicates_4 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3,
       v.snapshot_id * 256 + v.var_3 AS var_4, t4.name AS type_4
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
JOIN paper_types t4 ON t4.snapshot_id = v.snapshot_id AND t4.index = v.var_3
WHERE v.arity = 4;

CREATE VIEW Predicates_5 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3,
       v.snapshot_id * 256 + v.var_3 AS var_4, t4.name AS type_4,
       v.snapshot_id * 256 + v.var_4 AS var_5, t5.name AS type_5
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
JOIN paper_types t4 ON t4.snapshot_id = v.snapshot_id AND t4.index = v.var_3
JOIN paper_types t5 ON t5.snapshot_id = v.snapshot_id AND t5.index = v.var_4
WHERE v.arity = 5;

CREATE VIEW Predicates_6 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3,
       v.snapshot_id * 256 + v.var_3 AS var_4, t4.name AS type_4,
       v.snapshot_id * 256 + v.var_4 AS var_5, t5.name AS type_5,
       v.snapshot_id * 256 + v.var_5 AS var_6, t6.name AS type_6
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
JOIN paper_types t4 ON t4.snapshot_id = v.snapshot_id AND t4.index = v.var_3
JOIN paper_types t5 ON t5.snapshot_id = v.snapshot_id AND t5.index = v.var_4
JOIN paper_types t6 ON t6.snapshot_id = v.snapshot_id AND t6.index = v.var_5
WHERE v.arity = 6;

CREATE VIEW Predicates_7 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3,
       v.snapshot_id * 256 + v.var_3 AS var_4, t4.name AS type_4,
       v.snapshot_id * 256 + v.var_4 AS var_5, t5.name AS type_5,
       v.snapshot_id * 256 + v.var_5 AS var_6, t6.name AS type_6,
       v.snapshot_id * 256 + v.var_6 AS var_7, t7.name AS type_7
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
JOIN paper_types t4 ON t4.snapshot_id = v.snapshot_id AND t4.index = v.var_3
JOIN paper_types t5 ON t5.snapshot_id = v.snapshot_id AND t5.index = v.var_4
JOIN paper_types t6 ON t6.snapshot_id = v.snapshot_id AND t6.index = v.var_5
JOIN paper_types t7 ON t7.snapshot_id = v.snapshot_id AND t7.index = v.var_6
WHERE v.arity = 7;

CREATE VIEW Predicates_8 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3,
       v.snapshot_id * 256 + v.var_3 AS var_4, t4.name AS type_4,
       v.snapshot_id * 256 + v.var_4 AS var_5, t5.name AS type_5,
       v.snapshot_id * 256 + v.var_5 AS var_6, t6.name AS type_6,
       v.snapshot_id * 256 + v.var_6 AS var_7, t7.name AS type_7,
       v.snapshot_id * 256 + v.var_7 AS var_8, t8.name AS type_8
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
JOIN paper_types t4 ON t4.snapshot_id = v.snapshot_id AND t4.index = v.var_3
JOIN paper_types t5 ON t5.snapshot_id = v.snapshot_id AND t5.index = v.var_4
JOIN paper_types t6 ON t6.snapshot_id = v.snapshot_id AND t6.index = v.var_5
JOIN paper_types t7 ON t7.snapshot_id = v.snapshot_id AND t7.index = v.var_6
JOIN paper_types t8 ON t8.snapshot_id = v.snapshot_id AND t8.index = v.var_7
WHERE v.arity = 8;

CREATE VIEW Predicates_9 AS
SELECT v.tc_id, v.text, v.kind, v.ret_value,
       v.snapshot_id * 256 + v.var_0 AS var_1, t1.name AS type_1,
       v.snapshot_id * 256 + v.var_1 AS var_2, t2.name AS type_2,
       v.snapshot_id * 256 + v.var_2 AS var_3, t3.name AS type_3,
       v.snapshot_id * 256 + v.var_3 AS var_4, t4.name AS type_4,
       v.snapshot_id * 256 + v.var_4 AS var_5, t5.name AS type_5,
       v.snapshot_id * 256 + v.var_5 AS var_6, t6.name AS type_6,
       v.snapshot_id * 256 + v.var_6 AS var_7, t7.name AS type_7,
       v.snapshot_id * 256 + v.var_7 AS var_8, t8.name AS type_8,
       v.snapshot_id * 256 + v.var_8 AS var_9, t9.name AS type_9
FROM paper_values v
JOIN paper_types t1 ON t1.snapshot_id = v.snapshot_id AND t1.index = v.var_0
JOIN paper_types t2 ON t2.snapshot_id = v.snapshot_id AND t2.index = v.var_1
JOIN paper_types t3 ON t3.snapshot_id = v.snapshot_id AND t3.index = v.var_2
JOIN paper_types t4 ON t4.snapshot_id = v.snapshot_id AND t4.index = v.var_3
JOIN paper_types t5 ON t5.snapshot_id = v.snapshot_id AND t5.index = v.var_4
JOIN paper_types t6 ON t6.snapshot_id = v.snapshot_id AND t6.index = v.var_5
JOIN paper_types t7 ON t7.snapshot_id = v.snapshot_id AND t7.index = v.var_6
JOIN paper_types t8 ON t8.snapshot_id = v.snapshot_id AND t8.index = v.var_7
JOIN paper_types t9 ON t9.snapshot_id = v.snapshot_id AND t9.index = v.var_8
WHERE v.arity = 9;
