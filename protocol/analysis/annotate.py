"""Analysed games as annotated PDN."""

from dataclasses import replace

from engine import Side
from engine.pdn import PdnGame, PdnMove
from engine.pdn_commands import eval_command
from engine.pdn_writer import format_game
from protocol.analysis.judge import words
from protocol.analysis.records import Line
from protocol.analysis.run import Analysed

OWN_COMMANDS = ("[%eval", "[%depth")


def annotated(game: Analysed, annotator: str, *, white_first: bool = False) -> str:
    """The game as PDN: behind each move the score and depth of the position it led to, marks, better lines.

    Comments, marks and variations that the game had stay.
    """
    done = game.done
    entries = {entry.ply: entry for entry in game.entries}
    steps = [step for step in game.pdn.moves if done.known.get(id(step), (None, None))[1] is not None]
    marks = dict(enumerate(game.marks()))
    fresh: dict[int, PdnMove] = {}
    for ply, step in enumerate(steps):
        before, after = entries.get(ply), entries.get(ply + 1)
        comments = tuple(text for text in step.comments if not text.startswith(OWN_COMMANDS))
        if after is not None:
            comments = (_verdict(after.white_score, after.lines), *comments)
        variations = step.variations
        sign = marks.get(ply, "")
        if sign and before is not None and before.lines and before.lines[0].pv:
            variations = (_variation(before.lines[0]), *variations)
        fresh[id(step)] = replace(step, strength=step.strength or sign, comments=comments, variations=variations)
    moves = [fresh.get(id(step), step) for step in game.pdn.moves]
    known = {id(fresh[key]) if key in fresh else key: value for key, value in done.known.items()}
    tags = dict(game.pdn.tags) | {"Annotator": annotator}
    comments = game.pdn.comments
    if not moves and game.entries:
        first = game.entries[0]
        comments = (*(_spoken(line, first.side) for line in first.lines), *comments)
    pdn = PdnGame(tags, moves, comments, game.pdn.terminator, game.pdn.number)
    return format_game(pdn, done=replace(done, known=known), white_first=white_first)


def _verdict(white_score: int, lines: tuple[Line, ...]) -> str:
    depth = f" [%depth {lines[0].depth}]" if lines else ""
    return eval_command(white_score, Side.WHITE) + depth


def _variation(line: Line) -> list[PdnMove]:
    """A better line as a variation; its first move carries the score."""
    moves = [PdnMove(text) for text in line.pv]
    moves[0].comments = (f"{words(line.score)}, depth {line.depth}",)
    return moves


def _spoken(line: Line, turn: Side) -> str:
    """A line of a single position."""
    return f"{eval_command(line.score, turn)} [%depth {line.depth}] {' '.join(line.pv)}"
