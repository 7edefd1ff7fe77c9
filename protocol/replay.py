"""Positions and games as clients send them: a position with a list of moves, or a whole game as PDN.

Nothing here changes anything: a function returns a new `Game` or raises, and the caller keeps what it had.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine import Game, IllegalMoveError, MoveError, PdnError, Position, Rules, RulesError, find_variant
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


class Replayer:
    """Plays lists of moves and remembers the last one: clients send the whole game for each move of it."""

    def __init__(self) -> None:
        self._key: tuple[Position, Numbering, Reading] | None = None
        self._texts: list[str] = []
        self._game: Game | None = None

    def replay(
        self, position: Position, moves: Sequence[str], *, numbering: Numbering = "top", prefer: Reading = "captured"
    ) -> Game:
        """Play a list of moves. Raises ReplayError at the first one that is not a legal move.

        The game may be the one that the last call returned, played on.
        """
        game = self._continued((position, numbering, prefer), moves)
        for index in range(len(self._texts), len(moves)):
            text = moves[index]
            try:
                game.play(parse_move(text, game.position, game.legal_moves(), prefer=prefer, numbering=numbering))
            except MoveError as error:
                raise ReplayError(error, index, len(moves), game) from error
            self._texts.append(text)
        return game

    def _continued(self, key: tuple[Position, Numbering, Reading], moves: Sequence[str]) -> Game:
        """The last game if it is the beginning of this one, else a new one."""
        known = self._texts
        same = self._game is not None and key == self._key and known == list(moves[: len(known)])
        if self._game is not None and same and len(self._game.moves) == len(known):
            return self._game
        self._key, self._texts, self._game = key, [], Game(key[0])
        return self._game


def has_two_numberings(rules: Rules) -> bool:
    """Whether PDN numbers the squares otherwise than the Hub string."""
    return rules.square_number(1) != 1


def turned(position: Position) -> Position:
    """The same pieces with the other side to move."""
    return replace(position, turn=position.turn.other)


def game_from_pdn(text: str, rules: Rules) -> Game:
    """The game of a one-line PDN, from its FEN tag or from the start, as played under `rules`.

    Raises PdnError for a text that cannot be read or is of another variant, ReplayError for an illegal move.
    """
    from engine.pdn_reader import read_game  # few clients need it, and all wait for the start
    from engine.pdn_replay import replay as replay_pdn

    source = read_game(text)
    if not source.moves and not source.tags:
        raise PdnError("no game in the PDN", text)
    if source.errors:
        raise PdnError(str(source.errors[0]))
    for tag in ("Variant", "GameType"):
        if named := source.tag(tag).split(",")[0]:
            _require_variant(named, tag, rules)
            break
    done = replay_pdn(source, rules)
    if done.game is None:
        raise PdnError(str(done.faults[0]) if done.faults else "no position in the PDN")
    if not done.complete:
        moves = [move.text for move in source.moves]
        reason = done.faults[-1].reason if done.faults else "a move that is not known"
        raise ReplayError(IllegalMoveError(reason, moves[done.plies]), done.plies, len(moves), done.game)
    return done.game


def _require_variant(named: str, tag: str, rules: Rules) -> None:
    try:
        found = find_variant(named)
    except RulesError:
        raise PdnError(f"unknown {tag}", named) from None
    if found.name != rules.name and found.gametype_tag.split(",")[0] != rules.gametype_tag.split(",")[0]:
        raise PdnError(f"a game of {found.name} while the variant is {rules.name}")
