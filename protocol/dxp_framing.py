"""NUL framing of DXP: bytes come in any chunks, whole messages go out."""

MAX_FRAME = 4096  # bytes that a peer may send without a NUL (dxp.md section 1)


class FrameBuffer:
    """Cuts a stream at its NUL bytes.

    After more than `limit` bytes without a NUL `overflow` is set and everything that follows is thrown away:
    the peer does not speak DXP.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self.overflow = False
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes of the stream and return the frames that they complete; empty frames are left
        out."""
        if self.overflow:
            return []
        *frames, rest = (self._rest + data).split(b"\0")
        for count, frame in enumerate(frames):
            if len(frame) > self.limit:
                return self._give_up(frames[:count])
        if len(rest) > self.limit:
            return self._give_up(frames)
        self._rest = rest
        return [frame for frame in frames if frame]

    def _give_up(self, frames: list[bytes]) -> list[bytes]:
        self.overflow = True
        self._rest = b""
        return [frame for frame in frames if frame]
