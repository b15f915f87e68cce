"""TARGET: what a user may name, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful.errors import SubjectError
from stateful.subject.target import Target, parse_target


def test_modules_and_classes() -> None:
    assert parse_target("a.b") == Target("a.b")
    assert parse_target("a.b:C, D") == Target("a.b", None, ("C", "D"))


def test_a_file_is_imported_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "thing.py").write_text("")
    assert parse_target(f"{tmp_path}/thing.py:T") == Target("thing", str(tmp_path), ("T",))


def test_a_file_in_a_package_is_imported_by_its_full_name(tmp_path: Path) -> None:
    package = tmp_path / "pkg" / "sub"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "mod.py").write_text("")
    assert parse_target(str(package / "mod.py")) == Target("pkg.sub.mod", str(tmp_path))


@pytest.mark.parametrize("text", ["no/such.py", "1abc", "", "a b", "a..b"])
def test_what_is_no_target_is_quoted(text: str) -> None:
    with pytest.raises(SubjectError):
        parse_target(text)


def test_a_file_with_an_impossible_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "my-thing.py").write_text("")
    with pytest.raises(SubjectError, match="identifier"):
        parse_target(f"{tmp_path}/my-thing.py")
