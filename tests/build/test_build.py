"""The build's list of hot modules, the `.pxd` files and the package data agree."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import hot_modules

ROOT = Path(__file__).resolve().parents[2]
SHARED = {"bits"}  # declarations only: every hot module cimports them, none is compiled from them


def test_every_hot_module_has_its_types_beside_it() -> None:
    declared = {file.stem for file in (ROOT / "engine").glob("*.pxd")} - SHARED
    assert declared == set(hot_modules())
    for module in declared:
        assert (ROOT / "engine" / f"{module}.py").is_file()


def test_directives_stand_in_setup_alone() -> None:
    """A directive comment wins over the settings of the checked build."""
    for file in (ROOT / "engine").glob("*.p*"):
        if file.suffix in (".py", ".pxd"):
            assert "# cython:" not in file.read_text(encoding="utf-8"), file.name


def test_wheels_carry_types_and_no_c_sources() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = project["tool"]["setuptools"]
    data = tools["package-data"]
    assert tools["include-package-data"] is False
    assert {"*.pxd", "py.typed"} <= set(data["engine"])
    assert "py.typed" in data["protocol"]
    assert not any(pattern.endswith((".c", ".so")) for patterns in data.values() for pattern in patterns)
    for package in ("engine", "protocol"):
        assert (ROOT / package / "py.typed").is_file()


def test_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert "version" not in project["project"]


@pytest.mark.compiled
def test_wide_boards_are_played_where_only_the_narrow_core_is_compiled(tmp_path: Path) -> None:
    """As on Windows, whose compiler has no 128-bit word."""
    for package in ("engine", "protocol"):
        shutil.copytree(ROOT / package, tmp_path / package)
    for file in [*tmp_path.glob("engine/wide/*.so"), *tmp_path.glob("engine/wide/*.pyd")]:
        file.unlink()
    command = [sys.executable, "-m", "protocol"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    def said(*words: str) -> str:
        return subprocess.check_output([*command, *words], cwd=tmp_path, env=environment, text=True)

    assert said("perft", "canadian", "3").endswith("nodes 1222\n")
    assert "slower: canadian, turkish\n" in said("variants")
