"""`damier pdn FILE...`: count, check, convert, split and filter files of games."""

import argparse
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from engine import DEFAULT_VARIANT, VARIANTS, FenError, Position, Rules, find_variant
from engine.errors import FormatError
from engine.fen import parse_position
from engine.pdn import Fault, Grade, PdnGame
from engine.pdn_reader import read_games
from engine.pdn_replay import Replay, replay
from engine.pdn_results import plain
from engine.pdn_writer import format_game

HELP = "count, check, convert, split or filter PDN files"
EXAMPLES = """
damier pdn games.pdn                   # games, moves, faults, results
damier pdn games.pdn --check           # replay everything and list every fault
damier pdn games.pdn --convert hub --output games.hub.pdn
damier pdn *.pdn --variant russian --result 1-0 --convert > white-wins.pdn
damier pdn games.pdn --split games/    # a file for each game
"""
NOTATIONS = ("pdn", "path", "numeric", "hub", "short", "coordinate")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files, one action, filters."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="PDN file, - for standard input")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--count", action="store_true", help="games, moves, faults and results (the default)")
    action.add_argument("--check", action="store_true", help="replay every game and list every fault")
    action.add_argument(
        "--convert",
        nargs="?",
        const="pdn",
        choices=NOTATIONS,
        help="write the games anew, in the variant's notation or another one",
    )
    action.add_argument("--split", metavar="DIR", type=Path, help="write each game to a file of its own")
    parser.add_argument("--variant", help="only games of this variant; says also what games without GameType are")
    parser.add_argument("--result", help="only games with this result, White's points first: 1-0, 1/2-1/2, 0-1, *")
    parser.add_argument("--position", metavar="FEN", help="only games in which this position arises")
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="where converted games go; default: standard output"
    )
    parser.add_argument(
        "--strict", action="store_true", help="PDN 3.0 to the letter: notes count as faults, games end with *"
    )
    parser.add_argument(
        "--white-first", action="store_true", help="White's points first in results of English games too"
    )


@dataclass
class _Item:
    """A game of a file; the replay is made when somebody asks for it."""

    file: str
    game: PdnGame
    rules: Rules | None
    white_first: bool
    _done: Replay | None = None

    @property
    def done(self) -> Replay:
        if self._done is None:
            rules = None if self.game.tag("GameType") or self.game.tag("Variant") else self.rules
            self._done = replay(self.game, rules, variations=True)
        return self._done

    @property
    def result(self) -> str:
        return self.done.result(self.game, white_first=self.white_first)

    def faults(self) -> list[Fault]:
        return sorted([*self.game.faults, *self.done.faults], key=lambda fault: (fault.line, fault.column))


def run(args: argparse.Namespace) -> int:
    """Do it; 1 if a check found faults. Raises OSError, RulesError, FormatError."""
    rules = find_variant(args.variant) if args.variant else None
    items = _chosen(args, rules)
    utf8_output()
    if args.check:
        return _check(items, args.strict)
    if args.split is not None:
        return _split(items, args)
    if args.convert is not None:
        if args.output is None:
            return _convert(items, args, sys.stdout)
        refuse_input(args.output, args.files)
        with args.output.open("w", encoding="utf-8", newline="\n") as file:
            return _convert(items, args, file)
    return _count(items, replayed=bool(args.variant or args.result or args.position))


