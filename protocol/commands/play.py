"""`damier play VARIANT`: a game against the engine in the terminal."""

import argparse
import contextlib
import io
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from engine import DEFAULT_VARIANT, Engine, Move, Position, Side, find_variant
from engine.fen import parse_position

if TYPE_CHECKING:
    from rich.console import Console

    from protocol.play.session import Screen

HELP = "play against the engine in the terminal"
EXAMPLES = """
damier play russian                    # you begin; `help` lists what can be typed
damier play english --color white --strength 5 --time 0.5 --pdn my-games.pdn
damier play international --fen "W:W31-50:B1-20"
"""
TAKES_PARAMETERS = True  # rule options, threads, databases: --NAME=VALUE
PROMPT = "> "
LEVEL = 10
SECONDS = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The variant, who plays what and how strongly, where the games go."""
    parser.add_argument("variant", nargs="?", default=DEFAULT_VARIANT, metavar="VARIANT", help="name or alias")
    parser.add_argument(
        "--color", choices=("white", "black", "random"), help="your side (default: the one that begins)"
    )
    parser.add_argument("--fen", help="position to play from (FEN or Hub string)")
    parser.add_argument(
        "--strength", type=int, choices=range(1, 21), default=LEVEL, metavar="1..20", help=f"level (default {LEVEL})"
    )
    parser.add_argument(
        "--time", default=f"{SECONDS:g}", metavar="SECONDS", help=f"for its moves (default {SECONDS:g})"
    )
    parser.add_argument("--pdn", metavar="FILE", type=Path, help="append every game, also one that is broken off")


def run(args: argparse.Namespace) -> int:
    """Play until the player leaves. Raises DamierError, OSError."""
    from rich.console import Console

    from protocol.play.opponent import Opponent
    from protocol.play.session import Session, read_seconds

    engine = Engine()
    for name, value in [("variant", find_variant(args.variant).name), *args.parameters, ("strength", args.strength)]:
        engine.set_param(name, value)
    rules = engine.rules
    start = Position.start(rules) if args.fen is None else parse_position(args.fen, rules)
    sides = {None: rules.starts, "white": Side.WHITE, "black": Side.BLACK, "random": random.choice(list(Side))}
    if args.pdn is not None:
        args.pdn.open("a").close()  # better refused now than when the first game is over
    _take_any_text()
    opponent = Opponent(engine, read_seconds(args.time))
    session = Session(start, sides[args.color], opponent, _screen(Console(highlight=False)), args.pdn)
    _catch_signals()
    try:
        session.begin()
        for line in _lines():
            if not session.answer(line):
                break
    finally:
        session.close()
    return 0


def _screen(console: "Console") -> "Screen":
    """The console as the session's screen: coloured on a terminal, plain text elsewhere."""
    from rich.text import Text

    from protocol.play.board import draw
    from protocol.play.session import Screen

    colours = console.is_terminal and console.color_system is not None and not console.no_color
    colours = colours and console.encoding.startswith("utf")

    class Terminal(Screen):
        def say(self, text: str) -> None:
            console.print(Text(text), soft_wrap=not console.is_terminal)

        def board(self, position: Position, flipped: bool, last: Move | None) -> None:
            marked = (last.frm, last.to) if last else ()
            console.print(Text("\n") + draw(position, flipped=flipped, marked=marked, colours=colours), soft_wrap=True)

    return Terminal()


def _lines() -> Iterator[str]:
    """What the player types, up to the end of input; what comes from a file or a pipe is shown too."""
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # arrow keys and history in input()
        with contextlib.suppress(EOFError):
            while True:
                yield input(PROMPT)
        return
    for line in sys.stdin:
        print(PROMPT + line.rstrip(), flush=True)
        yield line


def _take_any_text() -> None:
    """Neither bytes that are no text nor a console without some letter break the game."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _catch_signals() -> None:
    """A terminal that is closed and a kind kill end the program as ^C does: the game is kept."""

    def leave(number: int, _: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)
