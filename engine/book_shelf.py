"""The opening book as an engine plays from it: when a book answers instead of a search, and with which move.

What reads books is imported when one is needed: a client waits for the engine's start.
"""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.clock import Limits
from engine.errors import BookError
from engine.game import Game
from engine.move import Move
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.book import Book


@dataclass(frozen=True, slots=True)
class Answer:
    """What a book plays: the score in centi-men, and the move with what the book expects behind it."""

    score: int
    line: tuple[Move, ...]

    @property
    def ponder(self) -> Move | None:
        """The expected reply, if the book ends behind it; else the next answer will need no thought either."""
        return self.line[1] if len(self.line) == 2 else None


class Shelf:
    """The book of an engine, read when it is first needed; what is wrong with a file is told once.

    `chance` chooses among good moves; a test may seed it.
    """

    def __init__(self) -> None:
        self.chance = random.Random()
        self.problems: list[str] = []
        self._book: Book | None = None
        self._wanted: tuple[str, str] | None = None  # variant and file of the book that was last looked for
        self._told: set[str] = set()

    def open(self, rules: Rules, file: str) -> None:
        """Have the book of a variant at hand, from `file` or, if that is empty, the one that comes with damier.

        Cheap without news. A book that cannot be used is left out and added to `problems`.
        """
        wanted = (rules.name, file)
        if wanted == self._wanted:
            return
        self._wanted, self._book = wanted, None
        from engine.book import Book, packaged_book

        path = Path(file).expanduser() if file else packaged_book(rules.name)
        if not file and not path.exists():
            return
        try:
            self._book = Book.load(path, rules.name)
        except BookError as error:
            if str(error) not in self._told:
                self._told.add(str(error))
                self.problems.append(str(error))

    def close(self) -> None:
        """Play without a book."""
        self._wanted, self._book = None, None

    def answer(self, game: Game, limits: Limits, random_plies: int, margin: int) -> Answer | None:
        """A move of the book; None if it has none here, or only such as the limits exclude.

        In the first `random_plies` plies of the game it is any move that is at most `margin` centi-men worse than the
        best one, the better the likelier; later the best one. Equal moves are always left to chance. A position that
        has occurred before is left to the search, so that no book goes round in circles.
        """
        if self._book is None or game.occurrences > 1 or _plays_otherwise(game.start.rules):
            return None
        moves = self._book.moves(game.position, game.legal_moves())
        if limits.search_moves:
            moves = tuple(one for one in moves if one.move in limits.search_moves)
        if not moves:
            return None
        reach = 1 + (margin if len(game.moves) < random_plies else 0)
        weights = [max(0, reach - (moves[0].score - one.score)) for one in moves]
        (chosen,) = self.chance.choices(moves, weights)
        return Answer(chosen.score, (chosen.move, *self._book.line(game.position.play(chosen.move))))


def _plays_otherwise(rules: Rules) -> bool:
    """Whether chosen readings of the rules change moves or aim, and not only when a game is drawn."""
    if rules.base is None or not rules.settings:
        return False
    from engine.egdb import signature

    return signature(rules) != signature(rules.base)
