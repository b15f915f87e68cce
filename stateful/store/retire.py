"""The subject has changed: what the old version said is taken out, so that no statement mixes versions.

What stays are seeds, the calls that led somewhere, which a next session makes first; and the faults, to be replayed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from stateful.errors import NoRecipe
from stateful.store.database import Database
from stateful.store.recipes import Recipes

__all__ = ["Retired", "retire", "seeds_of"]

MOST_SEEDS = 400
MOST_SEEDS_EACH = 12  # for one routine and outcome
MOST_STEPS = 60

AFFECTED = """
SELECT DISTINCT c.class_id AS id
FROM conformances c JOIN classes k ON k.id = c.base_id
WHERE k.name IN (SELECT unnest(?))
"""
CHOSEN = """
SELECT t.id
FROM test_cases t JOIN routines r ON r.id = t.routine_id LEFT JOIN snapshots s ON s.id = t.post_snapshot
WHERE t.fault IS NOT NULL OR (t.outcome = 'pass' AND s.recipe_calls IS NOT NULL)
QUALIFY row_number() OVER (PARTITION BY t.routine_id, t.outcome, t.fault ORDER BY s.recipe_calls, t.digest) <= ?
ORDER BY t.fault IS NULL, s.recipe_calls DESC, t.digest
LIMIT ?
"""
GONE = """
CREATE OR REPLACE TEMP TABLE gone_states AS
SELECT DISTINCT snapshot_id AS id FROM objects WHERE class_id IN (SELECT id FROM gone_classes);

CREATE OR REPLACE TEMP TABLE gone_tests AS
SELECT t.id FROM test_cases t LEFT JOIN routines r ON r.id = t.routine_id
WHERE r.class_id IN (SELECT id FROM gone_classes)
   OR t.pre_snapshot IN (SELECT id FROM gone_states) OR t.post_snapshot IN (SELECT id FROM gone_states)
"""
SPREAD = """
INSERT INTO gone_states
SELECT DISTINCT s.id FROM snapshots s
WHERE s.id NOT IN (SELECT id FROM gone_states)
  AND NOT EXISTS (
      SELECT 1 FROM test_cases t
      WHERE (t.pre_snapshot = s.id OR t.post_snapshot = s.id) AND t.id NOT IN (SELECT id FROM gone_tests));

INSERT INTO gone_tests
SELECT DISTINCT r.test_case_id FROM recipes r
WHERE r.source_snapshot IN (SELECT id FROM gone_states) AND r.test_case_id NOT IN (SELECT id FROM gone_tests)
"""
DELETE = """
CREATE OR REPLACE TEMP TABLE gone_faults AS
SELECT f.digest FROM faults f
WHERE f.routine_id IN (SELECT id FROM routines WHERE class_id IN (SELECT id FROM gone_classes))
   OR (EXISTS (SELECT 1 FROM test_cases t WHERE t.fault = f.digest AND t.id IN (SELECT id FROM gone_tests))
       AND NOT EXISTS (
           SELECT 1 FROM test_cases t WHERE t.fault = f.digest AND t.id NOT IN (SELECT id FROM gone_tests)));

INSERT INTO retired_faults
SELECT f.digest, r.name, f.likelihood, f.kind, f.exception, f.message, f.law, f.reproducer, NULL
FROM faults f JOIN routines r ON r.id = f.routine_id
WHERE f.digest IN (SELECT digest FROM gone_faults) AND f.reproducer IS NOT NULL AND f.confirmed
  AND f.digest NOT IN (SELECT digest FROM retired_faults WHERE verdict IS NULL);

DELETE FROM faults WHERE digest IN (SELECT digest FROM gone_faults);
DELETE FROM evaluations WHERE snapshot_id IN (SELECT id FROM gone_states);
DELETE FROM snapshot_evaluations WHERE snapshot_id IN (SELECT id FROM gone_states);
DELETE FROM objects WHERE snapshot_id IN (SELECT id FROM gone_states);
DELETE FROM recipes WHERE test_case_id IN (SELECT id FROM gone_tests);
DELETE FROM transitions;
DELETE FROM reductions WHERE clause_id IN (
    SELECT c.id FROM clauses c JOIN routines r ON r.id = c.routine_id WHERE r.class_id IN (SELECT id FROM gone_classes))
    OR witness IN (SELECT id FROM gone_tests);
DELETE FROM clauses WHERE witness IN (SELECT id FROM gone_tests)
    OR routine_id IN (SELECT id FROM routines WHERE class_id IN (SELECT id FROM gone_classes))
    OR (status <> 'written'
        AND routine_id IN (SELECT routine_id FROM test_cases WHERE id IN (SELECT id FROM gone_tests)));
UPDATE snapshots SET recipe_test = NULL, recipe_calls = NULL WHERE recipe_test IN (SELECT id FROM gone_tests);
DELETE FROM snapshots WHERE id IN (SELECT id FROM gone_states);
DELETE FROM test_cases WHERE id IN (SELECT id FROM gone_tests);
DELETE FROM parameters WHERE routine_id IN (SELECT id FROM routines WHERE class_id IN (SELECT id FROM gone_classes));
DELETE FROM routines WHERE class_id IN (SELECT id FROM gone_classes);
UPDATE faults SET tests = (SELECT count(*) FROM test_cases t WHERE t.fault = faults.digest);
UPDATE classes SET source = NULL WHERE id IN (SELECT id FROM gone_classes)
"""


@dataclass(frozen=True, slots=True)
class Retired:
    """How much the old version left."""

    tests: int
    seeds: int


def seeds_of(database: Database) -> list[str]:
    """Programs worth trying on another version, as JSON: those of faults, and the shortest of each routine."""
    recipes = Recipes(database)
    found = []
    for (test,) in database.rows(CHOSEN, [MOST_SEEDS_EACH, MOST_SEEDS]):
        try:
            program = recipes.of_test(test)
        except NoRecipe:
            continue
        if len(program.steps) <= MOST_STEPS:
            found.append(json.dumps(program.as_json()))
    return list(dict.fromkeys(found))


def retire(database: Database, changed: Sequence[str]) -> Retired:
    """Take out everything that the old version of these classes said, and of what builds on them."""
    seeds = seeds_of(database)
    with database.transaction():
        database.run(f"CREATE OR REPLACE TEMP TABLE gone_classes AS {AFFECTED}", [[*changed]])
        database.run(GONE)
        tests = -1
        while tests != (tests := int(database.value("SELECT count(*) FROM gone_tests"))):
            database.run(SPREAD)
        database.run(DELETE)
        known = {program for (program,) in database.rows("SELECT program FROM seeds")}
        database.append("seeds", {"program": [program for program in seeds if program not in known]})
    return Retired(tests, len(seeds))
