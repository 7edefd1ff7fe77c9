"""The conformance list of Hub v2 (hub.md sections 4 and 11), one function each."""

import re
import time

from engine import DEFAULT_VARIANT, FormatError, Game, Position, find_variant
from engine.hub_position import parse_hub_position
from engine.notation import parse_move
from protocol.check.subject import CheckFailed, Subject, elapsed_since, require
from protocol.hub_syntax import parse_line

RULES = find_variant(DEFAULT_VARIANT)
START = Position.start(RULES).hub()
QUIET = ("31-26", "19-23", "26-31", "23-19")  # two kings going to and fro
KINGS = "W" + "e" * 18 + "B" + "e" * 11 + "W" + "e" * 18 + "w"
DONE = r"done( |$)"
SLACK = 0.05  # s that measuring may add
INFO = re.compile(
    r"info depth=\d+ mean-depth=-?[\d.]+ score=-?[\d.]+ nodes=\d+( time=[\d.]+)?( nps=[\d.]+)?( pv=(\S+|\"[^\"]+\"))?"
)


async def start(engine: Subject) -> None:
    """Handshake up to `ready`."""
    await engine.send("hub")
    await engine.expect(r"wait$")
    await engine.send("init")
    await engine.expect(r"ready$")


async def answer(engine: Subject, *lines: str, within: float | None = None) -> str:
    """Send lines and return the `done` that comes."""
    await engine.send(*lines)
    return (await engine.expect(DONE, within))[-1]


def check_done(line: str, game: Game) -> str:
    """The move of a `done`, which has to be legal, as has the ponder move. Raises CheckFailed."""
    found = re.fullmatch(r"done move=(\S+)( ponder=(\S+))?", line)
    require(found, f"clients need `done move=...` and at most `ponder=...`: {line!r}")
    assert found is not None
    copy = game.copy()
    for text in (found[1], found[3]):
        if text is None:
            continue
        require("=" not in text and '"' not in text, f"a move is not quoted: {line!r}")
        try:
            move = copy.play(parse_move(text, copy.position, copy.legal_moves(), numbering="top"))
        except FormatError as error:
            raise CheckFailed(f"illegal move in {line!r}: {error}") from None
        require(not move.captured or "x" in text, f"a capture is written with x: {line!r}")
        require(
            text.count("x") == len(move.captured) + (1 if move.captured else 0), f"not all captured squares: {text}"
        )
    return found[1]


def game_of(text: str, *moves: str) -> Game:
    """The game of a Hub position and moves."""
    game = Game(parse_hub_position(text, RULES))
    for move in moves:
        game.play(parse_move(move, game.position, game.legal_moves(), numbering="top"))
    return game


async def declaration(engine: Subject) -> None:
    """`hub` is answered by `id`, `param` lines and `wait`, every argument a name and a value"""
    await engine.send("hub")
    lines = await engine.expect(r"wait$", 10)
    require(any(line.startswith("id name=") for line in lines), "no `id name=` line")
    for text in lines[:-1]:
        line = parse_line(text)
        if line is None or line.command not in ("id", "param"):
            continue
        require(all(value is not None for _, value in line.arguments), f"an argument without =: {text!r}")
        inside = re.findall(r'"([^"]*)"', text)
        require(not any("=" in part for part in inside), f"= inside quotes: {text!r}")
        if line.command == "param":
            kind = line.get("type")
            require(kind in ("bool", "int", "real", "string", "enum"), f"no such type: {text!r}")
            require(kind not in ("int", "real") or ("min" in line and "max" in line), f"no min and max: {text!r}")
            require(kind != "enum" or line.get("values"), f"no values: {text!r}")


