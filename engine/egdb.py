"""Endgame databases of one variant in a folder: which are there, opening them, and what they say of a position.

The values are those of the plain rules: no draw by repetition or by a count of moves, no limit on king moves. That
one piece each is a draw (Turkish) they know.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.egdb_file import SUFFIX, SliceFile
from engine.egdb_slices import MOST_PIECES, Slice, one_each, slices
from engine.errors import DatabaseError
from engine.geometry import layout
from engine.move import Move
from engine.moves import hot_module, is_wide, load
from engine.position import Position
from engine.rules import Objective, Rules
from engine.types import Side
from engine.variants import VARIANTS

if TYPE_CHECKING:
    from engine.board import Board
    from engine.egdb_probe import Probe

# What the values depend on; all other fields of `Rules` are notation and draw rules.
MOVEMENT = (
    "columns",
    "rows",
    "all_squares",
    "left_dark",
    "flying",
    "lands_behind",
    "stops_behind_king",
    "men_capture_back",
    "men_capture_kings",
    "orthogonal_captures",
    "instant_removal",
    "may_reverse",
    "mandatory",
    "precedence",
    "promotion",
    "objective",
)
AUTOMATIC = 10_000_000  # positions up to which a set of databases is built without asking
DRAWN, LOST, WON, UNKNOWN = range(4)  # what a prober says
STALE = 3600  # seconds after which another process's unfinished file is taken for a leftover


def signature(rules: Rules) -> str:
    """The rules of movement as text; variants with the same text share their databases."""
    words = []
    for name in MOVEMENT:
        value = getattr(rules, name)
        words.append(f"{name}={int(value) if isinstance(value, int) else value.value}")
    if one_each(rules):
        words.append(f"one_each={int(one_each(rules))}")
    return " ".join(words)


def family(rules: Rules) -> str:
    """Name of the folder of the rules of movement: the first variant that has them, or a name with a check sum."""
    text = signature(rules)
    for name, other in VARIANTS.items():
        if signature(other) == text:
            return name
    if not rules.settings:
        return rules.name
    return f"{rules.name}-{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"


def default_folder() -> Path | None:
    """The folder of all databases of this user, or what the environment's DAMIER_EGDB says; None if that is `off`."""
    chosen = os.environ.get("DAMIER_EGDB")
    if chosen:
        return None if chosen == "off" else Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("damier", appauthor=False) / "egdb"