def utf8_output() -> None:
    """PDN is UTF-8 with plain line ends whatever the console thinks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def refuse_input(output: Path, files: Iterable[str]) -> None:
    """Raise FormatError if a file would be written over that is read."""
    for file in files:
        if file != "-" and output.exists() and Path(file).exists() and output.samefile(file):
            raise FormatError("it is read, so another file has to be written", str(output))


# ---------------------------------------------------------------------------------------------- filters
def _chosen(args: argparse.Namespace, rules: Rules | None) -> Iterator[_Item]:
    """Games of all files that pass every filter."""
    tests: list[Callable[[_Item], bool]] = []
    if rules is not None:
        name = rules.name
        tests.append(lambda item: item.done.rules is not None and item.done.rules.name == name)
    if args.result is not None:
        result = plain(args.result)
        tests.append(lambda item: item.result == result)
    if args.position is not None:
        wanted = _Wanted(args.position, rules)
        tests.append(wanted.arises)
    for file in args.files:
        source = sys.stdin.buffer if file == "-" else Path(file)
        for game in read_games(source):
            item = _Item(file, game, rules, args.white_first)
            if all(test(item) for test in tests):
                yield item


class _Wanted:
    """A position that games are searched for; its FEN is read once for each variant."""

    def __init__(self, fen: str, rules: Rules | None) -> None:
        self.fen = fen
        self.positions: dict[str, Position | None] = {}
        if rules is not None:
            self.positions[rules.name] = parse_position(fen, rules)
        elif not any(map(self.of, VARIANTS.values())):
            parse_position(fen, find_variant(DEFAULT_VARIANT))  # says what is wrong with it

    def of(self, rules: Rules) -> Position | None:
        if rules.name not in self.positions:
            try:
                self.positions[rules.name] = parse_position(self.fen, rules)
            except FenError:  # squares that this board does not have
                self.positions[rules.name] = None
        return self.positions[rules.name]

    def arises(self, item: _Item) -> bool:
        done = item.done
        if done.rules is None or done.game is None or (wanted := self.of(done.rules)) is None:
            return False
        key = _key(wanted)
        positions = (done.known[id(step)][0] for step in item.game.moves if id(step) in done.known)
        return any(_key(position) == key for position in positions) or _key(done.game.position) == key


def _key(position: Position) -> tuple[int, ...]:
    return position.turn, position.white_men, position.white_kings, position.black_men, position.black_kings


# ---------------------------------------------------------------------------------------------- actions
def _count(items: Iterator[_Item], replayed: bool) -> int:
    games, moves, faults = Counter[str](), 0, 0
    results = Counter[str]()
    for item in items:
        games[item.file] += 1
        moves += len(item.game.moves)
        faults += len(item.faults() if replayed else item.game.faults)
        results[item.result if replayed else plain(item.game.result)] += 1
    for file, number in games.items():
        print(f"{file}: {number} games")
    print(f"games {games.total()}")
    print(f"moves {moves}")
    print(f"faults {faults}")
    for result, number in sorted(results.items()):
        print(f"result {result} {number}")
    return 0


def _check(items: Iterator[_Item], strict: bool) -> int:
    games = errors = notes = 0
    for item in items:
        games += 1
        for fault in item.faults():
            print(f"{item.file}:{fault.line}:{fault.column}: game {item.game.number}: "
                  f"{fault.grade.name.lower()}: {fault.reason}")  # fmt: skip
            errors += fault.grade is Grade.ERROR
            notes += fault.grade is Grade.NOTE
    print(f"{games} games, {errors} errors, {notes} notes")
    return 1 if errors or (strict and notes) else 0


def _text(item: _Item, args: argparse.Namespace) -> str:
    return format_game(
        item.game,
        notation=args.convert or "pdn",
        strict=args.strict,
        white_first=args.white_first,
        done=item.done,
    )


def _convert(items: Iterator[_Item], args: argparse.Namespace, file: TextIO) -> int:
    for item in items:
        file.write(_text(item, args))
    return 0


def _split(items: Iterator[_Item], args: argparse.Namespace) -> int:
    args.split.mkdir(parents=True, exist_ok=True)
    written = 0
    begins: dict[str, int] = {}  # by file, the numbers that another one of the same name has used
    used: dict[str, int] = {}
    for item in items:
        written += 1
        stem = "stdin" if item.file == "-" else Path(item.file).stem
        used[stem] = begins.setdefault(item.file, used.get(stem, 0)) + item.game.number
        path = args.split / f"{stem}-{used[stem]:05}.pdn"
        refuse_input(path, args.files)
        path.write_text(_text(item, args), encoding="utf-8", newline="\n")
    print(f"games {written}")
    return 0