async def burst(engine: Subject) -> None:
    """1. A burst of commands before any answer: all answers, in order, nothing lost"""
    await engine.send("hub", "set-param name=book value=false", "init", f"pos pos={START}", "level depth=2", "go think")
    await engine.send("level depth=1", "go think", "ping")
    lines = await engine.expect(r"wait$")
    lines = await engine.expect(r"ready$")
    first = await engine.expect(DONE)
    check_done(first[-1], game_of(START))
    second = await engine.expect(DONE)
    check_done(second[-1], game_of(START))
    if not any("pong" in line for line in (*lines, *first, *second)):
        await engine.expect(r"pong$")


async def late_commands(engine: Subject) -> None:
    """2. `stop` and `ponder-hit` while idle: no output"""
    await start(engine)
    await engine.send("stop", "ponder-hit", "stop")
    await engine.quiet()
    await answer(engine, f"pos pos={START}", "level depth=1", "go think")
    await engine.send("stop", "ponder-hit")
    await engine.quiet()


async def ping_everywhere(engine: Subject) -> None:
    """3. `ping` is answered by `pong` in every state, and does not stop a search"""
    await engine.send("ping")
    await engine.expect(r"pong$")
    await engine.send("hub", "ping")
    await engine.expect(r"pong$")
    await engine.send("init", "ping")
    await engine.expect(r"pong$")
    for mode in ("analyze", "think", "ponder"):
        await engine.send(f"pos pos={START}", "level infinite", f"go {mode}")
        await engine.expect(r"info ")
        await engine.send("ping")
        lines = await engine.expect(r"pong$", 1)
        early = [line for line in lines if line.startswith("done")]
        require(not early or mode == "ponder", "`ping` stopped the search")
        if not early:
            await answer(engine, "stop", within=2)


async def end_of_input(engine: Subject, state: str) -> None:
    await bring_to(engine, state)
    await engine.close_input()
    lines = await engine.ended(1)
    require(not any(line.startswith("done") for line in lines), "a `done` after the end of input")


async def bring_to(engine: Subject, state: str) -> None:
    """Bring the engine to a state of the protocol."""
    if state == "start":
        return
    await engine.send("hub")
    await engine.expect(r"wait$")
    if state == "new":
        return
    await engine.send("init")
    if state == "init":
        return
    await engine.expect(r"ready$")
    if state in ("analyze", "ponder"):
        await engine.send(f"pos pos={START}", "level infinite", f"go {state}")
        await engine.expect(r"info ")


async def end_of_input_idle(engine: Subject) -> None:
    """4. End of input while idle: exit within a second"""
    await end_of_input(engine, "idle")


async def end_of_input_at_the_start(engine: Subject) -> None:
    """4. End of input before `hub`: exit within a second"""
    await end_of_input(engine, "start")


async def end_of_input_in_init(engine: Subject) -> None:
    """4. End of input during `init`: exit within a second"""
    await end_of_input(engine, "init")


async def end_of_input_searching(engine: Subject) -> None:
    """4. End of input during a search: exit within a second, without `done`"""
    await end_of_input(engine, "analyze")


async def quit_searching(engine: Subject) -> None:
    """`quit` during a search: exit within a second"""
    await bring_to(engine, "analyze")
    await engine.send("quit")
    await engine.ended(1)


async def one_done_in_ponder(engine: Subject) -> None:
    """5. A ponder search gives exactly one `done`, before or after the late `ponder-hit`"""
    await start(engine)
    await engine.send(f"pos pos={START} moves=32-28", "level depth=2", "go ponder")
    with_hit = False
    try:
        await engine.expect(DONE, 0.5)
    except CheckFailed:
        with_hit = True
    await engine.send("ponder-hit")
    if with_hit:
        await engine.expect(DONE)
    await engine.send("stop")
    await engine.quiet()


async def two_searches(engine: Subject) -> None:
    """6. Two `go` in a row: two `done`"""
    await start(engine)
    await engine.send(f"pos pos={START}", "level depth=1", "go think", "go think", "stop")
    await engine.expect(DONE)
    await engine.expect(DONE)
    await engine.quiet()


