"""The build with and without a C compiler, in a copy of the tree."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import hot_modules

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("engine", "protocol", "share", "setup.py", "pyproject.toml", "README.md", "LICENSE")
BUILT = shutil.ignore_patterns("wide", "*.so", "*.pyd", "__pycache__")

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in KEPT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=BUILT)
        else:
            shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def build_wheel(tree: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DAMIER_")}
    return subprocess.run(
        [sys.executable, "setup.py", "bdist_wheel"],
        cwd=tree,
        env=inherited | variables,
        capture_output=True,
        text=True,
    )


def contents(tree: Path) -> list[str]:
    (wheel,) = (tree / "dist").glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_without_a_compiler_the_build_warns_and_ships_plain_python(tree: Path) -> None:
    done = build_wheel(tree, CC="false")
    assert done.returncode == 0
    for module in hot_modules():
        assert f"WARNING: engine.{module} is not compiled" in done.stderr
        assert f"engine/{module}.py" in contents(tree)
    assert not [name for name in contents(tree) if name.endswith((".so", ".pyd"))]


def test_without_a_compiler_a_required_compilation_fails(tree: Path) -> None:
    assert build_wheel(tree, CC="false", DAMIER_REQUIRE_COMPILED="1").returncode != 0


def test_a_plain_build_calls_no_compiler_and_contradictions_are_refused(tree: Path) -> None:
    done = build_wheel(tree, CC="false", DAMIER_PLAIN="1")
    assert done.returncode == 0
    assert "WARNING" not in done.stderr
    assert not [name for name in contents(tree) if "wide" in name or name.endswith(".so")]
    refused = build_wheel(tree, DAMIER_PLAIN="1", DAMIER_REQUIRE_COMPILED="1")
    assert refused.returncode != 0
    assert "contradicts" in refused.stderr


def test_a_wheel_holds_both_widths_their_types_and_no_c(tree: Path) -> None:
    done = build_wheel(tree, DAMIER_REQUIRE_COMPILED="1")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "performance hint" not in (done.stdout + done.stderr).lower()
    names = contents(tree)
    for module in hot_modules():
        for folder in ("engine", "engine/wide"):
            assert f"{folder}/{module}.py" in names
            assert f"{folder}/{module}.pxd" in names
            assert [name for name in names if name.startswith(f"{folder}/{module}.") and name.endswith(".so")]
    assert {"engine/py.typed", "protocol/py.typed"} <= set(names)
    assert not [name for name in names if name.endswith(".c")]
