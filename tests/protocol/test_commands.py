"""What the commands say of themselves: examples that can be typed, completion that knows every option."""

import argparse
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from engine import PARAMS, VARIANTS
from protocol import commands
from protocol.cli import main

ROOT, PARSERS = commands.tree()
SERVE = commands.load("serve")
FILES = Path(commands.__file__).parent


def words(line: str) -> list[str]:
    """The arguments of damier in a command line that a shell understands."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>();")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    found: list[str] = []
    for word in lexer:
        if found and re.fullmatch("[|>();]+", word):
            break
        if found or word == "damier":
            found.append(word)
    return found[1:]


def examples(name: str) -> list[str]:
    lines: list[str] = commands.load(name).EXAMPLES.strip().splitlines()
    return lines


def test_every_module_is_a_command() -> None:
    assert {file.stem for file in FILES.glob("*.py")} == {*commands.NAMES, "serve", "__init__"}


@pytest.mark.parametrize(("name", "line"), [(name, line) for name in commands.NAMES for line in examples(name)])
def test_examples_are_accepted(name: str, line: str) -> None:
    first, *rest = words(line)
    assert first == name
    PARSERS[name].parse_args(rest)
    assert len(line) <= 116


@pytest.mark.parametrize("line", examples("serve"))
def test_examples_of_damier_alone_are_accepted(line: str) -> None:
    parser = argparse.ArgumentParser()
    commands.declare(parser, SERVE)
    parser.parse_args(words(line))


def test_parameters_are_options_where_the_command_takes_them() -> None:
    parsed = PARSERS["hub"].parse_args(["--variant", "russian", "--tt-size=20", "--log", "x"])
    assert parsed.parameters == [("variant", "russian"), ("tt-size", "20")]
    assert PARSERS["hub"].parse_args([]).parameters == []
    assert PARSERS["play"].parse_args(["--strength", "3"]).strength == 3


@pytest.fixture(scope="module")
def scripts() -> dict[str, str]:
    texts = {}
    for shell in ("bash", "zsh", "fish"):
        with pytest.MonkeyPatch.context() as patch:
            written: list[str] = []
            patch.setattr("builtins.print", written.append)
            assert main(["completion", shell]) == 0
        texts[shell] = "\n".join(written)
    return texts


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_options_parameters_and_variants(scripts: dict[str, str], shell: str) -> None:
    for word in (*commands.NAMES, *VARIANTS, *PARAMS, "opening-plies", "build"):
        assert re.search(rf"(?<![a-z]){re.escape(word)}(?![\w-])", scripts[shell]), word


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("damier bo", {"board", "book"}),
        ("damier board rus", {"russian"}),
        ("damier hub --variant fr", {"frisian", "frysk", "frisian-losing", "frysk-losing"}),
        ("damier egdb ver", {"verify"}),
        ("damier completion ", {"bash", "zsh", "fish"}),
        (f"damier pdn {FILES}/__in", {f"{FILES}/__init__.py"}),
    ],
)
def test_bash_completes(scripts: dict[str, str], tmp_path: Path, typed: str, offered: set[str]) -> None:
    line = shlex.join(typed.split(" "))
    ask = (
        f"COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _shtab_damier\nprintf '%s\\n' ${{COMPREPLY[@]}}"
    )
    file = tmp_path / "damier"
    file.write_text(scripts["bash"] + "\n" + ask, encoding="utf-8")
    done = subprocess.run(["bash", str(file)], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered
