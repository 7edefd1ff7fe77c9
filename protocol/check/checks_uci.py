"""What the UCI dialect demands (ucilike.md), one function each."""

import re
import time

from engine import DEFAULT_VARIANT, FormatError, Game, Position, find_variant
from engine.fen import parse_position
from engine.notation import parse_move
from protocol.check.subject import CheckFailed, Subject, elapsed_since, require

RULES = find_variant(DEFAULT_VARIANT)
BEST = r"bestmove( |$)"
SLACK = 0.05
OPTION = {
    "check": r" default (true|false)$",
    "spin": r" default -?\d+ min -?\d+ max -?\d+$",
    "combo": r" default \S+( var \S+)+$",
    "button": r"$",
    "string": r" default .+$",
}


async def start(engine: Subject) -> None:
    """Handshake up to `readyok`."""
    await engine.send("uci")
    await engine.expect(r"uciok$")
    await engine.send("isready")
    await engine.expect(r"readyok$")


async def answer(engine: Subject, *lines: str, within: float | None = None) -> list[str]:
    """Send lines and return all up to the `bestmove` that comes."""
    await engine.send(*lines)
    return await engine.expect(BEST, within)


def check_best(lines: list[str], fen: str = "startpos", *moves: str, variant: str = DEFAULT_VARIANT) -> None:
    """Raises CheckFailed unless an `info` with a score came first and the moves are legal."""
    line = lines[-1]
    require(any(" score " in before for before in lines[:-1]), "no `info` with a score before `bestmove`")
    found = re.fullmatch(r"bestmove (\S+)( ponder (\S+))?\s*", line)
    require(found, f"not `bestmove MOVE [ponder MOVE]`: {line!r}")
    assert found is not None
    game = Game(parse_position(fen, find_variant(variant)))
    for text in (*moves, found[1], found[3]):
        if text is None:
            continue
        try:
            game.play(parse_move(text, game.position, game.legal_moves()))
        except FormatError as error:
            raise CheckFailed(f"illegal move in {line!r}: {error}") from None


async def declaration(engine: Subject) -> None:
    """`uci`: both `id` lines, complete options with different names, `uciok` within a second"""
    await engine.send("uci")
    lines = await engine.expect(r"uciok$", 2)
    for word in ("id name ", "id author "):
        require(any(line.startswith(word) for line in lines), f"no `{word}`")
    names = []
    for line in lines:
        if not line.startswith("option"):
            continue
        found = re.fullmatch(r"option name (.+?) type (\w+)(.*)", line)
        require(found, f"no name and type: {line!r}")
        assert found is not None
        names.append(found[1].lower())
        require(re.match(OPTION.get(found[2], "never"), found[3]), f"incomplete: {line!r}")
        if found[2] == "combo":
            require(f" var {found[3].split()[1]}" in found[3], f"the default is not listed: {line!r}")
    require(len(names) == len(set(names)), "two options with one name")


async def plain_search(engine: Subject) -> None:
    """`go depth`, `go nodes 1`, `go movetime`: a legal move each, whole numbers in `info`"""
    await start(engine)
    for go in ("depth 3", "nodes 1", "movetime 100"):
        lines = await answer(engine, "position startpos moves 32-28 19-23", f"go {go}")
        check_best(lines, "startpos", "32-28", "19-23")
        for line in lines:
            numbers = re.findall(r" (?:depth|seldepth|multipv|nodes|nps|hashfull|tbhits|time|cp|mate) (\S+)", line)
            if line.startswith("info depth"):
                require(all(re.fullmatch(r"-?\d+", number) for number in numbers), f"not whole numbers: {line!r}")


async def blanks(engine: Subject) -> None:
    """CR LF, tabs, blanks in front, empty lines, `moves` with nothing behind, a very long line"""
    await engine.raw(b"uci\r\n")
    await engine.expect(r"uciok$")
    await engine.raw(b"  isready  \n\n")
    await engine.expect(r"readyok$")
    await engine.raw(b"position startpos moves \n\tgo\tdepth 1\n")
    check_best(await engine.expect(BEST))
    shuffle = "48-43 3-9 43-48 9-3 " * 1000
    await engine.send(f"position fen W:WK48:BK3 moves {shuffle}", "isready")
    await engine.expect(r"readyok$")


async def infinite(engine: Subject) -> None:
    """`go infinite` and `go ponder` hold the answer back until `stop` or `ponderhit`, then one `bestmove`"""
    await start(engine)
    await engine.send("position fen W:W24,48:B30", "go infinite")
    await until_quiet(engine, 0.5)
    check_best(["info score cp 0", *(await answer(engine, "stop", within=1))], "W:W24,48:B30")
    await engine.send("position startpos", "go ponder depth 1")
    await until_quiet(engine, 0.5)
    check_best(["info score cp 0", *(await answer(engine, "ponderhit", within=2))])
    await engine.send("stop", "ponderhit", "isready")
    lines = await engine.expect(r"readyok$")
    require(not any(line.startswith("bestmove") for line in lines), "a second `bestmove`")


