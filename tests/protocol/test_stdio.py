"""The writer of lines against readers of every pace."""

import os
import time

import pytest

from protocol import stdio
from protocol.stdio import Writer

LINES = [f"line {number}" for number in range(12)]


def write(paced: bool, slow: float) -> list[bytes]:
    """What a reader that rests `slow` seconds before each read gets in each of them."""
    source, target = os.pipe()
    writer = Writer(target, lambda: None)
    for line in LINES:
        writer.put(line, droppable=False, paced=paced)
    reads: list[bytes] = []
    while sum(map(len, reads)) < sum(len(line) + 1 for line in LINES):
        time.sleep(slow)
        reads.append(os.read(source, 65536))
    writer.close()
    os.close(target)
    os.close(source)
    assert b"".join(reads).decode().splitlines() == LINES
    return reads


@pytest.mark.parametrize("slow", [0.0, 0.003])
def test_a_paced_client_gets_one_line_in_each_read(monkeypatch: pytest.MonkeyPatch, slow: float) -> None:
    monkeypatch.setattr(stdio, "PATIENCE", 30.0)  # this reader may be held up by other programs
    assert write(paced=True, slow=slow) == [f"{line}\n".encode() for line in LINES]


def test_others_get_all_lines_at_once() -> None:
    assert len(write(paced=False, slow=0.5)) == 1


def test_a_client_that_does_not_read_delays_its_lines_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later lines follow a thousandth of a second apart until it reads again."""
    monkeypatch.setattr(stdio, "PATIENCE", 0.5)
    assert len(write(paced=True, slow=1.0)) < 4  # waited for one by one, two lines would come in each read


def test_leaving_lets_out_all_lines_at_once() -> None:
    source, target = os.pipe()
    writer = Writer(target, lambda: None)
    lines = [f"line {number}" for number in range(1000)]  # paced, they would take a second
    for line in lines:
        writer.put(line, droppable=False, paced=True)
    writer.close()
    os.close(target)
    with os.fdopen(source) as reader:
        assert reader.read().splitlines() == lines