async def stop_is_quick(engine: Subject) -> None:
    """`stop` is answered by `done` within 0.3 s"""
    await start(engine)
    for _ in range(3):
        await engine.send(f"pos pos={START}", "level infinite", "go analyze")
        await engine.expect(r"info ")
        line = await answer(engine, "stop", within=0.3)
        check_done(line, game_of(START))


async def position_during_search(engine: Subject) -> None:
    """A position sent during a search comes into force after its `done`"""
    await start(engine)
    await engine.send(f"pos pos={START}", "level infinite", "go analyze")
    await engine.expect(r"info ")
    await engine.send(f"pos pos={START} moves=32-28", "level depth=2", "go think")
    check_done((await engine.expect(DONE))[-1], game_of(START))
    check_done((await engine.expect(DONE))[-1], game_of(START, "32-28"))


async def line_ends(engine: Subject) -> None:
    """7. Lines that end in CR LF"""
    await engine.raw(b"hub\r\ninit\r\n")
    await engine.expect(r"ready$")
    await engine.raw(f"pos pos={START}\r\nlevel depth=2\r\ngo think\r\n".encode())
    check_done((await engine.expect(DONE))[-1], game_of(START))


async def negative_time(engine: Subject) -> None:
    """8. `level time=-0.4 inc=0.5`: a move within 0.1 s"""
    await start(engine)
    best = 9.0
    for _ in range(3):
        await engine.send(f"pos pos={START}", "level time=-0.4 inc=0.5")
        begun = time.perf_counter()
        check_done(await answer(engine, "go think"), game_of(START))
        best = min(best, elapsed_since(begun))
    require(best < 0.1 + SLACK, f"it took {best:.3f} s")


async def long_game(engine: Subject) -> None:
    """9. A list of 300 moves is replayed in less than 20 ms"""
    await start(engine)
    moves = " ".join(QUIET * 75)
    best = plain = 9.0
    for _ in range(5):
        begun = time.perf_counter()
        await engine.send("ping")
        await engine.expect(r"pong$")
        plain = min(plain, elapsed_since(begun))
        begun = time.perf_counter()
        await engine.send(f'pos pos={KINGS} moves="{moves}"', "ping")
        lines = await engine.expect(r"pong$")
        require(not any(line.startswith("error") for line in lines), f"the moves were not accepted: {lines}")
        best = min(best, elapsed_since(begun))
    require(best - plain < 0.02, f"it took {1000 * (best - plain):.1f} ms")


async def captures(engine: Subject) -> None:
    """10. A single capture is accepted with and without the captured square, and written with it"""
    await start(engine)
    for text in ("28x19x23", "28x19"):
        await engine.send(f'pos pos={START} moves="32-28 19-23 {text}"', "level depth=1", "go think")
        lines = await engine.expect(DONE)
        require(not any(line.startswith("error") for line in lines), f"{text} was not accepted")
        check_done(lines[-1], game_of(START, "32-28", "19-23", "28x19x23"))


async def info_lines(engine: Subject) -> None:
    """11. `info` in the order that every client reads, a line of one move without quotes"""
    await start(engine)
    await engine.send(f"pos pos={START}", "level depth=4", "go analyze")
    lines = await engine.expect(DONE)
    infos = [line for line in lines if line.startswith("info")]
    require(infos, "no `info` in a search")
    for text in infos:
        require(INFO.match(text), f"not in the usual order: {text!r}")
        require(not re.search(r'="[^" ]+"', text), f"one word in quotes: {text!r}")
        unquoted = re.sub(r'"[^"]*"', "q", text)
        require(all(word.count("=") == 1 for word in unquoted.split()[1:]), f"an argument without =: {text!r}")
    require(any(" score=" in text for text in infos), "no score")


async def paced_handshake(engine: Subject) -> None:
    """12. A client that sees one line for each read gets through the handshake"""
    for attempt in range(1, 6):  # other work on the machine may join lines
        engine.chunks.clear()
        await start(engine)
        if max(engine.chunks) <= 1:
            return
        require(attempt < 5, f"up to {max(engine.chunks)} lines came in one piece")