async def until_quiet(engine: Subject, seconds: float) -> None:
    """Raises CheckFailed if a `bestmove` comes within some time."""
    try:
        await engine.expect(BEST, seconds)
    except CheckFailed as failure:
        if "within" not in str(failure):
            raise
        return
    raise CheckFailed("`bestmove` before `stop` or `ponderhit`")


async def idle_stop(engine: Subject) -> None:
    """`stop` and `ponderhit` while idle: nothing"""
    await start(engine)
    await engine.send("stop", "ponderhit", "stop")
    await engine.quiet()


async def stop_is_quick(engine: Subject) -> None:
    """`stop` is answered within 0.3 s, `isready` at once during a search"""
    await start(engine)
    await engine.send("position startpos", "go infinite", "isready")
    await engine.expect(r"readyok$", 1)
    check_best(["info score cp 0", *(await answer(engine, "stop", within=0.3))])


async def commands_in_a_search(engine: Subject) -> None:
    """`setoption`, `ucinewgame`, `position` and `go` during a search: its `bestmove` first, nothing lost"""
    await start(engine)
    await engine.send("position startpos", "go infinite", "setoption name Hash value 1", "ucinewgame")
    await engine.send("position startpos moves 32-28", "go depth 2")
    check_best(await engine.expect(BEST))
    check_best(await engine.expect(BEST), "startpos", "32-28")
    await engine.send("isready")
    lines = await engine.expect(r"readyok$")
    require(not any(line.startswith("bestmove") for line in lines), "a third `bestmove`")


async def bad_positions(engine: Subject) -> None:
    """A bad FEN or an illegal move is survived, and the next `go` answers"""
    await start(engine)
    await engine.send("position startpos moves 32-28")
    await engine.send("position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    check_best(await answer(engine, "go depth 2"), "startpos", "32-28")
    check_best(await answer(engine, "position startpos moves 32-28 e7e5 19-23", "go depth 2"), "startpos", "32-28")


async def no_legal_move(engine: Subject) -> None:
    """No legal move: `bestmove (none)`, then normal work"""
    await start(engine)
    lines = await answer(engine, "position fen W:W46:B37,41", "go depth 5")
    require(not Position.from_fen("W:W46:B37,41", RULES).legal_moves(), "the check itself is wrong")
    require(lines[-1].split() == ["bestmove", "(none)"], f"not (none): {lines[-1]!r}")
    check_best(await answer(engine, "position startpos", "go depth 2"))


async def searchmoves(engine: Subject) -> None:
    """`searchmoves`: illegal ones are left out, a legal one is played"""
    await start(engine)
    lines = await answer(engine, "position startpos", "go depth 3 searchmoves 1-50 32-28")
    check_best(lines)
    require(lines[-1].split()[1] in ("32-28", "3228"), f"another move: {lines[-1]!r}")
    check_best(await answer(engine, "go depth 2 searchmoves 1-50"))


async def clocks(engine: Subject) -> None:
    """Tiny, negative and huge clocks: the move comes in time"""
    await start(engine)
    for go, limit in [
        ("wtime 50 btime 50 winc 5000 binc 5000", 0.05),
        ("wtime -250 btime 99999999999999", 0.05),
        ("wtime 0 btime 0", 0.05),
        ("movetime 50", 0.05),
        ("wtime 100", 0.1),
    ]:
        best = 9.0
        for _ in range(3):
            begun = time.perf_counter()
            check_best(await answer(engine, "position startpos", f"go {go}"))
            best = min(best, elapsed_since(begun))
        require(best < limit + SLACK, f"`go {go}` took {best:.3f} s")


async def repetition(engine: Subject) -> None:
    """A legal move also where the position is a draw by repetition"""
    await start(engine)
    shuffle = ["48-43", "3-9", "43-48", "9-3"] * 4
    lines = await answer(engine, f"position fen W:WK48:BK3 moves {' '.join(shuffle)}", "go depth 3")
    check_best(lines, "W:WK48:BK3", *shuffle)


async def variants(engine: Subject) -> None:
    """Every declared variant moves, in its own notation"""
    await engine.send("uci")
    lines = await engine.expect(r"uciok$")
    declared = next((line for line in lines if line.startswith("option name UCI_Variant ")), None)
    require(declared, "no option UCI_Variant")
    for name in re.findall(r" var (\S+)", declared or ""):
        await engine.send(f"setoption name UCI_Variant value {name}", "isready")
        await engine.expect(r"readyok$")
        check_best(await answer(engine, "position startpos", "go depth 2"), variant=name)


async def leaving(engine: Subject) -> None:
    """`quit` during a search: exit within a second"""
    await start(engine)
    await engine.send("go infinite", "isready")
    await engine.expect(r"readyok$")
    await engine.send("quit")
    await engine.ended(1)


async def end_of_input(engine: Subject) -> None:
    """End of input during a search: exit within a second"""
    await start(engine)
    await engine.send("go infinite", "isready")
    await engine.expect(r"readyok$")
    await engine.close_input()
    await engine.ended(1)


CHECKS = (
    declaration,
    plain_search,
    blanks,
    infinite,
    idle_stop,
    stop_is_quick,
    commands_in_a_search,
    bad_positions,
    no_legal_move,
    searchmoves,
    clocks,
    repetition,
    variants,
    leaving,
    end_of_input,
)
