"""`damier dxp`: play over DXP (DamExchange), called or calling, asked for games or asking."""

import argparse
import math
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import trio

from engine import VERSION, Engine, FormatError, Limits, Position, Rules, Side
from protocol.dxp_actions import GameRecord, Policy, Timeouts
from protocol.dxp_match import Match
from protocol.dxp_messages import Chat, encode
from protocol.dxp_pdn import write_game
from protocol.log import WireLog
from protocol.serve import STACK
from protocol.session_dxp import GRACE, DxpHost
from protocol.stdio import Writer, leave
from protocol.tcp import FREE_PORT, LOOPBACK, address, connect, free_port, listen, pipe

HELP = "play over DXP (DamExchange) on a TCP connection"
EXAMPLES = """
damier dxp                             # wait for calls on port 27531 of this machine
damier dxp --listen 0.0.0.0:27531 --pdn games.pdn --tt-size=24
damier dxp --connect host:27531 --games 10 --minutes 5
damier dxp --connect localhost --start "scan dxp-server" --games 2 --color black
"""
TAKES_PARAMETERS = True
PORT = 27531


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `damier dxp`."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--listen",
        metavar="[HOST:]PORT",
        nargs="?",
        const=str(PORT),
        help=f"wait for calls (the default, on port {PORT} of {LOOPBACK}); port 0 takes a free one",
    )
    where.add_argument("--connect", metavar="HOST[:PORT]", help="call another program")
    where.add_argument(
        "--pipe",
        metavar="HOST[:PORT]",
        help="do not play, carry standard input and output to a DXP program; {port} is a free port, in --start too",
    )
    parser.add_argument("--start", metavar="COMMAND", help="a program to run meanwhile, such as the one to connect to")
    parser.add_argument("--patience", type=_positive, default=10.0, metavar="S", help="seconds to try to connect (10)")
    parser.add_argument("--variant", metavar="NAME", help="the game, which DXP does not name (international)")
    parser.add_argument("--name", default=f"damier {VERSION}", help="name given to the other side, up to 32 characters")
    parser.add_argument("--no-take-back", action="store_true", help="never take moves back on request")
    parser.add_argument("--idle", type=_positive, metavar="S", help="close connections after S seconds without a game")
    parser.add_argument("--log", metavar="FILE", help="append every message of both directions to a file")
    parser.add_argument("--pdn", metavar="FILE", help="append every game to a PDN file")
    asking = parser.add_argument_group("asking for games (as the initiator)")
    asking.add_argument(
        "--games", type=_count, metavar="N", help="ask for N games, colours changing; default: be asked"
    )
    asking.add_argument("--minutes", type=_minutes, default=5, metavar="M", help="for each game and player, 1..999 (5)")
    asking.add_argument("--moves", type=_moves, default=0, metavar="N", help="length of a game, 0 = to the end (0)")
    asking.add_argument("--color", choices=("white", "black"), default="white", help="our colour in the first game")
    asking.add_argument(
        "--fen", action="append", help="start position, may be repeated: each is played with both colours"
    )
    asking.add_argument(
        "--claim-time",
        type=_positive,
        metavar="S",
        help="claim a win when the other clock is S seconds over (5 if asking)",
    )
    search = parser.add_argument_group("limits of each search beside the clock")
    search.add_argument("--move-time", type=_positive, metavar="S", help="seconds for a move")
    search.add_argument("--depth", type=_count, metavar="N", help="plies")
    search.add_argument("--nodes", type=_count, metavar="N", help="positions")
    parser.epilog = "Any parameter of the engine can be set: --NAME=VALUE, such as --tt-size=24."


def run(args: argparse.Namespace) -> int:
    """Play or carry bytes; returns the exit code: 0, 1 if a match was cut short. Raises DamierError, OSError."""
    where, start = args.pipe, args.start
    if where and FREE_PORT in where:
        port = str(free_port())
        where = where.replace(FREE_PORT, port)
        start = start and start.replace(FREE_PORT, port)
    with _started(start):
        if not where:
            return _play(args)
        trio.run(_pipe, where, args.patience)
        return 0