def automatic_pieces(rules: Rules) -> int:
    """How many pieces the databases have that are built without asking: a matter of seconds."""
    index = hot_module("egdb_index", is_wide(rules)).Index(rules)
    total = 0
    for pieces in range(2, MOST_PIECES + 1):
        total += sum(index.size(*one) for one in slices(rules, pieces))
        if total > AUTOMATIC:
            return pieces - 1
    return MOST_PIECES


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a database says, for the side to move: 1 won, 0 drawn, -1 lost, and plies to the end (0 if drawn)."""

    value: int
    plies: int = 0

    def after_move(self) -> "Verdict":
        """The same for the opponent, one ply earlier."""
        return Verdict(-self.value, self.plies + 1 if self.value else 0)

    def rank(self) -> int:
        """Greater is better: quick wins, then draws, then slow losses."""
        return self.value * (1000 - self.plies)

    def __str__(self) -> str:
        return ("draw", "win", "loss")[self.value] + (f" in {self.plies} plies" if self.value else "")


class Databases:
    """The databases of a variant."""

    def __init__(self, rules: Rules, folder: Path | None = None) -> None:
        """Databases in a folder, by default this user's. Raises DatabaseError if there is none."""
        folder = folder or default_folder()
        if folder is None:
            raise DatabaseError("no folder of databases: DAMIER_EGDB is off")
        self.rules = rules
        self.signature = signature(rules)
        self.folder = folder / family(rules)
        self._open: dict[Slice, SliceFile] = {}
        self._prober: tuple[Probe, Board] | None = None

    # ------------------------------------------------------------------ files
    def path(self, one: Slice) -> Path:
        """Where a slice's file is or would be."""
        return self.folder / f"{one.pieces}" / f"{one.digits}{SUFFIX}"

    def file(self, one: Slice) -> SliceFile:
        """The open file of a slice. Raises DatabaseError if it is missing or torn."""
        found = self._open.get(one)
        if found is None:
            found = self._open[one] = SliceFile(self.path(one), self.signature, one)
        return found

    def forget(self, one: Slice) -> None:
        """Do not use the file as it was opened: it has been replaced, or it is bad."""
        self._open.pop(one, None)

    def found(self, most: int = MOST_PIECES) -> Iterator[tuple[Slice, SliceFile]]:
        """All slices that are there and whole by their size."""
        for pieces in range(2, most + 1):
            if not (self.folder / str(pieces)).is_dir():
                continue
            for one in slices(self.rules, pieces):
                try:
                    yield one, self.file(one)
                except DatabaseError:
                    continue

    def is_complete(self, pieces: int) -> bool:
        """Whether every slice of so many pieces and fewer is there."""
        wanted = [one for n in range(2, pieces + 1) for one in slices(self.rules, n)]
        return sum(1 for _ in self.found(pieces)) == len(wanted)

    def prepare_folder(self, pieces: int) -> None:
        """Make the folder, and remove what dead processes left in it. Raises OSError."""
        folder = self.folder / str(pieces)
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.tmp"):
            try:
                if time.time() - file.stat().st_mtime > STALE:
                    file.unlink()
            except OSError:
                continue  # another process was quicker

    # ------------------------------------------------------------------ probing
    def connect(self, probe: "Probe", most: int = MOST_PIECES) -> int:
        """Open all databases for a prober; returns the greatest number of pieces."""
        probe.close()
        for one, file in self.found(most):
            probe.open(one.slot, one.pieces, file.header.longest, file.offsets, file.tokens, file.distance_block)
        return probe.most()

    def verdict(self, position: Position) -> Verdict | None:
        """What the databases say of a position, captures played out; None if they do not reach that far."""
        legal = position.legal_moves()
        pieces = len(position.pieces())
        if not legal:
            return Verdict(1 if self.rules.objective is Objective.LOSE else -1)
        if pieces > MOST_PIECES:
            return None
        if not self.rules.mandatory or not legal[0].is_capture:
            return self._stored(position)
        replies = [self.verdict(position.play(move)) for move in legal]
        known = [reply.after_move() for reply in replies if reply is not None]
        return max(known, key=Verdict.rank) if len(known) == len(replies) else None

    def best_moves(self, position: Position) -> list[tuple[Move, Verdict | None]]:
        """Every legal move and what it leads to, the best first, unknown ones last."""
        found = []
        for move in position.legal_moves():
            reply = self.verdict(position.play(move))
            found.append((move, None if reply is None else reply.after_move()))
        return sorted(found, key=lambda pair: -2000 if pair[1] is None else pair[1].rank(), reverse=True)

    def best_line(self, position: Position, most: int) -> tuple[Move, ...]:
        """Best play of both sides from a decided position, at most so many plies; empty from any other."""
        line: list[Move] = []
        while len(line) < most:
            moves = self.best_moves(position)
            if not moves or moves[0][1] is None or moves[0][1].value == 0:
                break
            line.append(moves[0][0])
            position = position.play(moves[0][0])
        return tuple(line)

    def position(self, one: Slice, number: int) -> Position:
        """The position of a number in a slice, White to move."""
        place = layout(self.rules)
        words = hot_module("egdb_index", is_wide(self.rules)).Index(self.rules).place(one.slot, number)
        own_men, own_kings, opp_men, opp_kings = (place.gather(word) for word in words)
        return Position(self.rules, Side.WHITE, own_men, own_kings, opp_men, opp_kings)

    def _stored(self, position: Position) -> Verdict | None:
        if self._prober is None:
            plain = replace(self.rules, king_move_limit=0)
            wide = is_wide(self.rules)
            self._prober = (hot_module("egdb_probe", wide).Probe(plain), hot_module("board", wide).Board(plain))
            self.connect(self._prober[0])
        probe, board = self._prober
        load(board, position)
        value = probe.look_up(board)
        if value == UNKNOWN:
            return None
        if value == DRAWN:
            return Verdict(0)
        plies = probe.count_plies(board)
        return Verdict(1 if value == WON else -1, plies) if plies >= 0 else None
