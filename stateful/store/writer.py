"""Write what sessions find: buffered rows, each state, test case and class once, known by digest or name."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from stateful.errors import DatabaseError
from stateful.store.database import Database
from stateful.store.digests import Digests
from stateful.store.undisturbed import undisturbed
from stateful.subject.model import ClassModel, Parameter, Routine, Subject

__all__ = ["Writer"]


NO_RECIPE = -1


@dataclass
class Writer:
    """Collects rows and writes them with `flush`. Give it a database that is open for writing."""

    database: Database
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        d = self.database
        self.classes: dict[str, int] = {name: key for key, name in d.rows("SELECT id, name FROM classes")}
        self.routines: dict[str, int] = {name: key for key, name in d.rows("SELECT id, name FROM routines")}
        self.fresh: dict[int, dict[str, Any]] = {}
        """The rows of the snapshots that are still buffered, by id."""
        self.faults: dict[str, dict[str, Any]] = {}
        self.new: set[str] = set()
        self.recipes: list[tuple[int | None, int, int]] = []
        self.learned: dict[str, list[str]] = {}
        self.next_routine = d.next_id("routines")
        self.next_test = d.next_id("test_cases")
        self.next_snapshot = d.next_id("snapshots")
        self.next_clause = d.next_id("clauses")

    @cached_property
    def tests(self) -> Digests:
        """Their ids; read when the first one comes, for a writer of classes needs none."""
        return self._digests_in("test_cases")

    @cached_property
    def snapshots(self) -> Digests:
        """Their ids."""
        return self._digests_in("snapshots")

    def _digests_in(self, table: str) -> Digests:
        return Digests((digest.bytes, key) for key, digest in self.database.rows(f"SELECT id, digest FROM {table}"))

    @cached_property
    def _recipe_calls(self) -> array[int]:
        """For the id of each snapshot the length of its shortest recipe, or that there is none."""
        calls = array("i", [NO_RECIPE]) * self.next_snapshot
        for key, count in self.database.rows("SELECT id, recipe_calls FROM snapshots WHERE recipe_calls IS NOT NULL"):
            calls[key] = count
        return calls

    def calls_to(self, digest: str) -> int | None:
        """The length of the shortest recipe of a snapshot, if it has one."""
        calls = self._recipe_calls[self.snapshots[digest]]
        return None if calls == NO_RECIPE else calls

    # The subject

    def add_targets(self, targets: list[str]) -> None:
        """What was tested, so that a later command knows what to import."""
        known = {content for (content,) in self.database.rows("SELECT content FROM about WHERE name = 'target'")}
        self.rows["about"] += [{"name": "target", "content": text} for text in targets if text not in known]

    def add_subject(self, subject: Subject) -> None:
        """Its classes, routines and written clauses; what is known already stays as it is."""
        for cls in subject.classes:
            self.add_class(cls)
        for routine in subject.routines:
            self._add_routine(routine)

    def add_class(self, model: ClassModel) -> int:
        known = self.classes.get(model.name)
        if known is None:
            known = self.classes[model.name] = len(self.classes) + 1
            source = UUID(model.source) if model.source else None
            self.rows["classes"].append(
                {
                    "id": known,
                    "name": model.name,
                    "subject": model.subject,
                    "file": model.file,
                    "source": source,
                    "doc": model.doc,
                }
            )
            for base in model.conforms:
                self.rows["conformances"].append({"class_id": known, "base_id": self._base(base)})
        elif model.subject:
            self._check_source(known, model)
            self._make_subject(known, model)
        return known

    def _check_source(self, known: int, model: ClassModel) -> None:
        """Two versions of a class are never mixed in one database."""
        source = self.database.value("SELECT source FROM classes WHERE id = ? AND subject", [known])
        if source is not None and source.hex != model.source:
            raise DatabaseError(
                f"{model.name} has changed since {self.database.path} was made; use a new file for the new version"
            )

    def _base(self, name: str) -> int:
        return self.classes.get(name) or self.add_class(ClassModel(name, (name,)))

    def _make_subject(self, known: int, model: ClassModel) -> None:
        row = next((row for row in self.rows["classes"] if row["id"] == known), None)
        if row is not None:
            row["subject"] = True
            return
        self.database.run(
            "UPDATE classes SET subject = TRUE, file = ?, source = ?, doc = ? WHERE id = ?",
            [model.file, UUID(model.source) if model.source else None, model.doc, known],
        )

    def _make_tested(self, routine: str) -> None:
        """It may have been known as a helper only, which builds arguments for others."""
        for row in self.rows["routines"]:
            if row["name"] == routine:
                row["helper"] = False
                return
        self.database.run("UPDATE routines SET helper = FALSE WHERE name = ? AND helper", [routine])

    def _add_routine(self, routine: Routine) -> None:
        if routine.name in self.routines:
            if not routine.helper:
                self._make_tested(routine.name)
            return
        key = self.routines[routine.name] = self.next_routine
        self.next_routine += 1
        self.rows["routines"].append({
            "id": key, "name": routine.name, "class_id": self.classes.get(routine.owner or ""), "kind": routine.kind,
            "slots": len(routine.parameters), "doc": routine.doc, "file": routine.file, "line": routine.line,
            "queried": None, "quiet": None, "helper": routine.helper, "asynchronous": routine.asynchronous,
            "generator": routine.generator,
            "conditions": list(routine.conditions),
        })  # fmt: skip
        for slot, parameter in enumerate(routine.parameters, 1):
            self.rows["parameters"].append({
                "routine_id": key, "slot": slot, "name": parameter.name,
                "kind": "keyword" if parameter.keyword else _spread(parameter) or "positional",
                "annotation": parameter.annotation, "required": parameter.required, "kinds": list(parameter.kinds),
                "learned": None,
            })  # fmt: skip
        for clause in routine.written:
            self.rows["clauses"].append({
                "id": self.next_clause, "routine_id": key, "kind": clause.kind, "text": clause.text, "template": None,
                "status": "written", "support": None, "witness": None,
                "evidence": f"written with {clause.source}" + ("" if clause.readable else ", not readable"),
            })  # fmt: skip
            self.next_clause += 1

    # Test cases

    def add_test(self, record: Mapping[str, Any], blobs: tuple[bytes, ...], session_id: int) -> int:
        """One test case with its snapshots and the sources of its operands; its id."""
        known = self.tests.get(record["digest"])
        if known is not None:
            return known
        key = self.next_test
        self.next_test += 1
        self.tests.add(record["digest"], key)
        states = [self._add_snapshot(body, blob) for body, blob in zip(record["snapshots"], blobs, strict=True)]
        before = record["snapshots"][0] if states else None
        after = record["snapshots"][1] if len(states) > 1 else None
        self.rows["test_cases"].append({
            "id": key, "digest": UUID(record["digest"]), "session_id": session_id,
            "routine_id": self.routines[record["routine"]],
            "pre_snapshot": states[0] if states else None, "pre_operands": before and before["operands"],
            "post_snapshot": states[1] if after else None, "post_operands": after and after["operands"],
            "outcome": record["outcome"], "reason": record["reason"], "raised": record["raised"],
            "message": clean(record["message"]), "changed": record["changed"],
            "fault": UUID(record["fault"]) if record["fault"] else None, "found_by": record["found_by"],
            "seconds": record.get("seconds"), "odd": record.get("odd", 0),
        })  # fmt: skip
        self._add_sources(key, record["operands"])
        building = self._building(record["operands"])
        if building is not None:
            if states and self._recipe_calls[states[0]] == NO_RECIPE:  # building the operands is a recipe of it
                self._offer_recipe(states[0], None, building)
            if after and record["outcome"] == "pass":
                self._offer_recipe(states[1], key, building + 1)
        return key

    def _building(self, operands: list[list[Any]]) -> int | None:
        """Calls that build the operands, by the recipes that are known here. A worker may know shorter ones; but only
        with these numbers is a recipe always longer than those it stands on."""
        calls = [self.calls_to(digest) for digest in {digest for _, digest, _, _ in operands if digest}]
        return None if None in calls else sum(filter(None, calls))

    def _add_sources(self, test: int, operands: list[list[Any]]) -> None:
        for slot, digest, index, literal in operands:
            source = self.snapshots[digest] if digest else None
            self.rows["recipes"].append({
                "test_case_id": test, "slot": slot, "source_snapshot": source, "source_index": index,
                "literal": None if literal is None else clean(literal),
            })  # fmt: skip

    def _add_snapshot(self, body: Mapping[str, Any], data: bytes) -> int:
        known = self.snapshots.get(body["digest"])
        if known is not None:
            return known
        key = self.next_snapshot
        row = {
            "id": key, "digest": UUID(body["digest"]), "codec": body["codec"], "bytes": data,
            "slots": len(body["classes"]), "recipe_test": None, "recipe_calls": None,
        }  # fmt: skip
        self._recipe_calls.append(NO_RECIPE)
        self.snapshots.add(body["digest"], key)
        self.next_snapshot += 1
        self.fresh[key] = row
        self.rows["snapshots"].append(row)
        for index, name in enumerate(body["classes"]):
            self.rows["objects"].append({"snapshot_id": key, "index": index, "class_id": self._base(name)})
        return key

    def _offer_recipe(self, snapshot: int, test: int | None, calls: int) -> None:
        known = self._recipe_calls[snapshot]
        if NO_RECIPE < known <= calls:
            return
        self._recipe_calls[snapshot] = calls
        if snapshot in self.fresh:
            self.fresh[snapshot].update(recipe_test=test, recipe_calls=calls)
        else:
            self.recipes.append((test, calls, snapshot))

    # Faults

    def add_fault(self, record: Mapping[str, Any]) -> None:
        """Take note of a failing call; the one with the most ordinary values, and then the shortest, is told."""
        known = self.faults.setdefault(record["digest"], dict(record))
        if (record.get("odd", 0), record["calls"]) < (known.get("odd", 0), known["calls"]):
            self.faults[record["digest"]] = dict(record)

    # Writing

    def flush(self) -> None:
        """Write everything that was collected, in one transaction. Ctrl-C waits for its end: what is collected is said
        to be there, and would be missing."""
        rows, self.rows = self.rows, defaultdict(list)
        recipes, self.recipes = self.recipes, []
        self.fresh = {}
        if not rows and not recipes:
            return
        with undisturbed(), self.database.transaction():
            for table, items in rows.items():
                self.database.append_rows(table, items)
            for recipe in recipes:
                self.database.run("UPDATE snapshots SET recipe_test = ?, recipe_calls = ? WHERE id = ?", recipe)

    def write_learned(self) -> None:
        """Which kinds of values passed for each parameter."""
        for place, kinds in self.learned.items():
            routine, _, slot = place.partition("\t")
            self.database.run(
                "UPDATE parameters SET learned = ? WHERE routine_id = ? AND slot = ?",
                [kinds, self.routines.get(routine), int(slot)],
            )


def _spread(parameter: Parameter) -> str:
    return "variadic" if parameter.variadic else "keywords" if parameter.keywords else ""


def clean(text: str) -> str:
    """Text that a database of UTF-8 can hold: lone surrogates are written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