def _play(args: argparse.Namespace) -> int:
    engine = Engine(background=True)
    if args.variant:
        engine.set_param("variant", args.variant)
    for name, value in args.parameters:
        engine.set_param(name, value)
    match = _match(args, engine.rules) if args.games else None
    grace = args.claim_time or (5.0 if match else None)
    policy = Policy(
        name=args.name,
        take_back=not args.no_take_back,
        time_grace=grace,
        timeouts=Timeouts(idle=args.idle),
    )
    writer = Writer(sys.stdout.fileno(), lambda: None)
    announce = partial(writer.put, droppable=True, paced=False)
    host = DxpHost(
        engine,
        engine.rules,
        policy,
        cap=Limits(depth=args.depth, nodes=args.nodes, move_time=args.move_time),
        match=match,
        announce=announce,
        on_game=_Recorder(args.pdn, announce) if args.pdn else lambda record: None,
        log=WireLog.open(args.log) if args.log else None,
    )
    threading.stack_size(STACK)
    code = trio.run(_run, args, host, announce)
    if match is not None:
        announce(f"match: {match.score}")
    writer.close()
    code = code or int(host.failed)
    leave(code)
    return code


async def _pipe(where: str, patience: float) -> None:
    stream = await connect(*address(where, PORT), patience)
    await pipe(stream, encode(Chat(f"connected to {where}")) + b"\0")


@contextmanager
def _started(command: str | None) -> Iterator[None]:
    """Run another program meanwhile. Raises FormatError, OSError."""
    if command is None:
        yield
        return
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise FormatError(str(error), command) from None
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    try:
        yield
    finally:
        program.terminate()
        try:
            program.wait(GRACE)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


async def _run(args: argparse.Namespace, host: DxpHost, announce: "partial[None]") -> int:
    code = 0

    async def watch_signals(*, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        nonlocal code
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as arrivals:
            task_status.started()
            async for number in arrivals:
                code = 128 + number
                host.shut_down()

    if args.connect:
        stream = await connect(*address(args.connect, PORT), args.patience)
        announce(f"connected to {args.connect}")
        play = partial(host.call, stream)
    else:
        name, port = address(args.listen or str(PORT), PORT)
        listeners = await listen(name, port)
        for listener in listeners:
            announce("listening on " + "{}:{}".format(*listener.socket.getsockname()[:2]))
        play = partial(host.listen, listeners)
    async with trio.open_nursery() as nursery:
        await nursery.start(watch_signals)
        await play()
        nursery.cancel_scope.cancel()
    return code


def _match(args: argparse.Namespace, rules: Rules) -> Match:
    openings = [Position.from_fen(text, rules) for text in args.fen or ()] or [Position.start(rules)]
    side = Side.WHITE if args.color == "white" else Side.BLACK
    return Match(args.games, openings, side, args.minutes, args.moves)


class _Recorder:
    """Writes games to a PDN file; a full disk costs the record, not the match."""

    def __init__(self, path: str, announce: "partial[None]") -> None:
        self._path = path
        self._announce = announce
        self._number = 0

    def __call__(self, record: GameRecord) -> None:
        self._number += 1
        try:
            write_game(record, self._path, self._number)
        except OSError as error:
            self._announce(f"game not written: {error}")


def _number(text: str, low: float, high: float, kind: type[int] | type[float]) -> float:
    try:
        number = kind(text)
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low:g} to {high:g}")
    return number


def _positive(text: str) -> float:
    return _number(text, 0.001, 1e6, float)


def _minutes(text: str) -> int:
    return int(_number(text, 1, 999, int))


def _moves(text: str) -> int:
    return int(_number(text, 0, 999, int))


def _count(text: str) -> int:
    return int(_number(text, 1, 1e15, int))
