"""`damier analyse`: games and positions judged move by move."""

import argparse
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from engine import DEFAULT_VARIANT, FenError, Position, find_variant
from engine.clock import Limits
from engine.errors import FormatError
from engine.fen import format_fen, parse_position
from engine.pdn import Grade, PdnGame
from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from engine.pdn_writer import variant_tags
from protocol.analysis.analyst import Analyst, OwnAnalyst
from protocol.analysis.annotate import annotated
from protocol.analysis.html import report
from protocol.analysis.judge import words
from protocol.analysis.records import Entry, Journal
from protocol.analysis.run import Analysed, analyse
from protocol.commands.pdn import refuse_input, utf8_output

HELP = "analyse games or positions: annotated PDN, JSON lines, an HTML report"
EXAMPLES = """
damier analyse games.pdn --time 2 --out report.html --out annotated.pdn
damier analyse games.pdn --depth 14 --out notes.jsonl --resume
damier analyse --variant russian --fen W:Wc3:Bf6 --depth 16 --multipv 3
damier analyse games.pdn --engine "scan hub" > annotated.pdn
"""
TAKES_PARAMETERS = True
SUFFIXES = (".pdn", ".jsonl", ".html")
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to analyse, how long, and where the results go."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="PDN file, - for standard input")
    parser.add_argument(
        "--fen", nargs="+", action="extend", default=[], metavar="FEN", help="positions (FEN or Hub strings)"
    )
    parser.add_argument("--variant", help="variant of positions, and of games without a GameType")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, metavar="S", help="seconds for each position (default 1)")
    limit.add_argument("--depth", type=int, metavar="N", help="depth in plies for each position")
    limit.add_argument("--nodes", type=int, metavar="N", help="nodes for each position")
    parser.add_argument("--multipv", type=int, default=1, metavar="K", help="lines of each position")
    parser.add_argument("--engine", metavar="CMD", help="another engine that speaks Hub; default: damier's own")
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="FILE.pdn, FILE.jsonl or FILE.html; repeatable",
    )
    parser.add_argument("--resume", action="store_true", help="go on with what an interrupted run left")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Analyse; 130 after an interrupt, with what was done written. Raises DamierError, OSError."""
    limits = _limits(args)
    for path in args.out:
        if path.suffix not in SUFFIXES:
            raise FormatError(f"--out takes {', '.join(SUFFIXES)}", str(path))
        refuse_input(path, args.files)
    if not args.files and not args.fen:
        raise FormatError("nothing to analyse: give a PDN file or --fen")
    games = list(_games(args))
    analyst = _analyst(args)
    asked = f"{_limit_text(args)}, {args.multipv} line{'s' * (args.multipv > 1)} a position"
    journal = _journal(args, analyst.name, asked)
    interrupted = False

    def on_signal(_signal: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        analyst.stop()

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        with _Progress(games, quiet=args.quiet) as progress:
            for game in games:
                if interrupted or not analyse(
                    game, game.pdn.number, analyst, limits, args.multipv, journal, progress.step
                ):
                    break
    finally:
        signal.signal(signal.SIGINT, before)
        analyst.close()
        if journal is not None:
            journal.close()
    _write(args, games, analyst.name, asked)
    if interrupted:
        return INTERRUPTED
    if journal is not None and journal.path not in args.out:
        journal.path.unlink()
    return 0


def _limits(args: argparse.Namespace) -> Limits:
    for name, least in (("time", 0.001), ("depth", 1), ("nodes", 1), ("multipv", 1)):
        value = getattr(args, name)
        if value is not None and not value >= least:
            raise FormatError(f"--{name} must be at least {least}", str(value))
    if args.depth is not None:
        return Limits(depth=args.depth)
    if args.nodes is not None:
        return Limits(nodes=args.nodes)
    return Limits(move_time=1.0 if args.time is None else args.time)


def _limit_text(args: argparse.Namespace) -> str:
    if args.depth is not None:
        return f"depth {args.depth}"
    if args.nodes is not None:
        return f"{args.nodes} nodes"
    return f"{1.0 if args.time is None else args.time:g} s"


def _games(args: argparse.Namespace) -> Iterator[Analysed]:
    """Games of the files, then the positions as games without moves."""
    rules = find_variant(args.variant) if args.variant else None
    number = 0
    for file in args.files:
        for pdn in read_games(sys.stdin.buffer if file == "-" else Path(file)):
            number += 1
            pdn.number = number
            named = pdn.tag("GameType") or pdn.tag("Variant")
            done = replay(pdn, None if named else rules, variations=True)
            for fault in (*pdn.faults, *done.faults):
                if fault.grade is Grade.ERROR:
                    print(f"{file}:{fault}", file=sys.stderr)
            yield Analysed(pdn, done)
    for fen in args.fen:
        number += 1
        variant = rules or find_variant(DEFAULT_VARIANT)
        position = parse_position(fen, variant)
        if not position.legal_moves() and not position.pieces():
            raise FenError("a board without pieces", fen)
        tags = variant_tags(variant)
        if position != Position.start(variant):
            tags |= {"SetUp": "1", "FEN": format_fen(position)}
        pdn = PdnGame(tags, number=number)
        yield Analysed(pdn, replay(pdn, variant))


def _analyst(args: argparse.Namespace) -> Analyst:
    if args.engine is None:
        return OwnAnalyst(args.parameters)
    from protocol.analysis.external import ExternalAnalyst

    if args.multipv > 1:
        raise FormatError("Hub engines give one line; --multipv is for damier's own", str(args.multipv))
    return ExternalAnalyst(args.engine, tuple(args.parameters))


def _journal(args: argparse.Namespace, name: str, asked: str) -> Journal | None:
    """The file that lets a run be continued: the JSON lines asked for, or one beside the first output."""
    if not args.out:
        if args.resume:
            raise FormatError("--resume needs --out")
        return None
    path = next((path for path in args.out if path.suffix == ".jsonl"), None)
    if path is None:
        path = args.out[0].with_name(args.out[0].name + ".jsonl")
    settings = {"by": name, "settings": asked, "parameters": dict(args.parameters), "input": [*args.files, *args.fen]}
    return Journal(path, settings, args.resume)


def _write(args: argparse.Namespace, games: list[Analysed], name: str, asked: str) -> None:
    """Every output that was asked for; without any, standard output."""
    done = [game for game in games if game.entries]
    if not args.out:
        utf8_output()
        for game in done:
            if game.pdn.moves:
                sys.stdout.write(annotated(game, name))
            else:
                _print_position(game.entries[0])
    for path in args.out:
        if path.suffix == ".pdn":
            path.write_text("".join(annotated(game, name) for game in done), encoding="utf-8", newline="\n")
        elif path.suffix == ".html":
            path.write_text(report(done, name, asked), encoding="utf-8", newline="\n")


def _print_position(entry: Entry) -> None:
    print(entry.fen)
    for line in entry.lines:
        print(f"{words(line.score)} depth {line.depth} {' '.join(line.pv)}")
    if not entry.lines:
        print(entry.over or "no legal move")


class _Progress:
    """A bar on standard error, if that is a terminal."""

    def __init__(self, games: list[Analysed], quiet: bool) -> None:
        self.bar = None
        if quiet or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("game {task.fields[game]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("positions"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[verdict]}"),
            console=Console(stderr=True),
        )
        total = sum(game.done.plies + 1 for game in games)
        self.task = self.bar.add_task("", total=total, game="1", verdict="")

    def __enter__(self) -> "_Progress":
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def step(self, entry: Entry) -> None:
        """A position was done."""
        if self.bar is not None:
            self.bar.update(self.task, advance=1, game=str(entry.game), verdict=words(entry.white_score))
