"""The command line: what is printed last, and how wrong use ends."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine import VARIANTS, VERSION, Engine
from tests.process.peer import run


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"damier {VERSION}\n", "")


def test_help_lists_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("hub", "uci", "dxp", "perft", "bench", "match", "check"):
        assert re.search(rf"^  {command} +\S", done.stdout, re.M)
        assert run(command, "--help").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "nodes"),
    [
        (("russian", "4"), 1469),
        (("25", "1"), 7),
        (("international", "0"), 1),
        (("english", "3", "--fen", "B:W21-32:B1-12"), 302),
    ],
)
def test_perft(arguments: tuple[str, ...], nodes: int) -> None:
    done = run("perft", *arguments)
    assert done.returncode == 0
    speed, last = done.stdout.splitlines()[-2:]
    assert re.fullmatch(r"nps \d+", speed)
    assert last == f"nodes {nodes}"


def test_perft_divided() -> None:
    lines = run("perft", "russian", "3", "--divide").stdout.splitlines()
    counts = [int(line.rpartition(": ")[2]) for line in lines[:-2]]
    assert len(counts) == 7
    assert lines[-1] == f"nodes {sum(counts)}"


def test_bench_depends_on_the_program_alone() -> None:
    outputs = [run("bench", "--variant", "english", "--depth", "3").stdout.splitlines() for _ in range(2)]
    signatures = {lines[-2] for lines in outputs}
    assert len(signatures) == 1
    assert re.fullmatch(r"signature [1-9]\d*", signatures.pop())
    assert all(re.fullmatch(r"nps \d+", lines[-1]) for lines in outputs)


def test_variants() -> None:
    done = run("variants")
    assert done.returncode == 0
    for rules in VARIANTS.values():
        assert re.search(rf"^{rules.name} .*{rules.columns}x{rules.rows}", done.stdout, re.M)
    assert "checkers" in done.stdout
    assert "russian-losing" in done.stdout
    engine = Engine()
    slow = re.search(r"^Not compiled .*\brussian\b", done.stdout, re.M)
    assert (slow is None) == engine.is_compiled


def test_board() -> None:
    done = run("board", "russian", "--fen", "W:Wc3:Bd4,f6")
    assert done.returncode == 0
    assert "W:Wc3:Bd4,f6" in done.stdout
    assert re.search(r"^White to move, 1 legal: \S+$", done.stdout, re.M)


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("perft",),
        ("perft", "chess960", "3"),
        ("perft", "russian", "x"),
        ("perft", "russian", "-1"),
        ("perft", "russian", "99999999999"),
        ("perft", "russian", "3", "--fen", "W:Wz9:B1"),
        ("board", "russian", "--fen", "nonsense"),
        ("board", "atlantis"),
        ("bench", "--variant", "atlantis"),
        ("bench", "--depth", "deep"),
        ("hub", "--threads=many"),
        ("hub", "stray"),
        ("--colour=red",),
        ("variants", "--colour"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_gui_waits_for_nothing_that_it_does_not_need() -> None:
    """Tables and plots, other machines, and the numbers behind training come when a command wants them."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "protocol", "hub"],
        input="hub\nquit\n",
        capture_output=True,
        text=True,
        cwd=root,
        timeout=300,
        check=True,
    )
    assert done.stdout.endswith("wait\n")
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert {"engine", "protocol", "trio"} <= loaded
    assert not loaded & {"rich", "numpy", "scipy", "distributed", "matplotlib", "shtab", "trio_websocket", "hypothesis"}
