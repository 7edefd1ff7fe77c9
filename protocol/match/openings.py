"""Openings of a match: where they come from, in which order they are used, and which are dropped.

An opening is a start position and moves from there. It is dropped when the game is over or was over inside it,
or when a shallow search finds it unbalanced or decided; what is dropped is counted and reported, never played
in part.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import FormatError, MoveError, OptionError
from engine.game import Game
from engine.move import Move
from engine.params import HAND_MADE, Value
from engine.pdn import Grade
from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from engine.position import Position
from engine.rules import Rules
from engine.scores import DECIDED

LARGEST_ENUMERATION = 300_000
"""Sequences of n plies are listed in memory; more positions than this are refused."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A start position (FEN) and the moves played from it (Hub notation)."""

    fen: str
    moves: tuple[str, ...] = ()

    def read_moves(self, start: Position) -> tuple[Move, ...]:
        """The moves as values. Raises `MoveError` when one is not legal."""
        found = []
        position = start
        for text in self.moves:
            legal = {move.hub(): move for move in position.legal_moves()}
            if text not in legal:
                raise MoveError("not a legal move of the opening", text)
            found.append(legal[text])
            position = position.play(legal[text])
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Numbered:
    """An opening with its index in its source, which names it for ever."""

    index: int
    opening: Opening


JUDGE: Mapping[str, Value] = {"threads": 1, "tt-size": 14, "evaluation": HAND_MADE}
"""Parameters of the judge; new weights must not change which openings a match draws."""

Judge = Callable[[Game], str | None]
"""Says why the position of a game is no good opening, None when it is."""


@dataclass(slots=True)
class Selection:
    """Openings chosen for a match and the reasons for which others were dropped, with how often."""

    chosen: list[Numbered] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)


def start_opening(rules: Rules) -> list[Opening]:
    """The start position alone."""
    return [Opening(Position.start(rules).fen())]


def enumerate_openings(rules: Rules, plies: int) -> list[Opening]:
    """All legal sequences of `plies` plies, one for each position they reach, in the order of generation.

    Raises `OptionError` when there are too many.
    """
    start = Position.start(rules)
    fen = start.fen()
    level: dict[Position, tuple[str, ...]] = {start: ()}
    for _ in range(plies):
        following: dict[Position, tuple[str, ...]] = {}
        for position, moves in level.items():
            for move in position.legal_moves():
                following.setdefault(position.play(move), (*moves, move.hub()))
                if len(following) > LARGEST_ENUMERATION:
                    raise OptionError(
                        f"openings ply={plies}: more than {LARGEST_ENUMERATION} positions; take fewer plies"
                    )
        level = following
    return [Opening(fen, moves) for moves in level.values()]


def read_openings(path: Path, rules: Rules, plies: int | None = None) -> list[Opening]:
    """Read a PDN file (every game, cut after `plies` plies if given) or a list of FENs, one a line.

    Empty lines and lines that begin with `#` are skipped in a list. Raises `OptionError` with the place.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise OptionError(f"openings {path}: {error.strerror or error}") from None
    if path.suffix.lower() == ".pdn" or data.lstrip().startswith(b"[") or b"\n[" in data:
        openings = _read_pdn(path, data, rules, plies)
    else:
        openings = _read_fens(path, data.decode("utf-8-sig", "replace"), rules)
    if not openings:
        raise OptionError(f"openings {path}: there is no opening in the file")
    return openings


def _read_fens(path: Path, text: str, rules: Rules) -> list[Opening]:
    openings = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                openings.append(Opening(Position.from_fen(line.strip(), rules).fen()))
            except FormatError as error:
                raise OptionError(f"openings {path}, line {number}: {error}") from None
    return openings


def _read_pdn(path: Path, data: bytes, rules: Rules, plies: int | None) -> list[Opening]:
    openings = []
    for game in read_games(data):
        done = replay(game, rules)
        if done.game is None:
            raise OptionError(f"openings {path}, game {game.number}: no game of {rules.name}")
        moves = done.game.moves if plies is None else done.game.moves[:plies]
        faults = [*game.errors, *(fault for fault in done.faults if fault.grade is Grade.ERROR)]
        if faults and not (plies is not None and done.plies >= plies):
            raise OptionError(f"openings {path}, game {game.number}: {faults[0]}")
        openings.append(Opening(done.game.start.fen(), tuple(move.hub() for move in moves)))
    return openings


def ordered(openings: Sequence[Opening], *, shuffle: bool = False, seed: int = 0, first: int = 0) -> Iterator[Numbered]:
    """The openings in the order of use: from index `first` on and round, or shuffled by a seed before that."""
    indices = list(range(len(openings)))
    if shuffle:
        random.Random(seed).shuffle(indices)
    for place in range(len(indices)):
        index = indices[(first + place) % len(indices)]
        yield Numbered(index, openings[index])


def select(candidates: Iterator[Numbered], rules: Rules, count: int, judge: Judge | None = None) -> Selection:
    """Take the first `count` openings that are neither over nor refused by `judge`."""
    selection = Selection()
    for candidate in candidates:
        if len(selection.chosen) >= count:
            break
        reason = _unfit(candidate.opening, rules, judge)
        if reason is None:
            selection.chosen.append(candidate)
        else:
            selection.dropped[reason] = selection.dropped.get(reason, 0) + 1
    return selection


def _unfit(opening: Opening, rules: Rules, judge: Judge | None) -> str | None:
    game = Game(Position.from_fen(opening.fen, rules))
    for move in opening.read_moves(game.position):
        if game.outcome is not None:
            return f"over before its end ({game.outcome.reason})"
        game.play(move)
    if game.outcome is not None:
        return f"over ({game.outcome.reason})"
    return None if judge is None else judge(game)


def balance_judge(rules: Rules, depth: int, limit: int) -> Judge:
    """A judge that searches `depth` plies and refuses scores beyond `limit` centi-men and decided positions.

    Each verdict depends on its position alone.
    """
    from engine import Engine, Limits

    searcher = Engine()
    for name, value in {**JUDGE, "variant": rules.name, **rules.settings}.items():
        searcher.set_param(name, value)
    searcher.prepare()

    def judge(game: Game) -> str | None:
        searcher.new_game()
        result = searcher.search(game, Limits(depth=depth), "analyze")
        score = 0 if result.report is None else abs(result.report.score)
        if score > DECIDED:
            return "decided"
        return "unbalanced" if score > limit else None

    return judge
