"""The walk through games: every position to the analyst, every answer to the journal."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engine import Game, Limits, Move, Report, Side
from engine.notation import format_move
from engine.pdn import PdnGame, PdnMove
from engine.pdn_replay import Replay
from engine.position import Position
from engine.scores import WIN
from protocol.analysis.analyst import Analyst
from protocol.analysis.judge import loss, mark
from protocol.analysis.records import Entry, Journal, Line

PV_MOVES = 16  # of a line that are kept


@dataclass(slots=True)
class Station:
    """A position of a game and the move played in it, None in the last one."""

    ply: int
    board: Game
    step: PdnMove | None
    move: Move | None


@dataclass(slots=True)
class Analysed:
    """A game with what was found out about it."""

    pdn: PdnGame
    done: Replay
    entries: list[Entry] = field(default_factory=list)
    _marks: tuple[int, list[str]] = field(default_factory=lambda: (0, []))  # for so many entries

    def losses(self) -> list[float | None]:
        """Expected points that each move gave away; None where the position behind it is not known."""
        found: list[float | None] = []
        for entry, after in zip(self.entries, self.entries[1:], strict=False):
            if not entry.played or after.ply != entry.ply + 1:
                found.append(None)
            elif entry.lines and entry.lines[0].pv and entry.lines[0].pv[0] == entry.played:
                found.append(0.0)
            else:
                got = -after.score if after.turn != entry.turn else after.score
                found.append(loss(entry.score, got))
        return found

    def marks(self) -> list[str]:
        """The mark of each move, empty for sound ones."""
        if self._marks[0] != len(self.entries):
            found = [mark(lost) if lost is not None else "" for lost in self.losses()]
            self._marks = (len(self.entries), found)
        return self._marks[1]


def stations(pdn: PdnGame, done: Replay) -> Iterator[Station]:
    """The positions of the main line in order. The game of a station grows with the next one."""
    board: Game | None = None
    ply = 0
    for step in pdn.moves:
        position, move = done.known.get(id(step), (None, None))
        if position is None or move is None:
            continue
        if board is None or board.position != position:
            board = Game(position)
        yield Station(ply, board, step, move)
        board.play(move)
        ply += 1
    if board is None and done.game is not None:
        board = done.game
    if board is not None:
        yield Station(ply, board, None, None)


def analyse(
    game: Analysed,
    number: int,
    analyst: Analyst,
    limits: Limits,
    multipv: int,
    journal: Journal | None,
    on_entry: Callable[[Entry], None],
) -> bool:
    """Ask about every position of a game; False if the analyst was stopped before the end."""
    for station in stations(game.pdn, game.done):
        position = station.board.position
        fen = position.fen()
        known = journal.known.get((number, station.ply, fen)) if journal else None
        entry = known or _ask(station, number, analyst, limits, multipv)
        if entry is None:
            return False
        if known is None and journal is not None:
            journal.add(entry)
        game.entries.append(entry)
        on_entry(entry)
    return True


def _ask(station: Station, number: int, analyst: Analyst, limits: Limits, multipv: int) -> Entry | None:
    """The entry of one position; None if the analyst was stopped."""
    board = station.board
    position, legal = board.position, board.legal_moves()
    move = station.move
    lines: tuple[Line, ...] = ()
    over = ""
    if (outcome := board.outcome) is not None:
        over = outcome.reason
    if not legal or (outcome is not None and move is None):
        winner = outcome.winner if outcome else None
        score = 0 if winner is None else WIN if winner is position.turn else -WIN
    else:
        reports = analyst.lines(board, limits, multipv)
        if not reports:
            return None
        lines = tuple(_line(report, position) for report in reports)
        score = lines[0].score
    text = format_move(move, position, legal) if move is not None else ""
    turn = "B" if position.turn is Side.BLACK else "W"
    return Entry(number, station.ply, position.fen(), turn, text, lines, score, over)


def _line(report: Report, position: Position) -> Line:
    """A line of the analyst with its moves as PDN."""
    texts = []
    for move in report.pv[:PV_MOVES]:
        texts.append(format_move(move, position))
        position = position.play(move)
    return Line(report.score, report.depth, report.nodes, round(report.time, 3), tuple(texts))
