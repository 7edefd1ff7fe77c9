"""Positions and games as clients send them: a position with a list of moves, or a whole game as PDN.

Nothing here changes anything: a function returns a new `Game` or raises, and the caller keeps what it had.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine import FenError, Game, MoveError, PdnError, Position, Rules, RulesError, find_variant
from engine.fen import parse_fen
from engine.notation import Numbering, Reading, parse_move


class ReplayError(MoveError):
    """A move of a list that cannot be played; `game` is the game up to it."""

    def __init__(self, error: MoveError, index: int, count: int, game: Game) -> None:
        super().__init__(error.reason, error.text, error.at)
        self.cause = error
        self.index = index
        self.count = count
        self.game = game

    def place(self) -> str:
        """`move 3 of 7`."""
        return f"move {self.index + 1} of {self.count}"


def replay(
    position: Position, moves: Sequence[str], *, numbering: Numbering = "top", prefer: Reading = "captured"
) -> Game:
    """Play a list of moves. Raises ReplayError at the first one that is not a legal move."""
    game = Game(position)
    for index, text in enumerate(moves):
        try:
            game.play(parse_move(text, game.position, game.legal_moves(), prefer=prefer, numbering=numbering))
        except MoveError as error:
            raise ReplayError(error, index, len(moves), game) from error
    return game


def has_two_numberings(rules: Rules) -> bool:
    """Whether PDN numbers the squares otherwise than the Hub string."""
    return rules.square_number(1) != 1


def turned(position: Position) -> Position:
    """The same pieces with the other side to move."""
    return replace(position, turn=position.turn.other)


_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NOISE = re.compile(r"\{[^}]*\}|\$\d+|\d+\s*\.+(?!\S*[-x:])|(?<!\S)\d+\.+")
_RESULTS = {"*", "1-0", "0-1", "1/2-1/2", "2-0", "1-1", "0-2", "0-0"}


def game_from_pdn(text: str, rules: Rules) -> Game:
    """The game of a one-line PDN, from its FEN tag or from the start, as played under `rules`.

    Raises PdnError for a text of another variant, FenError or ReplayError for a bad tag or move.
    """
    tags = {name.lower(): value for name, value in _TAG.findall(text)}
    body = _without_variations(_NOISE.sub(" ", _TAG.sub(" ", text)))
    for tag in ("variant", "gametype"):
        if named := tags.get(tag, "").split(",")[0]:
            _require_variant(named, tag, rules)
            break
    try:
        position = parse_fen(tags["fen"], rules) if "fen" in tags else Position.start(rules)
    except FenError as error:
        raise PdnError(f"FEN tag: {error.reason}", error.text, error.at) from error
    words = body.split()
    if words and words[-1] in _RESULTS:
        words.pop()
    return replay(position, [word.rstrip("!?") for word in words], numbering="own", prefer="path")


def _require_variant(named: str, tag: str, rules: Rules) -> None:
    try:
        found = find_variant(named)
    except RulesError:
        raise PdnError(f"unknown {tag}", named) from None
    if found.name != rules.name and found.gametype_tag.split(",")[0] != rules.gametype_tag.split(",")[0]:
        raise PdnError(f"a game of {found.name} while the variant is {rules.name}")


def _without_variations(text: str) -> str:
    """The text without what stands in parentheses. Raises PdnError if they do not match."""
    depth, kept = 0, []
    for letter in text:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth < 0:
                raise PdnError("a closing parenthesis without an opening one")
        elif not depth:
            kept.append(letter)
    if depth:
        raise PdnError("a variation that is not closed")
    return "".join(kept)
