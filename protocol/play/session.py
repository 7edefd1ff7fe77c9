"""One player at the terminal: what each line typed does to the game. Knows no stream: lines in, texts out."""

import re
from collections.abc import Callable
from pathlib import Path

from engine import PARAMS, DamierError, FormatError, Game, IllegalMoveError, Move, MoveError, Outcome, Position, Side
from engine.notation import format_move, parse_move
from protocol.play.opponent import Opponent
from protocol.play.record import append, to_pdn
from protocol.play.words import describe_end, side_name

LEAST_TIME, MOST_TIME = 0.01, 3600.0  # s
LISTED = 4  # moves named when a text could mean several, or when something must be captured


class Refusal(DamierError):
    """Why something cannot be done, for the player."""


class Screen:
    """Where the session shows what happens."""

    def say(self, text: str) -> None:
        """Show a line of text."""
        raise NotImplementedError

    def board(self, position: Position, flipped: bool, last: Move | None) -> None:
        """Show the board, with Black below if `flipped`; `last` is the move that led to it."""
        raise NotImplementedError


class Session:
    """A game, then the next: `begin`, then `answer` each line while it says True, then `close`."""

    def __init__(
        self, start: Position, human: Side, opponent: Opponent, screen: Screen, archive: Path | None = None
    ) -> None:
        """`archive` is the PDN file that every game is appended to when it ends or is left."""
        self.start = start
        self.human = human
        self.opponent = opponent
        self.screen = screen
        self.archive = archive
        self.flipped = human is Side.BLACK
        self.game = Game(start)
        self.agreed: Outcome | None = None  # an end off the board: resigned or agreed
        self._kept: tuple[tuple[Move, ...], Outcome | None] | None = None  # what was archived last
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": self._moves,
            "hint": self._hint,
            "undo": self._undo,
            "level": self._level,
            "time": self._time,
            "flip": self._flip,
            "draw": self._draw,
            "resign": self._resign,
            "new": self._new,
            "save": self._save,
            "fen": self._fen,
            "board": self._board,
            "help": self._help,
        }

    @property
    def ended(self) -> Outcome | None:
        """How the game ended, None while it goes on."""
        return self.agreed or self.game.outcome

    def begin(self) -> None:
        """Say what is played, show the board, and let the engine move if it is its turn."""
        rules = self.start.rules
        self.screen.say(
            f"{rules.title}. You are {side_name(self.human)}; the engine plays at level {self.opponent.strength} "
            f"of 20, {self.opponent.seconds:g} s a move. Type a move, or help."
        )
        self._board()
        self._go_on()

    def answer(self, line: str) -> bool:
        """Do what a line asks for; False when the player leaves."""
        word, _, rest = line.strip().partition(" ")
        name = word.lower()
        if name in ("quit", "exit"):
            return False
        try:
            if command := self._commands.get(name):
                command(rest.strip())
            elif word:
                self._play(line.strip())
        except (MoveError, Refusal) as error:
            self.screen.say(str(error))
        except OSError as error:
            self.screen.say(f"not saved: {error}")
        return True

    def close(self) -> None:
        """Put the game into the archive. If that fails its PDN is shown, and OSError raised."""
        try:
            self._keep()
        except OSError:
            self.screen.say(self._pdn())
            raise

    # ------------------------------------------------------------------ the game
    def _play(self, text: str) -> None:
        """The player's move and the engine's answer."""
        if re.fullmatch(r"[A-Za-z?!]+", text):
            raise Refusal(f"{text!r} is neither a move nor a command; help lists the commands")
        if self.ended:
            raise Refusal("the game is over; undo, new or quit")
        self.game.play(read_move(text, self.game))
        if self.ended:
            self._board()
        self._go_on()

    def _go_on(self) -> None:
        """Let the engine move if it is its turn, and say so when the game is over."""
        if not self.ended and self.game.position.turn is not self.human:
            position, legal = self.game.position, self.game.legal_moves()
            move = self.game.play(self.opponent.reply(self.game))
            self.screen.say(f"The engine plays {format_move(move, position, legal)}")
            self._board()
        if self.ended:
            self.screen.say(describe_end(self.ended, self.start.rules))
            self._keep()
        elif claim := self.game.claimable:
            self.screen.say(f"You may claim a draw ({claim}): type draw.")

    def _end(self, outcome: Outcome) -> None:
        self.agreed = outcome
        self._go_on()

    def _pdn(self) -> str:
        return to_pdn(self.game, self.human, self.opponent.strength, self.agreed)

    def _keep(self) -> None:
        """Append the game to the archive, unless it has not begun or stands there as it is."""
        state = tuple(self.game.moves), self.ended
        if self.archive is not None and self.game.moves and state != self._kept:
            append(self.archive, self._pdn())
            self._kept = state

    # ------------------------------------------------------------------ commands
    def _moves(self, _: str) -> None:
        """list the legal moves"""
        legal = self.game.legal_moves()
        names = " ".join(format_move(move, self.game.position, legal) for move in legal)
        self.screen.say(f"{len(legal)} moves: {names}" if legal else "no legal move")

    def _hint(self, _: str) -> None:
        """what the engine would play in your place, at full strength"""
        self._require_going()
        result = self.opponent.advise(self.game)
        if result.move is not None:
            name = format_move(result.move, self.game.position, self.game.legal_moves())
            score = f" ({result.report.score / 100:+.2f} for you)" if result.report else ""
            self.screen.say(f"Hint: {name}{score}")

    def _undo(self, _: str) -> None:
        """take back your last move and the answer to it, or how the game was given up or drawn"""
        back = 2 if self.game.position.turn is self.human else 1
        if self.agreed:
            self.agreed = None  # the moves stay
        elif len(self.game.moves) < back:
            raise Refusal("there is no move of yours to take back")
        else:
            self.game.undo(back)
        self._board()

    def _level(self, text: str) -> None:
        """[1-20]  the engine's strength"""
        if text:
            level = PARAMS["strength"]
            if not text.isdecimal() or not level.minimum <= int(text) <= level.maximum:  # type: ignore[operator]
                raise Refusal("a level is a number from 1 to 20")
            self.opponent.strength = int(text)
        self.screen.say(f"Level {self.opponent.strength} of 20")

    def _time(self, text: str) -> None:
        """[SECONDS]  how long the engine may think about a move"""
        if text:
            self.opponent.seconds = read_seconds(text)
        self.screen.say(f"{self.opponent.seconds:g} s a move")

    def _flip(self, _: str) -> None:
        """turn the board round"""
        self.flipped = not self.flipped
        self._board()

    def _draw(self, _: str) -> None:
        """offer a draw, or claim one"""
        self._require_going()
        if claim := self.game.claimable:
            self._end(Outcome(None, claim))
        elif self.opponent.accepts_draw(self.game):
            self._end(Outcome(None, "agreed"))
        else:
            self.screen.say("The engine declines.")

    def _resign(self, _: str) -> None:
        """give the game up"""
        self._require_going()
        self._end(Outcome(self.human.other, "resigned"))

    def _new(self, text: str) -> None:
        """[white|black]  begin a new game"""
        colours = {"": self.human, "white": Side.WHITE, "black": Side.BLACK}
        if text.lower() not in colours:
            raise Refusal("new, new white or new black")
        self._keep()
        self.human = colours[text.lower()]
        self.flipped = self.human is Side.BLACK
        self.game, self.agreed = Game(self.start), None
        self.opponent.begin()
        self.begin()

    def _save(self, text: str) -> None:
        """FILE  append the game to a PDN file"""
        if not text:
            raise Refusal("save FILE")
        append(Path(text), self._pdn())
        self.screen.say(f"The game stands in {text}")

    def _fen(self, _: str) -> None:
        """show the position as FEN"""
        self.screen.say(self.game.position.fen())

    def _board(self, _: str = "") -> None:
        """show the board"""
        self.screen.board(self.game.position, self.flipped, self.game.moves[-1] if self.game.moves else None)

    def _help(self, _: str) -> None:
        """show this"""
        legal = self.game.legal_moves()
        example = f", such as {format_move(legal[0], self.game.position, legal)}" if legal else ""
        self.screen.say(f"Type a move{example}; one square is enough where it says all. Or:")
        for name, command in self._commands.items():
            self.screen.say(f"  {name:<7} {command.__doc__}")
        self.screen.say("  quit    leave")

    def _require_going(self) -> None:
        if self.ended:
            raise Refusal("the game is over; undo, new or quit")


