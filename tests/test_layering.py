"""The arrows between the packages, checked on the source text.

protocol.cli -> protocol.* -> engine (public face, plain modules) -> engine.*; nothing imports scripts.
"""

import ast
from pathlib import Path

import pytest

from tests.conftest import hot_modules

ROOT = Path(__file__).resolve().parent.parent
HIDDEN = (*hot_modules(), "bits", "wide")  # behind the public face
PURE = ("hub", "hub1", "dxp", "uci", "machine", "actions", "auto", "framing", "levels", "phases", "replay", "settings")
LINES = 800


def sources(folder: str) -> list[Path]:
    files = (ROOT / folder).rglob("*.py")
    return sorted(file for file in files if "wide" not in file.relative_to(ROOT).parts)


def imports(file: Path) -> set[str]:
    """Full dotted names of everything a file imports, wherever in the file the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: relative import"
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def within(names: set[str], package: str) -> set[str]:
    return {name for name in names if name == package or name.startswith(package + ".")}


def parameters(*folders: str) -> pytest.MarkDecorator:
    files = [file for folder in folders for file in sources(folder)]
    return pytest.mark.parametrize("file", files, ids=lambda file: str(file.relative_to(ROOT)))


@parameters("engine")
def test_engine_knows_no_protocol_and_no_event_loop(file: Path) -> None:
    names = imports(file)
    for package in ("protocol", "scripts", "tests", "trio", "asyncio"):
        assert not within(names, package)


@parameters("engine")
def test_engine_never_touches_the_standard_streams(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "input"), f"line {node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            assert node.attr not in ("stdin", "stdout"), f"line {node.lineno}"


@parameters("protocol")
def test_protocol_uses_the_public_face_of_the_engine(file: Path) -> None:
    names = imports(file)
    for module in HIDDEN:
        assert not within(names, f"engine.{module}")
    for package in ("scripts", "tests"):
        assert not within(names, package)
    if file.name not in ("cli.py", "__main__.py"):
        assert not within(names, "protocol.cli")


@parameters("protocol")
def test_state_machines_are_pure(file: Path) -> None:
    """Neither an event loop nor the clock nor a thread: bytes and events in, actions out."""
    if file.stem.split("_")[0] not in PURE or file.parent.name == "commands":
        return
    names = imports(file)
    for package in ("trio", "threading", "time", "os", "sys", "socket", "subprocess"):
        assert not within(names, package)


@parameters("engine", "protocol", "scripts", "tests")
def test_nothing_imports_scripts(file: Path) -> None:
    assert not within(imports(file), "scripts")


@parameters("engine", "protocol", "scripts")
def test_one_idea_a_module(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= LINES
