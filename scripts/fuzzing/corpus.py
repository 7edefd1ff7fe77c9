"""Good lines and frames of each protocol, and an endless supply of broken ones."""

import random

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
DXP_START = START[0] + START[1:].replace("b", "z")

HUB = [
    "hub",
    "init",
    "new-game",
    "pos start",
    f"pos pos={START}",
    f'pos pos={START} moves="32-28 19-23 28x19x23 14x23x19"',
    'pos start moves="31-26 17-22"',
    "pos fen=B:W31-50:B1-20",
    "level depth=1",
    "level move-time=0.001",
    "level moves=30 time=10 inc=0.1",
    "level infinite",
    "go",
    "go think",
    "go ponder",
    "go analyze",
    "ponder-hit",
    "stop",
    "ping",
    "set-param name=variant value=normal",
    "set-param name=variant value=russian",
    "set-param name=variant value=frisian",
    "set-param name=move-overhead value=20",
    "legal",
    "state",
]
HUB1 = [
    "hub 1",
    "init",
    "new",
    "start",
    "pos " + START.lower(),
    "move 32-28",
    "move 28x19",
    "depth 1",
    "time 10",
    "level 30 10000 100",
    "go",
    "ponder",
    "analyse",
    "ponder-hit",
    "stop",
    "ping",
    "variant normal",
    "set threads 1",
]
UCI = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves 32-28 19-23 28x19",
    "position fen W:W31-50:B1-20",
    "position fen B:WK5:BK46 moves 46-41",
    "go depth 1",
    "go movetime 1",
    "go nodes 100",
    "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 30",
    "go infinite",
    "go ponder wtime 100 btime 100",
    "go depth 1 searchmoves 32-28 31-26",
    "go mate 1",
    "ponderhit",
    "stop",
    "setoption name UCI_Variant value international",
    "setoption name UCI_Variant value english",
    "setoption name MultiPV value 3",
    "setoption name Ponder value true",
    "d",
    "fen",
    "eval",
    "legalmoves",
    "debug on",
]
DXP = [
    f"R01{'Fuzz':32}W001000A",
    f"R01{'Fuzz':32}Z000010A",
    f"R01{'Fuzz':32}W001075B{DXP_START}",
    f"R01{'Fuzz':32}Z1.5000BZ{DXP_START[1:]}",
    f"R02{'Fuzz':32}W001000A",
    f"A{'Fuzz':32}0",
    "M0000322800",
    "M0000192300",
    "M000028190123",
    "M001205250422122320",
    "E00",
    "E10",
    "E21",
    "E31",
    "CHello there",
    "B001W",
    "B001Z",
    "B003W",
    "K0",
    "K1",
    "K2",
]
CORPUS = {"hub": HUB, "hub1": HUB1, "uci": UCI, "dxp": DXP}
TOKENS = [
    "=",
    '"',
    "\\",
    " ",
    "\t",
    "\r",
    "x",
    "-",
    "0",
    "99999999999999999999",
    "-1",
    "1e309",
    "nan",
    "é",
    "\x00",
    "\x1b",
    "W",
    "",
]


class Source:
    """An endless supply for one protocol, the same for the same seed."""

    def __init__(self, protocol: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.good = [text.encode() for text in CORPUS[protocol]]

    def next(self) -> bytes:
        """A line or frame without its end: one in three is good, half are mutated, the rest is noise."""
        rnd = self.random
        kind = rnd.random()
        if kind < 0.35:
            return rnd.choice(self.good)
        if kind < 0.85:
            return self._mutated(rnd.choice(self.good))
        if kind < 0.999:
            return rnd.randbytes(rnd.randrange(40))
        return bytes(rnd.choices(range(1, 256), k=rnd.randrange(3000)))

    def _mutated(self, text: bytes) -> bytes:
        rnd = self.random
        for _ in range(rnd.randrange(1, 4)):
            at = rnd.randrange(len(text) + 1)
            match rnd.randrange(6):
                case 0:
                    text = text[:at] + rnd.choice(TOKENS).encode() + text[at:]
                case 1:
                    text = text[:at] + text[at + rnd.randrange(1, 6) :]
                case 2:
                    text = text[:at] + bytes([rnd.randrange(256)]) + text[at + 1 :]
                case 3:
                    text = text[:at]
                case 4:
                    other = rnd.choice(self.good)
                    text = text[:at] + other[rnd.randrange(len(other)) :]
                case 5:
                    words = text.split(b" ")
                    rnd.shuffle(words)
                    text = b" ".join(words)
        return text

    def chunks(self, data: bytes) -> list[bytes]:
        """The same bytes in pieces as a network might cut them: mostly whole."""
        if not data or self.random.random() < 0.7:
            return [data]
        cuts = sorted(self.random.randrange(len(data)) for _ in range(self.random.randrange(1, 4)))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
