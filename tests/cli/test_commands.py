"""The commands as a user types them: the four of the mission one after the other, and every kind of wrong input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from stateful.cli.main import COMMANDS, cli
from stateful.generate.trace import read_trace
from stateful.report.contracts import shortened, shown
from stateful.report.exploring import Explorer
from tests.conftest import EXAMPLES

ROOT = Path(__file__).parents[2]


def stateful(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    environment = {**os.environ, "COLUMNS": "200"}
    command = [sys.executable, "-m", "stateful", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, check=False, timeout=120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `run` and `ingest` were called."""
    return ingested(tmp_path_factory.mktemp("work"))


def ingested(place: Path) -> Path:
    target = str(EXAMPLES / "linked_list.py")
    assert stateful("run", target, "-o", "run.db", "--tests", "200", "--seed", "1", cwd=place).returncode == 0
    assert stateful("ingest", "run.db", cwd=place).returncode == 0
    return place


def test_the_four_commands_of_the_mission_work_one_after_the_other(folder: Path) -> None:
    inferred = stateful("infer", cwd=folder)
    assert inferred.returncode == 0
    assert "clauses of" in inferred.stdout
    reduced = stateful("reduce", "--class", "LinkedList", "--time", "20", cwd=folder)
    assert reduced.returncode == 0, reduced.stderr
    assert "clauses removed" in reduced.stdout
    removed = stateful("contracts", "--removed", cwd=folder)
    assert "merge_left" in removed.stdout
    assert "| from linked_list import LinkedList" in removed.stdout
    kept = json.loads(stateful("contracts", "--class", "LinkedList", "--format", "json", cwd=folder).stdout)
    assert {"routine", "kind", "text", "status", "support", "evidence", "witness"} <= kept[0].keys()


def test_sql_and_find_answer_from_the_same_database(folder: Path) -> None:
    answer = stateful("sql", "SELECT count(*) AS n FROM test_cases", "--format", "json", cwd=folder)
    assert json.loads(answer.stdout)[0]["n"] > 50
    table = stateful("sql", "SELECT DISTINCT outcome FROM calls ORDER BY 1", cwd=folder)
    assert "pass" in table.stdout
    csv = stateful("sql", "SELECT 1 AS a, 'x,y' AS b", "--format", "csv", cwd=folder)
    assert csv.stdout.splitlines() == ["a,b", '1,"x,y"']
    empty = stateful("sql", "SELECT id AS a FROM test_cases WHERE FALSE", "--format", "csv", cwd=folder)
    assert empty.stdout.splitlines() == ["a"]
    told = stateful("sql", "SELECT id, outcome FROM calls", "--format", "parquet", "-o", "calls.parquet", cwd=folder)
    tests = json.loads(answer.stdout)[0]["n"]
    assert told.stdout == f"{tests} rows in calls.parquet\n"
    assert duckdb.sql(f"SELECT count(*) FROM '{folder / 'calls.parquet'}'").fetchall() == [(tests,)]
    found = stateful("find", "LinkedList", "--where", "not self.is_empty() and len(self) >= 2", "--json", cwd=folder)
    objects = json.loads(found.stdout)
    assert objects
    assert all(item["repr"].startswith("LinkedList([") and "LinkedList()" in item["code"] for item in objects)


