"""The live table on a terminal, and lines elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_live_table_on_a_terminal(mock_engine: Callable[..., str], tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "protocol.cli", "match", "--engine", mock_engine("Alpha"),
            "--engine", mock_engine("Beta", "crash", at=0), "--games", "4", "--tc", "movetime=1", "--balance", "off",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "140", "LINES": "50"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    assert "4 of 4 games, 0 pairs running" in text
    assert re.search(r"│ +1 │ Alpha +│ +4 │ +4 │ +100\.0 │", text)
    assert "disconnect: ended with exit code 7" in text
    assert "Alpha v Beta: 4/4 (+4 =0 -0)" in text
