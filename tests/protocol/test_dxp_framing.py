"""NUL framing: the frames do not depend on how the stream is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.dxp_framing import MAX_FRAME, FrameBuffer

STREAM = b"M0000322800\0E00\0\0C" + b"x" * 300 + b"\0K"
FRAMES = [b"M0000322800", b"E00", b"C" + b"x" * 300]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, len(STREAM)])
def test_any_chunk_size(size: int) -> None:
    buffer = FrameBuffer()
    frames = [frame for at in range(0, len(STREAM), size) for frame in buffer.feed(STREAM[at : at + size])]
    assert frames == FRAMES
    assert buffer.feed(b"0\0") == [b"K0"]


@given(st.lists(st.binary(max_size=20), max_size=20), st.lists(st.integers(1, 15), min_size=1, max_size=10))
def test_any_stream_in_any_chunks(pieces: list[bytes], sizes: list[int]) -> None:
    stream = b"\0".join(pieces)
    whole = FrameBuffer().feed(stream)
    buffer = FrameBuffer()
    cut: list[bytes] = []
    at = turn = 0
    while at < len(stream):
        size = sizes[turn % len(sizes)]
        cut += buffer.feed(stream[at : at + size])
        at, turn = at + size, turn + 1
    assert cut == whole == [piece for piece in stream.split(b"\0")[:-1] if piece]


@pytest.mark.parametrize("size", [1, 1000, 10**6])
def test_too_long_without_nul(size: int) -> None:
    """4096 bytes are accepted, one more is the end; what came before is still delivered."""
    good = b"E00\0C" + b"x" * (MAX_FRAME - 1)
    for stream, overflow in ((good + b"\0", False), (good + b"x\0E00\0", True)):
        buffer = FrameBuffer()
        frames = [frame for at in range(0, len(stream), size) for frame in buffer.feed(stream[at : at + size])]
        assert frames[0] == b"E00"
        assert buffer.overflow is overflow
        assert len(frames) == (1 if overflow else 2)
        assert overflow or frames[1] == good[4:]
    assert buffer.feed(b"E00\0") == []
