"""Source files are read once, and give what `inspect` gives."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from stateful.subject.discover import discover
from stateful.subject.files import function_node, read, source_of_class
from stateful.subject.source import once
from stateful.subject.target import parse_target
from tests.subjects import holding, judged, odd, parcel, shapes


@pytest.mark.parametrize("module", [holding, judged, odd, parcel, shapes])
def test_classes_have_the_source_that_inspect_finds(module: object) -> None:
    for cls in (each for each in vars(module).values() if inspect.isclass(each) and each.__module__ == module.__name__):  # type: ignore[attr-defined]
        assert source_of_class(cls).split() == inspect.getsource(cls).split()


def test_functions_are_found_by_their_lines_and_lambdas_are_not_taken_for_them() -> None:
    node = function_node(judged.Judged.asserts_later)
    assert node is not None
    assert node.name == "asserts_later"
    assert function_node(holding.Sorter.by_size) is None
    assert function_node(holding.traced_length) is not None
    assert function_node(len) is None


def test_what_is_no_python_has_no_source(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    assert read(str(tmp_path / "broken.py")) is None
    assert read(str(tmp_path / "bytes.py")) is None
    assert read(str(tmp_path / "missing.py")) is None


def test_a_function_is_asked_once() -> None:
    asked = []
    ask = once(lambda function: asked.append(function) or ast.dump(ast.parse("1")))  # type: ignore[func-returns-value]
    assert ask(len) == ask(len)
    assert asked == [len]


def test_an_inherited_docstring_is_one_example(tmp_path: Path) -> None:
    (tmp_path / "heirs.py").write_text(
        'class A:\n    def f(self):\n        """\n        >>> A().f()\n        """\n\n'
        "class B(A):\n    pass\n\nclass C(B):\n    pass\n"
    )
    assert len(discover([parse_target(str(tmp_path / "heirs.py"))]).examples) == 1
