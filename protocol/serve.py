"""One client on standard input and output, in any text protocol."""

import argparse
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable

import trio

from engine import PARAMS, Engine, OptionError
from protocol.log import WireLog
from protocol.machine import Dialect, TextMachine
from protocol.session import Session
from protocol.stdio import Reader, Writer, claim, leave

SWITCH = 0.001  # s; where the search is plain Python and holds the GIL, others run that soon and not after 5 ms
STACK = 8 << 20  # bytes for each thread, the search recurses in one; some systems give only 512 KiB


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of every command that serves a text protocol."""
    parser.add_argument(
        "--log",
        metavar="FILE",
        default=os.environ.get("DAMIER_LOG") or None,
        help="append every line of both directions with its time (default: the environment's DAMIER_LOG)",
    )
    parser.epilog = "Any parameter can be set beforehand: --NAME=VALUE."


def serve_stdio(dialect: Callable[[TextMachine], Dialect], args: argparse.Namespace) -> int:
    """Serve until the client leaves; returns the exit code. Raises OptionError, OSError before it begins."""
    source, target = claim()
    engine = Engine(background=True)
    machine = TextMachine(dialect, PARAMS.values())
    configure(machine, args.parameters)
    log = WireLog.open(args.log) if args.log else WireLog()
    threading.stack_size(STACK)
    sys.setswitchinterval(SWITCH)
    code = trio.run(_serve, machine, engine, log, source, target)
    log.close()
    leave(code)
    return code


def configure(machine: TextMachine, parameters: Iterable[tuple[str, str]]) -> None:
    """Set parameters from the command line. Raises OptionError."""
    for name, value in parameters:
        if not machine.assign(name, value):
            raise OptionError(f"unknown parameter {name!r}")


async def _serve(machine: TextMachine, engine: Engine, log: WireLog, source: int, target: int) -> int:
    token = trio.lowlevel.current_trio_token()
    session: Session

    def closed() -> None:
        with contextlib.suppress(trio.RunFinishedError):
            token.run_sync_soon(session.output_closed)

    writer = Writer(target, closed)
    session = Session(machine, engine, writer, log)
    code = await session.run(Reader(source), signals=True)
    writer.close()
    return code
