"""The source distribution and the wheel that is built from it: complete, and enough without a compiler."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (".ci", ".github", "docs", "engine", "examples", "protocol", "scripts", "share", "tests", "typings")
FILES = ("CHANGELOG.md", "LICENSE", "MANIFEST.in", "README.md", "mkdocs.yml", "pyproject.toml", "setup.py")
MADE = shutil.ignore_patterns("wide", "*.so", "*.pyd", "__pycache__", ".*_cache")

pytestmark = pytest.mark.slow


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("DAMIER_", "PYTHON"))}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=inherited | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A copy of the tree in which both were built."""
    tree = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name, ignore=MADE)
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    sources = {str(file.relative_to(tree)) for file in tree.rglob("*") if file.is_file()}
    (tree / "sources").write_text("\n".join(sources), encoding="utf-8")
    run(sys.executable, "-m", "build", "--no-isolation", folder=tree, DAMIER_REQUIRE_COMPILED="1")
    yield tree, tree / "dist"


def test_the_source_distribution_holds_all_sources_and_nothing_made(built: tuple[Path, Path]) -> None:
    tree, folder = built
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    sources = set((tree / "sources").read_text(encoding="utf-8").splitlines())
    assert sources - names == set()
    assert [name for name in names if name.endswith((".c", ".so", ".pyc")) and not name.startswith("scripts/")] == []
    assert [name for name in names if name.startswith(("build/", "engine/wide/"))] == []


def test_the_wheel_plays_where_there_is_no_compiler(built: tuple[Path, Path], tmp_path: Path) -> None:
    _, folder = built
    (wheel,) = folder.glob("*.whl")
    venv.create(tmp_path / "fresh", with_pip=True)
    scripts = tmp_path / "fresh" / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / "python"
    path = {"PATH": str(scripts)}
    assert shutil.which("cc", path=path["PATH"]) is None
    run(python, "-m", "pip", "install", "--only-binary", ":all:", wheel, folder=tmp_path, **path)
    said = run(python, ROOT / "scripts" / "try_installed.py", folder=tmp_path, **path)
    assert "canadian compiled" in said
    assert said.count("done move=") == 2
    manual = tmp_path / "fresh" / "share" / "man" / "man1" / "damier.1"
    assert manual.read_text(encoding="utf-8").startswith(".TH DAMIER 1")
