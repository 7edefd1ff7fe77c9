"""The README's Python works as it stands, and its shell blocks are the ones that CI runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_plays_a_move(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec("\n".join(line[2:] for line in block.splitlines()), names)
    move, fen = capsys.readouterr().out.split()
    assert re.fullmatch(r"\d+-\d+", move)
    assert fen.startswith("B:W")


def test_the_shell_blocks_are_marked_for_ci() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    marked = re.findall(r"<!-- \.ci/run executes the next block as it stands: (\w+) -->\n```sh\n", README)
    assert marked == ["install", "test"]
    assert README.count("```sh") == len(marked)
    assert all(f"readme {name}" in script for name in marked)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
