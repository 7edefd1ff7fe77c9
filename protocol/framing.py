"""Bytes to lines, across any chunk boundaries."""

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read; a longer one is dropped whole."""


class LineFramer:
    """Cuts a byte stream at LF (a CR before it is dropped) and keeps the unfinished rest."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0
        self._dropping = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without their ends. Bytes that are no UTF-8 become U+FFFD."""
        lines: list[str] = []
        *finished, rest = data.split(b"\n")
        for piece in finished:
            line = b"".join((*self._parts, piece))
            if not self._dropping and len(line) <= self._longest:
                lines.append(line.removesuffix(b"\r").decode("utf-8", "replace"))
            self._parts.clear()
            self._size = 0
            self._dropping = False
        self._size += len(rest)
        if self._size > self._longest:
            self._parts.clear()
            self._dropping = True
        elif rest and not self._dropping:
            self._parts.append(rest)
        return lines
