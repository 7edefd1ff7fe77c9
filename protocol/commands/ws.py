"""`damier ws`: engines for browser front ends."""

import argparse
import signal
import threading

import trio

from protocol.log import WireLog
from protocol.serve import STACK
from protocol.stdio import leave
from protocol.tcp import LOOPBACK, address, listen
from protocol.websocket import WebSocketHost

HELP = "serve the text protocols to browsers over WebSocket"
EXAMPLES = """
damier ws                              # for pages of this machine, ws://127.0.0.1:27532
damier ws --listen 8080 --origin https://example.org --limit 8
damier ws --origin null --variant=russian
"""
TAKES_PARAMETERS = True
PORT = 27532


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen and whom to serve."""
    parser.add_argument(
        "--listen",
        metavar="[HOST:]PORT",
        default=str(PORT),
        help=f"default: {PORT} on {LOOPBACK}; port 0 takes a free one",
    )
    parser.add_argument(
        "--origin",
        metavar="URL",
        action="append",
        default=[],
        help="also serve pages of this origin (https://example.org); `null` for local files, `*` for all; repeatable",
    )
    parser.add_argument("--limit", type=int, default=4, metavar="N", help="connections at a time (%(default)s)")
    parser.add_argument("--log", metavar="FILE", help="append every line of both directions to a file")
    parser.epilog = "Each connection has an engine of its own. Any parameter can be set: --NAME=VALUE."


def run(args: argparse.Namespace) -> int:
    """Serve until told to end; returns the exit code. Raises FormatError, OptionError, OSError."""
    name, port = address(args.listen, PORT)
    log = WireLog.open(args.log) if args.log else WireLog()
    host = WebSocketHost(limit=max(1, args.limit), origins=args.origin, parameters=args.parameters, log=log)
    host.check_parameters()
    threading.stack_size(STACK)
    code = trio.run(_run, host, name, port)
    log.close()
    leave(code)
    return code


async def _run(host: WebSocketHost, name: str, port: int) -> int:
    code = 0
    listeners = await listen(name, port)
    chosen = listeners[0].socket.getsockname()[1]
    async with trio.open_nursery() as nursery:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as arrivals:
            nursery.start_soon(host.run, listeners)
            shown = f"[{name}]" if ":" in name else name
            print(f"listening on ws://{shown}:{chosen}", flush=True)
            async for number in arrivals:
                code = 128 + number
                nursery.cancel_scope.cancel()
                break
    return code