async def no_legal_move(engine: Subject) -> None:
    """A position without a legal move: a bare `done`, and the engine goes on"""
    await start(engine)
    blocked = "W" + "e" * 36 + "b" + "e" * 3 + "b" + "e" * 4 + "w" + "e" * 4
    require(not game_of(blocked).legal_moves(), "the check itself is wrong")
    line = await answer(engine, f"pos pos={blocked}", "level move-time=1", "go think", within=2)
    require(line.strip() == "done", f"not a bare `done`: {line!r}")
    check_done(await answer(engine, f"pos pos={START}", "level depth=2", "go think"), game_of(START))


async def junk(engine: Subject) -> None:
    """Unknown commands, parameters and arguments, empty lines and open quotes are survived, also in a search"""
    await start(engine)
    noise = ["", "   ", "foo", 'frobnicate a=b c="d e" f', "set-param name=initial-time value=60", "=", '"', 'x y="z']
    await engine.send(*noise, "level depth=abc", "set-param", "set-param name=no-such", f'pos pos="{START}')
    await engine.send("ping")
    await engine.expect(r"pong$")
    await engine.send(f"pos pos={START} foo=bar flag", "level infinite", "go analyze")
    await engine.expect(r"info ")
    await engine.send("", "foo", "FOO bar=1", "ping")
    lines = await engine.expect(r"pong$", 1)
    require(not any(line.startswith("done") for line in lines), "junk stopped the search")
    check_done(await answer(engine, "stop", within=1), game_of(START))


async def bad_positions(engine: Subject) -> None:
    """A bad position is told and the last one stays; so does the legal part of a list of moves"""
    await start(engine)
    for text in ("Wbbb", "X" + START[1:], START[:33], START[:-1] + "z"):
        await engine.send(f"pos pos={START} moves=32-28", f"pos pos={text}", "ping")
        lines = await engine.expect(r"pong$")
        require(any(line.startswith("error ") for line in lines), f"nothing said of {text!r}")
        check_done(await answer(engine, "level depth=1", "go think"), game_of(START, "32-28"))
    await engine.send(f'pos pos={START} moves="32-28 1-50 19-23"', "ping")
    lines = await engine.expect(r"pong$")
    require(any(line.startswith("error ") for line in lines), "nothing said of an illegal move")
    check_done(await answer(engine, "level depth=1", "go think"), game_of(START, "32-28"))


async def levels(engine: Subject) -> None:
    """Several `level` lines add up, and end with the search"""
    await start(engine)
    line = await answer(engine, f"pos pos={START}", "level depth=1", "level move-time=60", "go think", within=5)
    check_done(line, game_of(START))
    await engine.send(f"pos pos={START}", "go analyze")
    await engine.expect(r"info ")
    await engine.send("ping")
    lines = await engine.expect(r"pong$")
    require(not any(line.startswith("done") for line in lines), "the limits of the last search still hold")
    await answer(engine, "stop", within=1)


async def silent_errors(engine: Subject) -> None:
    """Standard error stays empty (clients do not read it, or take it for answers)"""
    await start(engine)
    await answer(engine, f"pos pos={START}", "level depth=3", "go think")
    await engine.send("quit")
    await engine.ended(1)
    require(not engine.errors, f"standard error: {bytes(engine.errors[:200]).decode('utf-8', 'replace')!r}")


CHECKS = (
    declaration,
    burst,
    late_commands,
    ping_everywhere,
    end_of_input_at_the_start,
    end_of_input_idle,
    end_of_input_in_init,
    end_of_input_searching,
    quit_searching,
    one_done_in_ponder,
    two_searches,
    stop_is_quick,
    position_during_search,
    line_ends,
    negative_time,
    long_game,
    captures,
    info_lines,
    paced_handshake,
    no_legal_move,
    junk,
    bad_positions,
    levels,
    silent_errors,
)
