"""Says which core is under test, compiled or plain, and refuses to test a stale one."""

import ast
import importlib.util
import os
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# a run in the background of a shell ignores SIGINT and would hand that down to every process that a test starts
signal.signal(signal.SIGINT, signal.default_int_handler)


def hot_modules() -> tuple[str, ...]:
    """The names of the compiled modules, read from setup.py."""
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "HOT":
            return tuple(ast.literal_eval(node.value)) if node.value else ()
    raise AssertionError("setup.py defines no HOT")


def compiled_file(module: str) -> Path | None:
    """The compiled file that `import module` would load; None when that is plain Python or nothing."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    file = Path(spec.origin) if spec and spec.origin else None
    return file if file and file.suffix in (".so", ".pyd") else None


def core() -> str:
    """ "compiled", "plain" or "mixed"."""
    kinds = {compiled_file(f"engine.{module}") is not None for module in hot_modules()} or {False}
    return "mixed" if len(kinds) == 2 else "compiled" if kinds.pop() else "plain"


def stale() -> list[str]:
    """What is wrong with the core: compiled files older than their sources, or another checkout's engine."""
    spec = importlib.util.find_spec("engine")
    places = spec.submodule_search_locations if spec else None
    found = [Path(place).resolve() for place in places or ()]
    if found != [ROOT / "engine"]:
        return [f"`import engine` finds {found}, not this checkout: pip install -e '.[test]'"]
    problems = []
    for module in hot_modules():
        sources = [ROOT / "engine" / name for name in (f"{module}.py", f"{module}.pxd", "bits.pxd")]
        newest = max(file.stat().st_mtime for file in sources if file.exists())
        for package in ("engine", "engine.wide"):
            file = compiled_file(f"{package}.{module}")
            if file and file.stat().st_mtime < newest:
                problems.append(f"{file.relative_to(ROOT)} is older than its source: build again")
    return problems


def pytest_report_header() -> str:
    return f"engine core: {core()}"


def pytest_configure() -> None:
    os.environ["DAMIER_EGDB"] = "off"  # this user's databases must not change what is tested
    problems = stale()
    kind = core()
    if kind == "mixed":
        problems.append("some hot modules are compiled and some are not: build again")
    if os.environ.get("DAMIER_REQUIRE_COMPILED") == "1" and kind != "compiled":
        problems.append(f"DAMIER_REQUIRE_COMPILED=1, but the core is {kind}")
    if os.environ.get("DAMIER_PLAIN") == "1" and kind != "plain":
        problems.append(f"DAMIER_PLAIN=1, but the core is {kind}")
    if problems:
        raise pytest.UsageError("; ".join(problems))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs the compiled core when the core is plain."""
    if core() == "compiled":
        return
    left_out = [item for item in items if item.get_closest_marker("compiled")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("compiled")]
