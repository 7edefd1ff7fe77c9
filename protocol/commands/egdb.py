"""`damier egdb build | verify | info | probe VARIANT`: endgame databases on the user's own machine."""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from engine import DatabaseError, FormatError, Position, Rules, find_variant
from engine.egdb import Databases, Verdict
from engine.egdb_build import Builder
from engine.egdb_slices import MOST_PIECES, Slice, slices
from engine.notation import format_move

HELP = "build, check and read endgame databases"
EXAMPLES = """
damier egdb build english --pieces 5   # may be stopped at any time and goes on from there
damier egdb info english
damier egdb verify english
damier egdb probe english --fen "W:W30,K32:BK22,24"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One subcommand with its variant and options."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    build = commands.add_parser("build", help="solve all endings of so many pieces; goes on where it was stopped")
    build.add_argument("--pieces", metavar="N", type=int, required=True, help=f"2 to {MOST_PIECES}")
    verify = commands.add_parser("verify", help="check every value of every file against the moves")
    verify.add_argument("--pieces", metavar="N", type=int, help="up to so many (default: all that are there)")
    info = commands.add_parser("info", help="what is there")
    info.add_argument("--counts", action="store_true", help="one JSON line for each slice, White to move")
    probe = commands.add_parser("probe", help="the value of a position, and of every move")
    probe.add_argument("--fen", required=True, help="the position")
    for command in (build, verify, info, probe):
        command.add_argument("variant", metavar="VARIANT", help="name, alias or GameType number")
        command.add_argument("--dir", metavar="D", type=Path, help="folder (default: this user's data folder)")
        command.add_argument(
            "--rule", metavar="NAME=VALUE", action="append", default=[], help="a reading of the rules, as in set-param"
        )
    for command in (build, verify):
        command.add_argument(
            "--threads", metavar="T", type=int, default=os.cpu_count() or 1, help="default: all processors"
        )


def run(args: argparse.Namespace) -> int:
    """Run one action. Raises RulesError, FormatError, DatabaseError, OSError."""
    databases = Databases(_rules(args.variant, args.rule), args.dir)
    match args.action:
        case "build":
            return _build(databases, _pieces(args.pieces), max(1, args.threads))
        case "verify":
            most = max((one.pieces for one, _ in databases.found()), default=0)
            return _verify(databases, most if args.pieces is None else _pieces(args.pieces), max(1, args.threads))
        case "info":
            return _counts(databases) if args.counts else _info(databases)
    return _probe(databases, args.fen)


def _rules(variant: str, settings: list[str]) -> Rules:
    rules = find_variant(variant)
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise FormatError("a rule is written NAME=VALUE", setting)
        rules = rules.with_options({name: value})
    return rules


def _pieces(number: int) -> int:
    if not 2 <= number <= MOST_PIECES:
        raise FormatError(f"pieces is a number from 2 to {MOST_PIECES}", str(number))
    return number


@contextmanager
def _progress(rules: Rules) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error, with the time left, and what moves it."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("positions,"),
        TimeElapsedColumn(),
        TextColumn("gone,"),
        TimeRemainingColumn(elapsed_when_finished=False),
        TextColumn("left"),
        console=Console(stderr=True),
    ) as bar:
        task = bar.add_task(rules.name, total=None)
        yield lambda done, total, slice_name: bar.update(
            task, completed=done, total=total, description=f"{rules.name} {slice_name}"
        )


def _build(databases: Databases, pieces: int, threads: int) -> int:
    with _progress(databases.rules) as show, Builder(databases, threads, show) as builder:
        written = builder.build(pieces)
    print(f"{written} slices written, {databases.rules.name} complete up to {pieces} pieces in {databases.folder}")
    return 0


def _verify(databases: Databases, pieces: int, threads: int) -> int:
    if pieces < 2:
        raise DatabaseError(f"no databases of {databases.rules.name} in {databases.folder}")
    good, positions, bad = 0, 0, []
    with _progress(databases.rules) as show, Builder(databases, threads, show) as builder:
        for one, problem in builder.verify(pieces):
            if problem:
                bad.append(f"{one}: {problem}")
            else:
                good += 1
                positions += databases.file(one).header.positions
    print(f"{good} slices right, {positions} positions")
    for line in bad:
        print(f"wrong: {line}")
    return 1 if bad else 0


def _counts(databases: Databases) -> int:
    for one, file in databases.found():
        header = file.header
        counts = {
            **one._asdict(),
            "total": header.positions,
            "win": header.win,
            "draw": header.draw,
            "loss": header.loss,
            "no_capture": list(header.quiet),
            "longest_win_plies": header.longest_win,
        }
        print(json.dumps(counts))
    return 0


def _info(databases: Databases) -> int:
    table = Table("pieces", "slices", "positions", "bytes", "values, bytes/position", "distances", box=None)
    found: dict[int, list[Slice]] = {}
    for one, _ in databases.found():
        found.setdefault(one.pieces, []).append(one)
    for pieces, group in found.items():
        headers = [databases.file(one).header for one in group]
        positions = sum(header.positions for header in headers)
        values = sum(sum(header.parts[:2]) for header in headers)
        distances = sum(sum(header.parts[2:]) for header in headers)
        table.add_row(
            str(pieces),
            f"{len(group)} of {sum(1 for _ in slices(databases.rules, pieces))}",
            f"{positions:,}",
            f"{sum(databases.file(one).bytes for one in group):,}",
            f"{values / positions:.4f}",
            f"{distances / positions:.4f}",
        )
    console = Console(width=100, highlight=False)
    console.print(f"{databases.rules.title}: {databases.folder}")
    if found:
        console.print(table)
    else:
        console.print(f"nothing there; damier egdb build {databases.rules.name} --pieces 4 makes some")
    return 0


def _probe(databases: Databases, fen: str) -> int:
    position = Position.from_fen(fen, databases.rules)
    verdict = databases.verdict(position)
    if verdict is None:
        raise DatabaseError(f"no database of this ending in {databases.folder}")
    print(verdict)
    legal = position.legal_moves()
    for move, after in databases.best_moves(position):
        print(f"{format_move(move, position, legal, 'path')}: {_word(after)}")
    return 0


def _word(verdict: Verdict | None) -> str:
    return "unknown" if verdict is None else str(verdict)
