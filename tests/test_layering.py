"""The arrows between the packages, checked on the source text.

protocol.cli -> protocol.* -> engine (public face, plain modules) -> engine.*; nothing imports scripts.
"""

import ast
from pathlib import Path

import pytest

from tests.conftest import hot_modules

ROOT = Path(__file__).resolve().parent.parent
HOT = hot_modules()
HIDDEN = (*HOT, "bits", "wide")  # behind the public face
# Plain data that the core is made from.
HOT_MAY = {
    "bits",
    "counters",
    "egdb_slices",
    "geometry",
    "pattern_groups",
    "pattern_weights",
    "rules",
    "scores",
    "tuning",
}
HOT_STANDARD = {"array", "cython", "math", "mmap", "os", "zlib", "collections", "dataclasses", "typing"}
PURE = ("hub", "hub1", "dxp", "uci", "machine", "actions", "auto", "framing", "levels", "phases", "replay", "settings")
LINES = 600


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


def dotted(file: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def first_imports(file: Path) -> set[str]:
    """Modules of this tree that a module needs to be imported itself; a package stands for nothing but its own file."""
    found: set[str] = set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            waiting += [*node.body, *node.orelse]
        elif isinstance(node, ast.ImportFrom):
            base = (node.module or "").replace(".", "/")
            names = [alias.name for alias in node.names if (ROOT / base / f"{alias.name}.py").exists()]
            found |= {f"{node.module}.{name}" for name in names} if names else {node.module or ""}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


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


@pytest.mark.parametrize("module", HOT)
def test_hot_modules_know_nothing_but_each_other_and_plain_data(module: str) -> None:
    """Neither positions, games, texts nor the engine: those are made of them."""
    for name in imports(ROOT / "engine" / f"{module}.py"):
        package, _, rest = name.partition(".")
        if name == "engine":  # `from engine import scores` names the module as well
            continue
        if package == "engine":
            assert rest.split(".")[0] in {*HOT, *HOT_MAY}, name
        else:
            assert package in HOT_STANDARD, name


@pytest.mark.parametrize("package", ["engine", "protocol"])
def test_no_module_needs_itself(package: str) -> None:
    """Imports at the head of modules form no circle; what is needed for types alone does not count."""
    graph = {dotted(file): first_imports(file) for file in sources(package)}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name not in done:
            for other in sorted(graph[name] & graph.keys()):
                visit(other, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


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
