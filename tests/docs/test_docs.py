"""The documents: what they take from the code is up to date, and the Python in them works."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [file for file in sorted((ROOT / "docs").glob("*.md")) if ">>> " in file.read_text(encoding="utf-8")]


def test_generated_pieces_are_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, f"run scripts/write_docs.py: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_the_pages(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


def test_python_in_the_engine_package() -> None:
    import engine

    result = doctest.testmod(engine)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_page_is_in_the_navigation() -> None:
    pages = re.findall(r"^ +- .*: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(pages) == sorted(file.name for file in (ROOT / "docs").glob("*.md"))


def test_the_architecture_names_every_module() -> None:
    page = re.sub(r"```.*?```", "", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    named = {word for quoted in re.findall(r"`([^`\n]+)`", page) for word in re.findall(r"[\w./]+", quoted)}
    missing = []
    for top in ("engine", "protocol", "scripts"):
        for file in (ROOT / top).rglob("*.py"):
            inner = {f"{folder}/" for folder in file.relative_to(ROOT / top).parts[:-1]}
            if "wide/" not in inner and not file.stem.startswith("__") and not {file.stem, file.name, *inner} & named:
                missing.append(str(file.relative_to(ROOT)))
    assert missing == []