def test_one_clause_is_reduced_and_explained(tmp_path: Path) -> None:
    folder = ingested(tmp_path)
    stateful("infer", cwd=folder)
    narrowed = ("--routine", "LinkedList.pop", "--clause", "not self.is_empty()")
    done = stateful("reduce", *narrowed, "--most", "3", "--explain", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    explained = [line for line in done.stdout.splitlines() if line.startswith("-- linked_list:")]
    assert set(explained) == {"-- linked_list:LinkedList.pop: not self.is_empty()"}
    query = done.stdout.partition("WITH ")[2].partition(";")[0]
    assert stateful("sql", "WITH " + query, "--format", "csv", cwd=folder).returncode == 0
    unknown = stateful("reduce", "--clause", "self.frob()", cwd=folder)
    assert unknown.returncode == 2
    assert "no clause 'self.frob()' is kept in" in unknown.stderr


TALLY = """
class Tally:
    def __init__(self) -> None:
        self.marks = 0

    def mark(self) -> None:
        self.marks += 1

    def half(self) -> int:
        return {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}[self.marks]
"""


def test_a_fault_that_fresh_objects_show_is_told_by_reduce(tmp_path: Path) -> None:
    (tmp_path / "tally.py").write_text(TALLY)
    assert stateful("run", "tally.py", "-o", "run.db", "--tests", "4", "--seed", "1", cwd=tmp_path).returncode == 0
    for command in ("ingest run.db", "infer"):
        assert stateful(*command.split(), "-q", cwd=tmp_path).returncode == 0
    told = stateful("reduce", "-q", "--fresh", "2000", cwd=tmp_path)
    assert told.returncode == 1, told.stderr
    assert "Tally.half" in told.stdout
    assert "found by run" in told.stdout
    assert "1 new fault," in told.stdout


def test_the_contracts_of_a_routine_fit_on_a_screen(folder: Path) -> None:
    rows = [{"routine": "a:B.c", "kind": "ensures", "text": f"p{n}", "status": "kept", "evidence": "", "witness": None,
             "support": 3} for n in range(20)]  # fmt: skip
    kept, left = shortened(rows)
    assert len(kept) == 12
    assert list(shown(kept, left))[-1] == "    ... and 8 more; --all lists them"
    few, many = (stateful("contracts", *extra, cwd=folder).stdout for extra in ((), ("--all",)))
    assert set(few.splitlines()) - set(many.splitlines()) <= {line for line in few.splitlines() if "... and" in line}


def test_the_prompt_answers_until_the_input_ends(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stateful", "sql"],
        cwd=folder, input="SELECT 41 + 1 AS answer;\n\n.help\n.1\n.frob\nSELECT nonsense\n",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "42" in done.stdout
    assert "state_machine" in done.stdout
    assert "extend" in done.stdout
    assert "no command .frob" in done.stdout
    assert "nonsense" in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["test", "no_such_module"], 2, "no module 'no_such_module'"),
        (["test", "no/such.py"], 2, "no file no/such.py"),
        (["run", f"{EXAMPLES}/linked_list.py:LinkdList", "-o", "x.db"], 2, "did you mean 'LinkedList'?"),
        (["run", f"{EXAMPLES}/linked_list.py", "--time", "soon", "-o", "x.db"], 2, "'soon' is no duration"),
        (["run", f"{EXAMPLES}/linked_list.py", "--seed", "x", "-o", "x.db"], 2, "'x' is no seed"),
        (["run", f"{EXAMPLES}/linked_list.py", "--seed", "9" * 20, "-o", "x.db"], 2, "is no seed"),
        (["run", f"{EXAMPLES}/linked_list.py", "--allow", "everything", "-o", "x.db"], 2, "neither a path"),
        (["run", "tests.cli", "-o", "x.db"], 5, "nothing to test"),
        (["infer", "--db", "none.db"], 2, "no database at none.db"),
        (["reduce", "--db", "none.db"], 2, "no database at none.db"),
        (["find", "LinkedList", "--db", "none.db"], 2, "no database at none.db"),
        (["faults", "--db", "none.db"], 2, "no database at none.db"),
        (["contracts", "--db", "text.db"], 2, "text.db is not a DuckDB database"),
        (["ingest", "text.db", "--db", "x.db"], 2, "text.db is not a DuckDB database"),
        (["ingest", "none.db", "--db", "x.db"], 2, "no database at none.db"),
        (["frobnicate"], 2, "No such command"),
    ],
)
def test_wrong_input_is_one_sentence_and_writes_nothing(
    arguments: list[str], code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "text.db").write_text("this is a text, and no database")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "stateful", *arguments],
        cwd=tmp_path, capture_output=True, text=True, env=environment, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["find", "LinkdList"], "did you mean 'LinkedList'?"),
        (["find", "LinkedList", "--where", "self.("], "cannot read the expression 'self.('"),
        (["find", "LinkedList", "--where", "lambda: 1"], "not part of the contract language"),
        (["find", "LinkedList", "--where", "other.has(1)"], "speaks of 'other'"),
        (["sql", "SELEC 1"], "syntax error"),
        (["show", "F99"], "no fault 'F99'"),
    ],
)
def test_wrong_questions_to_a_database_are_one_sentence(arguments: list[str], said: str, folder: Path) -> None:
    done = stateful(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_faults_are_reported_with_the_exit_code_one(tmp_path: Path) -> None:
    done = stateful("test", f"{EXAMPLES}/sorted_set.py", "--time", "8", "--seed", "1", "--json", "-q", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert {"seed", "seconds", "calls", "tests", "states", "coverage", "clauses", "faults"} <= report.keys()
    (fault, *_) = report["faults"]
    assert (fault["id"], fault["routine"], fault["exception"]) == ("F1", "sorted_set:SortedSet.merge", "IndexError")
    assert fault["trace"][-1][2] == "merge"
    assert (tmp_path / ".stateful" / ".gitignore").exists()
    shown = stateful("show", "F1", cwd=tmp_path)
    assert "from sorted_set import SortedSet" in shown.stdout


def test_two_targets_can_share_a_database(tmp_path: Path) -> None:
    for name, code in (("sorted_set", 1), ("linked_list", 0)):
        done = stateful("test", f"{EXAMPLES}/{name}.py", "--time", "5", "--seed", "1", "--json", "-q", cwd=tmp_path)
        assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["faults"] == []
    known = json.loads(stateful("faults", "--json", cwd=tmp_path).stdout)
    assert [fault["routine"] for fault in known] == ["sorted_set:SortedSet.merge"]
    assert json.loads(stateful("contracts", "--class", "LinkedList", "--format", "json", cwd=tmp_path).stdout)


def running(folder: Path) -> subprocess.Popen[str]:
    """A session that has been testing for some seconds."""
    command = [sys.executable, "-m", "stateful", "run", f"{EXAMPLES}/sorted_set.py", "--time", "60", "-o", "run.db"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("seed")
    time.sleep(5)
    return process


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    process = running(tmp_path)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "calls," in output
    answer = stateful("sql", "SELECT count(*) AS n FROM test_cases", "--format", "json", "--db", "run.db", cwd=tmp_path)
    assert json.loads(answer.stdout)[0]["n"] > 100


def test_what_a_killed_run_left_can_be_ingested(tmp_path: Path) -> None:
    process = running(tmp_path)
    process.kill()
    process.communicate()
    ingested = stateful("ingest", "run.db", "--db", "all.db", cwd=tmp_path)
    assert ingested.returncode == 0, ingested.stderr
    answer = stateful("sql", "SELECT count(*) AS n FROM faults", "--format", "json", "--db", "all.db", cwd=tmp_path)
    assert json.loads(answer.stdout)[0]["n"] == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_line_of_help_and_an_example(name: str) -> None:
    command = cli.get_command(None, name)  # type: ignore[attr-defined]
    assert command.get_short_help_str()
    text = CliRunner().invoke(command, ["--help"]).output
    assert f"stateful {name}" in text


def test_the_version_is_told() -> None:
    from stateful import __version__

    assert __version__ in CliRunner().invoke(cli, ["--version"]).output


def test_a_trace_keeps_all_calls(tmp_path: Path) -> None:
    target = str(EXAMPLES / "linked_list.py")
    run = ("run", target, "--tests", "300", "--seed", "1", "-q", "--trace", "calls")
    assert stateful(*run, cwd=tmp_path).returncode == 0
    files = sorted((tmp_path / "calls" / "seed-1").iterdir())
    assert sum(len(list(read_trace(file))) for file in files) == 300
    again = stateful(*run, cwd=tmp_path)
    assert again.returncode == 2
    assert "calls holds something already; name a new folder" in again.stderr


def test_a_dry_run_lists_what_would_be_called_and_what_not(tmp_path: Path) -> None:
    done = stateful("run", "tests.subjects.odd", "--dry-run", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "tests.subjects.odd:Gate.level=(value: int)  [setter]" in done.stdout
    assert "tests.subjects.odd:Untyped.fill(amount: index)" in done.stdout
    assert "tests.subjects.odd:Sized: is a protocol" in done.stdout
    assert "raises ValueError" in done.stdout
    listed = json.loads(stateful("run", "tests.subjects.odd", "--dry-run", "--json", cwd=ROOT).stdout)
    assert any(routine["name"].endswith("Gate.unlock") for routine in listed["routines"])


def test_sessions_strategies_and_values_are_options(tmp_path: Path) -> None:
    target = str(EXAMPLES / "linked_list.py")
    done = stateful(
        "run", target, "-o", "run.db", "--tests", "80", "--sessions", "2", "--seed", "5", "--strategy", "autotest",
        "--set", "div=0.1", "--value", "4711", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["calls"] == 160
    rows = stateful(
        "sql", "--db", "run.db", "SELECT strategy, seed, settings FROM sessions", "--format", "json", cwd=tmp_path
    )
    sessions = json.loads(rows.stdout)
    assert [(row["strategy"], row["seed"]) for row in sessions] == [("autotest", 5), ("autotest", 6)]
    assert json.loads(sessions[0]["settings"])["div"] == 0.1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--strategy", "autotest", "--set", "dvi=1"), "strategy 'autotest' has no setting 'dvi'; did you mean 'div'?"),
        (("--value", "open('x')"), "is no Python literal"),
        (("--workers", "0"), "0 is not in the range"),
    ],
)
def test_wrong_options_of_testing_are_refused_in_one_sentence(
    options: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    done = stateful("run", str(EXAMPLES / "linked_list.py"), *options, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_options_of_a_project_are_in_its_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.stateful]\ntests = 60\nstrategy = "random"\nseed = "3"\n')
    run = ("run", str(EXAMPLES / "linked_list.py"), "-o", "run.db", "--json")
    assert json.loads(stateful(*run, cwd=tmp_path).stdout)["calls"] == 60
    assert json.loads(stateful(*run, "--tests", "70", cwd=tmp_path).stdout)["calls"] == 70
    (tmp_path / "pyproject.toml").write_text("[tool.stateful]\nstrateyg = 1\n")
    done = stateful(*run, cwd=tmp_path)
    assert done.returncode == 2
    assert "has no option 'strateyg'; did you mean 'strategy'?" in done.stderr


SAVINGS = """
class Savings:
    def __init__(self) -> None:
        self.total = 0

    def pay(self, amount: int) -> None:
        self.total += amount

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return 0
"""
LAWS = '''
def no_debt(savings):
    """There is never a debt"""
    return savings.total >= 0
'''


def test_users_add_laws_and_switch_others_off(tmp_path: Path) -> None:
    (tmp_path / "savings.py").write_text(SAVINGS)
    (tmp_path / "my_laws.py").write_text(LAWS)
    plain = stateful("run", "savings", "--tests", "300", "--seed", "5", "--json", "-o", "plain.db", cwd=tmp_path)
    assert {fault["law"] for fault in json.loads(plain.stdout)["faults"]} == {"truth"}
    (tmp_path / "pyproject.toml").write_text('[tool.stateful]\nlaws = ["my_laws:no_debt"]\nwithout-laws = ["truth"]\n')
    done = stateful("run", "savings", "--tests", "300", "--seed", "5", "--json", "-o", "own.db", cwd=tmp_path)
    (fault,) = json.loads(done.stdout)["faults"]
    assert (fault["law"], fault["likelihood"], fault["confirmed"]) == ("own law no_debt", "certain", True)
    assert "from my_laws import no_debt\nsaid = no_debt(savings)\nassert said is None" in fault["reproducer"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--law", "nothing"], "'nothing' is no law: write module:function"),
        (["--law", "my_laws:nothing"], "cannot take the law 'my_laws:nothing'"),
        (["--without-law", "thruth"], "there is no law 'thruth' to switch off; do you mean 'truth'"),
    ],
)
def test_a_wrong_law_is_one_sentence(options: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "savings.py").write_text(SAVINGS)
    done = stateful("run", "savings", "--tests", "20", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run.db").exists()


def test_less_believable_faults_are_listed_in_full_on_demand(tmp_path: Path) -> None:
    (tmp_path / "pile.py").write_text("class Pile(list):\n    def top(self) -> object:\n        return self.pop()\n")
    stateful("run", "pile", "--tests", "100", "--seed", "2", cwd=tmp_path)
    brief = stateful("faults", "--db", "run.db", cwd=tmp_path).stdout
    assert "Pile.top  IndexError" in brief
    assert "pile.top()" not in brief
    assert "pile.top()" in stateful("faults", "--all", "--db", "run.db", cwd=tmp_path).stdout
    assert "a false alarm if" in stateful("show", "F1", "--db", "run.db", cwd=tmp_path).stdout


def test_the_same_seed_gives_the_same_faults_with_the_same_ids(tmp_path: Path) -> None:
    told = []
    share = "\n    def share(self, people: int) -> float:\n        return self.total / people\n"
    (tmp_path / "savings.py").write_text(SAVINGS + share)
    for name in ("one.db", "two.db"):
        done = stateful("run", "savings", "--tests", "400", "--seed", "5", "--json", "-o", name, cwd=tmp_path)
        told.append(json.loads(done.stdout)["faults"])
    assert len(told[0]) == 2
    assert told[0] == told[1]


def test_a_fault_is_replayed_on_the_subject_as_it_is_now(tmp_path: Path) -> None:
    subject = tmp_path / "savings.py"
    subject.write_text(SAVINGS)
    stateful("run", "savings", "--tests", "100", "--seed", "1", cwd=tmp_path)
    before = stateful("replay", "F1", "--db", "run.db", cwd=tmp_path)
    assert (before.returncode, before.stdout.split("  ")[:2]) == (1, ["F1", "still fails: AssertionError"])
    subject.write_text(SAVINGS.replace("return True", "return False"))
    after = stateful("replay", "f1", "--db", "run.db", cwd=tmp_path)
    assert (after.returncode, after.stdout.split("  ")[:2]) == (0, ["F1", "passes now"])
    assert "no fault 'F7'" in stateful("replay", "F7", "--db", "run.db", cwd=tmp_path).stderr


def test_a_wrong_law_is_not_remembered(tmp_path: Path) -> None:
    (tmp_path / "savings.py").write_text(SAVINGS)
    stateful("run", "savings", "--tests", "20", "--seed", "1", cwd=tmp_path)
    assert stateful("run", "savings", "--tests", "20", "--without-law", "thruth", cwd=tmp_path).returncode == 2
    assert "no law" not in stateful("run", "savings", "--tests", "20", "--seed", "2", cwd=tmp_path).stderr


@pytest.mark.parametrize("name", ["random", "json", "copy"])
def test_a_file_called_like_a_module_of_python_hides_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("class Queue:\n    def put(self) -> None: ...\n")
    (tmp_path / "account.py").write_text("class Account:\n    def name(self) -> str:\n        return ''\n")

    def run(file: str) -> subprocess.CompletedProcess[str]:
        """As the command does, which does not look for modules in the working directory either."""
        command = [sys.executable, "-P", "-m", "stateful", "run", file, "--tests", "5"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    done = run("account.py")
    assert done.returncode == 0, done.stderr
    done = run(f"{name}.py")
    assert done.returncode == 2
    assert f"by the name '{name}' Python knows another module; rename the file" in done.stderr


def test_find_says_what_nothing_has_instead_of_finding_nothing(folder: Path) -> None:
    done = stateful("find", "LinkedList", "--where", "self.is_emty()", cwd=folder)
    assert done.returncode == 2
    assert "nothing is known of 'is_emty' of linked_list:LinkedList; did you mean 'is_empty'?" in done.stderr
    done = stateful("find", "LinkedList", "--where", "raises(IndexError)", cwd=folder)
    assert "speaks of a call" in done.stderr


def test_found_objects_differ_and_can_be_built_where_the_module_is_elsewhere(folder: Path) -> None:
    with Explorer(folder / ".stateful" / "stateful.db") as database:
        found = database.find("LinkedList", where="len(self) >= 1", limit=6)
        assert len({one.code for one in found}) == len(found) == 6
        assert all(type(one.rebuilt()[0]).__name__ == "LinkedList" for one in found)


def test_an_explained_query_can_be_pasted(folder: Path) -> None:
    query = "-- what: it is\nSELECT 1 AS a;"
    done = stateful("sql", query, "--format", "csv", cwd=folder)
    assert done.stdout.split() == ["a", "1"], done.stderr


def test_a_database_of_what_is_gone_says_so(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text("class Gone:\n    def name(self) -> str:\n        return ''\n")
    (tmp_path / "here.py").write_text("class Here:\n    def name(self) -> str:\n        return ''\n")
    assert stateful("run", "gone.py", "--tests", "20", cwd=tmp_path).returncode == 0
    (tmp_path / "gone.py").unlink()
    done = stateful("reduce", "--db", "run.db", cwd=tmp_path)
    assert done.returncode == 2
    assert "run.db holds tests of" in done.stderr
    assert "put it back, or begin another file" in done.stderr


def test_what_cannot_be_imported_is_left_out_until_it_can_be(tmp_path: Path) -> None:
    gone = "class Gone:\n    def name(self) -> str:\n        return ''\n"
    (tmp_path / "gone.py").write_text(gone)
    (tmp_path / "here.py").write_text("class Here:\n    def name(self) -> str:\n        return ''\n")
    for name in ("gone.py", "here.py"):
        assert stateful("run", name, "--tests", "20", cwd=tmp_path).returncode == 0
    (tmp_path / "gone.py").write_text("class Gone(:\n")
    for command in (("run", "here.py", "--tests", "20"), ("reduce", "--db", "run.db")):
        done = stateful(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("left out: ") == 1
        assert "gone, which is not as it was" in done.stderr
    tests = "SELECT count(*) FROM calls WHERE routine LIKE 'gone:%'"
    assert int(stateful("sql", tests, "--db", "run.db", "--format", "csv", cwd=tmp_path).stdout.split()[1]) > 0
    assert "cannot import gone" in stateful("run", "gone.py", "--tests", "20", cwd=tmp_path).stderr
    (tmp_path / "gone.py").write_text(gone)
    done = stateful("reduce", "--db", "run.db", cwd=tmp_path)
    assert done.returncode == 0
    assert "gone" not in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("deadline = 0", "is no duration"), ("time = -5", "is no duration"), ("workers = [1]", "one string or number"),
        ("time = true", "is no duration"), ('output = "c.db"', "put it into [tool.stateful.run]"),
        ('format = "icontract"', "means something else to each command"),
        ("run = 3", "where a table of options is wanted"), ("no-coverage = 1", "where true or false is wanted"),
        ("[tool.stateful.run]\nlimit = 4", "[tool.stateful.run] in"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_is_one_sentence(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.stateful]\n{line}\n")
    (tmp_path / "here.py").write_text("class Here:\n    def name(self) -> str:\n        return ''\n")
    done = stateful("run", "here.py", "--dry-run", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_answer_never_overwrites_a_database(linked_list: Path) -> None:
    before = linked_list.read_bytes()
    for form in ("table", "parquet"):
        done = stateful(
            "sql",
            "SELECT 1",
            "--db",
            str(linked_list),
            "-o",
            str(linked_list),
            "--format",
            form,
            cwd=linked_list.parent,
        )
        assert done.returncode == 2
        assert "is a database; name another file" in done.stderr
    assert linked_list.read_bytes() == before


def test_a_command_has_options_of_its_own_in_the_configuration(tmp_path: Path) -> None:
    options = "[tool.stateful]\ntests = 60\nno-coverage = true\n[tool.stateful.run]\ntests = 70\noutput = 'own.db'\n"
    (tmp_path / "pyproject.toml").write_text(options)
    told = json.loads(stateful("run", str(EXAMPLES / "linked_list.py"), "--json", cwd=tmp_path).stdout)
    assert told["calls"] == 70
    assert (tmp_path / "own.db").exists()


def test_the_faults_of_other_targets_are_counted_and_not_listed(tmp_path: Path) -> None:
    (tmp_path / "lamp.py").write_text("class Lamp:\n    def light(self) -> int:\n        return self.watts\n")
    (tmp_path / "door.py").write_text("class Door:\n    def width(self) -> int:\n        return 90\n")
    assert stateful("run", "lamp.py", "--tests", "30", "-o", "x.db", cwd=tmp_path).returncode == 1
    done = stateful("run", "door.py", "--tests", "30", "-o", "x.db", cwd=tmp_path)
    assert done.returncode == 0
    assert "no faults found\n1 fault of other targets in this database; 'stateful faults' lists all" in done.stdout
    again = stateful("run", "lamp.py", "--tests", "5", "-o", "x.db", "--json", cwd=tmp_path)
    assert [fault["routine"] for fault in json.loads(again.stdout)["faults"]] == ["lamp:Lamp.light"]


def test_who_reads_the_first_lines_only_gets_them(linked_list: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "stateful",
        "sql",
        "FROM range(200000)",
        "--format",
        "csv",
        "--db",
        str(linked_list),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().strip() == b"range"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
