"""What clients of Hub v1 need (hub.md section 8)."""

import re

from engine import FormatError, Game, Position
from engine.notation import parse_move
from protocol.check.checks_hub import RULES, START, start
from protocol.check.subject import CheckFailed, Subject, require

POSITION = START[0].lower() + START[1:]
MOVE = r"move( |$)"


def check_move(line: str, *moves: str) -> None:
    """Raises CheckFailed unless the moves of an answer are legal after `moves`."""
    game = Game(Position.start(RULES))
    for text in (*moves, *line.split()[1:]):
        try:
            game.play(parse_move(text, game.position, game.legal_moves(), numbering="top"))
        except FormatError as error:
            raise CheckFailed(f"illegal move in {line!r}: {error}") from None
    require(1 <= len(line.split()) - 1 <= 2, f"not a move and perhaps a ponder move: {line!r}")


async def handshake(engine: Subject) -> None:
    """`hub` is answered by name, author and country, then `wait`; `init` by `ready`"""
    await engine.send("hub")
    lines = await engine.expect(r"wait$")
    for word in ("name ", "author ", "country "):
        require(any(line.startswith(word) for line in lines), f"no `{word}`")
    await engine.send("init")
    await engine.expect(r"ready$")


async def moves(engine: Subject) -> None:
    """A game by `start` and one `move` for each ply"""
    await start(engine)
    await engine.send("start", "move 32-28", "move 19-23", "depth 3", "go")
    lines = await engine.expect(MOVE)
    check_move(lines[-1], "32-28", "19-23")
    infos = [line for line in lines if line.startswith("info ")]
    pattern = r"info \d+ [\d.]+ -?\d+ \d+ [\d.]+ [\d.]+( \d+[-x]\S+)*$"
    require(all(re.match(pattern, line) for line in infos), f"not seven fields: {infos}")


async def illegal_move(engine: Subject) -> None:
    """An illegal move and a bad position are told, and what was before stays"""
    await start(engine)
    await engine.send("start", "move 32-28", "move 1-1", "pos wbad", "ping")
    lines = await engine.expect(r"pong$")
    require(sum(line.startswith("error ") for line in lines) == 2, f"not two errors: {lines}")
    await engine.send("depth 2", "go")
    check_move((await engine.expect(MOVE))[-1], "32-28")


async def ponder(engine: Subject) -> None:
    """`ponder`, `ponder-hit`, `analyse` and `stop`: one answer each"""
    await start(engine)
    await engine.send(f"pos {POSITION}", "level 0 5000 0", "ponder")
    await engine.send("ponder-hit")
    check_move((await engine.expect(MOVE))[-1])
    await engine.send(f"pos {POSITION}", "analyse", "ping")
    await engine.expect(r"pong$")
    await engine.send("stop", "stop")
    check_move((await engine.expect(MOVE))[-1])
    await engine.quiet()


async def end_of_input(engine: Subject) -> None:
    """End of input during a search: exit within a second"""
    await start(engine)
    await engine.send(f"pos {POSITION}", "analyse", "ping")
    await engine.expect(r"pong$")
    await engine.close_input()
    await engine.ended(1)


CHECKS = (handshake, moves, illegal_move, ponder, end_of_input)
