"""The writer of lines against readers of every pace."""

import os
import time

import pytest

from protocol.stdio import PATIENCE, Writer

LINES = [f"line {number}" for number in range(12)]


def write(paced: bool, slow: float) -> tuple[list[bytes], float]:
    """What a reader that rests `slow` seconds before each read gets in each of them, and how long it took."""
    source, target = os.pipe()
    started = time.perf_counter()
    writer = Writer(target, lambda: None)
    for line in LINES:
        writer.put(line, droppable=False, paced=paced)
    reads: list[bytes] = []
    while sum(map(len, reads)) < sum(len(line) + 1 for line in LINES):
        time.sleep(slow)
        reads.append(os.read(source, 65536))
    elapsed = time.perf_counter() - started
    writer.close()
    os.close(target)
    os.close(source)
    assert b"".join(reads).decode().splitlines() == LINES
    return reads, elapsed


@pytest.mark.parametrize("slow", [0.0, 0.003])
def test_a_paced_client_gets_one_line_in_each_read(slow: float) -> None:
    reads, _ = write(paced=True, slow=slow)
    assert reads == [f"{line}\n".encode() for line in LINES]


def test_others_get_all_lines_at_once() -> None:
    reads, _ = write(paced=False, slow=0.09)
    assert len(reads) == 1


def test_a_client_that_does_not_read_delays_its_lines_only_once() -> None:
    """Later lines follow a thousandth of a second apart until it reads again."""
    reads, elapsed = write(paced=True, slow=0.09)
    assert len(reads) < len(LINES)
    assert elapsed < 2 * 0.09 + PATIENCE + 0.1


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
