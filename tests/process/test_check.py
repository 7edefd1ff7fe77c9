"""`damier check`: damier passes it in each protocol, and what an engine does wrong is found and shown."""

import sys
from pathlib import Path

import pytest

from tests.process.peer import run

GOOD = """
import sys
for line in sys.stdin:
    word = line.split()[:1]
    if word == ["hub"]:
        print('id name=Toy version=1 author="A B" country=NL', flush=True)
        print("wait", flush=True)
    elif word == ["init"]:
        print("ready", flush=True)
    elif word == ["ping"]:
        print("pong", flush=True)
    elif word == ["go"]:
        print("info depth=1 mean-depth=1.0 score=0.00 nodes=1 pv=31-27", flush=True)
        print("done move=31-27", flush=True)
    elif word == ["stop"]:
        FAULT
    elif word == ["quit"]:
        break
"""


@pytest.mark.compiled
@pytest.mark.parametrize("protocol", ["hub", "hub1", "uci"])
def test_damier_passes_its_own_check(protocol: str) -> None:
    for _ in range(3):  # it measures times too, and other programs may hold up one run
        done = run("check", "--protocol", protocol, "--", sys.executable, "-m", "protocol", protocol)
        if done.returncode == 0:
            break
    assert "FAILED" not in done.stdout, done.stdout
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].endswith(" passed, 0 failed")
    assert done.stderr == ""


def test_an_engine_that_answers_what_nobody_asked(tmp_path: Path) -> None:
    script = tmp_path / "toy.py"
    script.write_text(GOOD.replace("FAULT", "print('done move=31-27', flush=True)"))
    done = run("check", "--timeout", "2", "--", sys.executable, str(script))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    at = lines.index("FAILED  2. `stop` and `ponder-hit` while idle: no output")
    assert lines[at + 1] == "        an answer that nothing asked for: 'done move=31-27'"
    assert any(line.endswith("> stop") for line in lines[at:])
    assert any(line.startswith("passed  `hub` is answered by") for line in lines)


def test_an_engine_that_says_nothing_or_does_not_exist(tmp_path: Path) -> None:
    script = tmp_path / "dumb.py"
    script.write_text("import sys\nsys.stdin.read()\n")
    done = run("check", "--timeout", "0.5", "--", sys.executable, str(script))
    assert done.returncode == 1
    assert "answers neither" in done.stdout
    done = run("check", "--", str(tmp_path / "missing"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
