"""Ends of the game: objective, blocked sides, repetition and the draw counters, one ply at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tests.reference.moves import Move, Position, legal_moves, of_side, other, play
from tests.reference.spec import Spec

Pattern = Callable[[Spec, dict[int, str]], bool]
Options = Mapping[str, object]


class Ending(NamedTuple):
    """`winner` is "w", "b" or None (a draw); `rule` is the name that draws.json uses."""

    winner: str | None
    rule: str


# Material patterns


def pieces(board: dict[int, str], side: str) -> str:
    """The pieces of a side as letters, kings first: "KKm"."""
    found = [board[square] for square in of_side(board, side)]
    return "".join(sorted("K" if piece.isupper() else "m" for piece in found))


def strong_sides(board: dict[int, str]) -> list[str]:
    """The sides whose opponent is a lone king."""
    return [side for side in "wb" if pieces(board, other(side)) == "K"]


def any_material(spec: Spec, board: dict[int, str]) -> bool:
    return True


def against_lone_king(*counts: int) -> Pattern:
    """So many pieces, a king among them, against a lone king."""

    def holds(spec: Spec, board: dict[int, str]) -> bool:
        return any(len(pieces(board, side)) in counts and "K" in pieces(board, side) for side in strong_sides(board))

    return holds


def exactly(strong: str) -> Pattern:
    """Exactly these pieces against a lone king."""

    def holds(spec: Spec, board: dict[int, str]) -> bool:
        return any(pieces(board, side) == strong for side in strong_sides(board))

    return holds


def three_or_more_kings(spec: Spec, board: dict[int, str]) -> bool:
    return any(len(pieces(board, side)) >= 3 and set(pieces(board, side)) == {"K"} for side in strong_sides(board))


def main_road(spec: Spec) -> set[int]:
    """The long diagonal between two playing corners of a square board."""
    if spec.columns != spec.rows:
        return set()
    last = spec.columns - 1
    if spec.dark_left:
        return {spec.squares[index, last - index] for index in range(spec.columns)}
    return {spec.squares[index, index] for index in range(spec.columns)}


def alone_on_road(spec: Spec, board: dict[int, str]) -> bool:
    """Three pieces, a king among them, against a lone king that has the road to itself."""
    on_road = [square for square in main_road(spec) if square in board]
    return any(
        on_road == of_side(board, other(side))
        for side in strong_sides(board)
        if len(pieces(board, side)) == 3 and "K" in pieces(board, side)
    )


def river_taken(spec: Spec, board: dict[int, str]) -> bool:
    """Three kings against one: the strong side has a king on the river, the lone king has not."""
    river = main_road(spec)
    return any(
        pieces(board, side) == "KKK"
        and river.intersection(of_side(board, side))
        and not river.intersection(of_side(board, other(side)))
        for side in strong_sides(board)
    )


def balance(*totals: int) -> Pattern:
    """Both sides have a king, and so many pieces stand on the board in all."""

    def holds(spec: Spec, board: dict[int, str]) -> bool:
        return len(board) in totals and all("K" in pieces(board, side) for side in "wb")

    return holds


def small(spec: Spec, board: dict[int, str]) -> bool:
    return all(len(pieces(board, side)) <= 4 and "K" in pieces(board, side) for side in "wb")


def one_each(spec: Spec, board: dict[int, str]) -> bool:
    return all(len(pieces(board, side)) == 1 for side in "wb")


THREE_V_1 = against_lone_king(3)
UP_TO_3_V_1 = against_lone_king(1, 2, 3)
UP_TO_2_V_1 = against_lone_king(1, 2)

# Counters

QUIET = frozenset({"capture", "man"})
BALANCE = frozenset({"capture", "promotion"})


@dataclass(frozen=True)
class Counter:
    """One draw counter, with the fields of the rules page."""

    id: str
    start: Pattern
    limit: int
    reset: frozenset[str] = frozenset()
    hold: Pattern | None = None
    strong_only: bool = False
    tick_if: Pattern | None = None
    off_while: frozenset[str] = frozenset()
    quiet: bool = False


I25 = Counter("i25", any_material, 50, QUIET)
I16 = Counter("i16", THREE_V_1, 32, hold=UP_TO_3_V_1)
I5 = Counter("i5", UP_TO_2_V_1, 10)
R8 = Counter("r8", UP_TO_2_V_1, 10)
R7 = Counter("r7", alone_on_road, 10)
R4 = Counter("r4", three_or_more_kings, 30, frozenset({"capture"}))
R5 = Counter("r5", any_material, 30, QUIET)
R6A = Counter("r6a", balance(4, 5), 60, BALANCE)
R6B = Counter("r6b", balance(6, 7), 120, BALANCE)
SPANISH = (
    Counter("s12", river_taken, 12, hold=exactly("KKK"), strong_only=True),
    Counter("s20", small, 40, QUIET, off_while=frozenset({"s12"})),
)
FRISIAN = (Counter("f7", exactly("KK"), 14), Counter("f2", exactly("K"), 4))
ROAD = Counter("road", alone_on_road, 10)

COUNTERS: dict[str, tuple[Counter, ...]] = {
    "international": (I25, I16, I5),
    "canadian": (I25, I16, I5),
    "killer": (I25, Counter("k5", exactly("K"), 10)),
    "breakthrough": (),
    "antidraughts": (),
    "frisian": FRISIAN,
    "frysk": FRISIAN,
    "english": (Counter("e40", any_material, 40, QUIET),),
    "italian": (Counter("it40", any_material, 80, QUIET),),
    "pool": (Counter("p13", exactly("KKK"), 26), Counter("p15", any_material, 30, QUIET)),
    "spanish": SPANISH,
    "portuguese": SPANISH,
    "russian": (R8, R7, R4, R5, R6A, R6B),
    "brazilian": (R8, R7, R5, R6A, R6B),
    "spantsiretti": (R8, R4, R5, R6A, R6B),
    "czech": (Counter("c15", any_material, 30, QUIET),),
    "turkish": (Counter("t1", one_each, 0, quiet=True),),
    "thai": (Counter("h25", any_material, 50, QUIET),),
}
REPETITION = dict.fromkeys(COUNTERS, 3) | {"italian": 4, "breakthrough": 0, "frisian": 0, "frysk": 0}


def counters_of(spec: Spec, options: Options) -> list[Counter]:
    """The counters of a variant after its options. A losing game has none of few pieces."""
    counters = list(COUNTERS.get(spec.name, ()))
    if options.get("killer_limits") == "international":
        counters = [I25, I16, I5]

    def change(wanted: str, **fields: object) -> None:
        for index, counter in enumerate(counters):
            if counter.id == wanted:
                counters[index] = replace(counter, **fields)  # type: ignore[arg-type]

    if options.get("english_rule") == "wcdf":
        change("e40", limit=80)
    if options.get("intl_16") == "drop":
        change("i16", hold=THREE_V_1)
    if options.get("r5_r6") == "replace":
        change("r5", off_while=frozenset({"r4", "r6a", "r6b", "r7", "r8"}))
    if options.get("balance_unit") == "total":
        change("r6a", limit=30)
        change("r6b", limit=60)
    if options.get("road_leave") == "pause":
        change("r7", start=THREE_V_1, tick_if=alone_on_road)
    if options.get("brazil_quiet") == 20:
        change("r5", limit=40)
    if options.get("czech_unit") == "total":
        change("c15", limit=15)
    if options.get("turkish_1v1") == "literal":
        change("t1", quiet=False)
    if options.get("turkish_1v1") == "grace":
        change("t1", quiet=False, limit=4)
    if options.get("turkish_nocapture"):
        counters.append(Counter("t25", any_material, 50, frozenset({"capture"})))
    if options.get("thai_quiet", 1) in (0, False):
        counters = [counter for counter in counters if counter.id != "h25"]
    if options.get("pool_road") or options.get("intl_road"):
        counters.append(ROAD)
    return counters


# The referee


def key_of(position: Position) -> tuple[object, ...]:
    """What makes two positions the same."""
    return (position.turn, frozenset(position.board.items()), *sorted(position.runs.items()))


def ending_of(spec: Spec, position: Position) -> Ending | None:
    """The end that the position alone shows: a king in breakthrough, a side without a move."""
    if spec.breakthrough:
        for square, piece in position.board.items():
            if piece.isupper():
                return Ending(position.board[square].lower(), "king")
    if legal_moves(spec, position):
        return None
    winner = position.turn if spec.loser_wins else other(position.turn)
    return Ending(winner, "blocked" if of_side(position.board, position.turn) else "no pieces")


@dataclass
class Referee:
    """A game with its history; `ending` after the start and after every `play`."""

    spec: Spec
    position: Position
    options: Options = field(default_factory=dict)
    plies: int = 0

    def __post_init__(self) -> None:
        self.counters = counters_of(self.spec, self.options)
        repetition = self.options.get("repetition", REPETITION.get(self.spec.name, 3))
        assert isinstance(repetition, int)
        self.repetition = repetition
        self.values = {counter.id: 0 for counter in self.counters if counter.start(self.spec, self.position.board)}
        self.seen = [key_of(self.position)]
        self.ending = self._judge()

    def play(self, move: Move) -> Ending | None:
        """Make a legal move; the end of the game if this ply brings it."""
        before = self.position
        self.position = play(self.spec, before, move)
        self.plies += 1
        events = set()
        if move.captured:
            events.add("capture")
        if before.board[move.frm].islower():
            events.add("man")
        if move.promoted:
            events.add("promotion")
        for counter in self.counters:
            self._step(counter, events, mover=before.turn)
        self.seen.append(key_of(self.position))
        self.ending = self._judge()
        return self.ending

    def _step(self, counter: Counter, events: set[str], mover: str) -> None:
        board = self.position.board
        if counter.id not in self.values:
            if counter.start(self.spec, board):
                self.values[counter.id] = 0
        elif not (counter.hold or counter.start)(self.spec, board):
            del self.values[counter.id]
        elif counter.reset & events:
            self.values[counter.id] = 0
        elif counter.tick_if and not counter.tick_if(self.spec, board):
            pass
        elif not counter.strong_only or mover in strong_sides(board):
            self.values[counter.id] += 1

    def _judge(self) -> Ending | None:
        if ending := ending_of(self.spec, self.position):
            return ending
        if self.repetition and self.seen.count(self.seen[-1]) >= self.repetition:
            return Ending(None, "repetition")
        if self.options.get("frisian_1v1") == "exact" and self._bare_kings_are_drawn():
            return Ending(None, "f2")
        for counter in self.counters:
            if self._fires(counter):
                return Ending(None, counter.id)
        limit = self.options.get("move-limit", 0)
        if isinstance(limit, int) and limit and self.plies >= limit:
            return Ending(None, "move-limit")
        return None

    def _fires(self, counter: Counter) -> bool:
        if self.values.get(counter.id, -1) < counter.limit or counter.off_while & self.values.keys():
            return False
        return not counter.quiet or not any(move.captured for move in legal_moves(self.spec, self.position))

    def _bare_kings_are_drawn(self) -> bool:
        """King against king, and whoever moves well is not taken within three plies."""
        if pieces(self.position.board, "w") != "K" or pieces(self.position.board, "b") != "K":
            return False
        return self._forced(self.position, 3) is None

    def _forced(self, position: Position, plies: int) -> str | None:
        """The side that can force a capture in so many plies."""
        if not plies:
            return None
        moves = legal_moves(self.spec, position)
        if any(move.captured for move in moves):
            return position.turn
        found = {self._forced(play(self.spec, position, move), plies - 1) for move in moves}
        if position.turn in found:
            return position.turn
        return None if None in found else other(position.turn)