def read_move(text: str, game: Game) -> Move:
    """The legal move that a player's text means: in any notation, or one square that only one move goes to or from.

    Raises MoveError with what is possible instead.
    """
    position, legal = game.position, game.legal_moves()

    def names(moves: list[Move]) -> str:
        more = ", ..." if len(moves) > LISTED else ""
        return ", ".join(format_move(move, position, legal) for move in moves[:LISTED]) + more

    try:
        square = position.rules.parse_square(text)
    except FormatError:
        try:
            return parse_move(text, position, legal, prefer="path")
        except IllegalMoveError as error:
            captures = [move for move in legal if move.captured]
            if len(captures) == len(legal) and "ambiguous" not in error.reason:
                raise IllegalMoveError(f"illegal move; you must capture: {names(captures)}", text) from None
            raise
    found = [move for move in legal if move.to == square] or [move for move in legal if move.frm == square]
    if len(found) == 1:
        return found[0]
    if found:
        raise IllegalMoveError(f"ambiguous, it may be {names(found)}", text)
    raise IllegalMoveError("no legal move to or from there", text)


def read_seconds(text: str) -> float:
    """A time for a move. Raises Refusal, which says the range."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not LEAST_TIME <= seconds <= MOST_TIME:
        raise Refusal(f"a time is a number of seconds from {LEAST_TIME:g} to {MOST_TIME:g}")
    return seconds
