"""What docs/egdb.md says of endgame databases, measured on this machine. One JSON line for each figure.

    build    time, peak memory and size of a build, with each number of threads, in a folder that is thrown away
    wins     random won positions played by the engine against a perfect defender, under the variant's draw counters
    speed    nodes a second near the databases, with and without them
    probe    nanoseconds for one probe of a cached position

Examples:
    python scripts/measure_egdb.py build english --pieces 4 --threads 1 2
    python scripts/measure_egdb.py wins russian --pieces 4 --dir FOLDER --count 1000
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from engine import Engine, Game, Limits, Position, Rules, find_variant
from engine.egdb import Databases
from engine.egdb_slices import Slice, slices
from engine.moves import hot_module, is_wide, load


def say(**figures: object) -> None:
    """Print one line."""
    print(json.dumps(figures), flush=True)


def measure_build(rules: Rules, pieces: int, threads: int) -> None:
    """Build in a process of its own; the peak is that of this script's largest child so far."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "protocol", "egdb", "build", rules.name, "--pieces", str(pieces)]
        start = time.perf_counter()
        subprocess.run([*command, "--dir", folder, "--threads", str(threads)], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        headers = [file.header for one, file in Databases(rules, Path(folder)).found() if one.pieces == pieces]
    positions = sum(header.positions for header in headers)
    say(
        variant=rules.name,
        pieces=pieces,
        threads=threads,
        seconds=round(seconds, 1),
        peak_mib=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
        positions=positions,
        value_bytes_per_position=round(sum(sum(header.parts[:2]) for header in headers) / positions, 4),
        distance_bytes_per_position=round(sum(sum(header.parts[2:]) for header in headers) / positions, 4),
        longest_win_plies=max(header.longest_win or 0 for header in headers),
    )


def random_position(databases: Databases, pieces: int, chance: random.Random) -> Position:
    """From a random slice, evenly."""
    index = hot_module("egdb_index", is_wide(databases.rules)).Index(databases.rules)
    one: Slice = chance.choice(list(slices(databases.rules, pieces)))
    return databases.position(one, chance.randrange(index.size(*one)))


def engine_of(rules: Rules, folder: Path, size: int) -> Engine:
    """An engine with the databases of a folder."""
    engine = Engine()
    for name, value in (("variant", rules.name), ("bb-path", str(folder)), ("bb-size", size), ("tt-size", 16)):
        engine.set_param(name, value)
    engine.prepare()
    return engine


def measure_wins(rules: Rules, folder: Path, pieces: int, count: int, nodes: int) -> None:
    """How won positions end; every one that is not won is named with the rule that made it a draw."""
    databases = Databases(rules, folder)
    engine = engine_of(rules, folder, pieces)
    chance = random.Random(1)
    ends: Counter[str] = Counter()
    seen = 0
    while seen < count:
        position = random_position(databases, pieces, chance)
        verdict = databases.verdict(position)
        if verdict is None or verdict.value != 1:
            continue
        seen += 1
        game = Game(position)
        while (outcome := game.outcome) is None:
            if game.position.turn is position.turn:
                move = engine.search(game, Limits(nodes=nodes)).move
            else:
                move = databases.best_moves(game.position)[0][0]
            assert move is not None
            game.play(move)
        if outcome.winner is position.turn:
            ends["won in as few plies" if len(game.moves) == verdict.plies else "won later"] += 1
        else:
            ends[outcome.reason] += 1
            say(variant=rules.name, fen=position.fen(), plies=verdict.plies, rule=outcome.reason)
    say(variant=rules.name, pieces=pieces, positions=count, nodes=nodes, **ends)


def measure_speed(rules: Rules, folder: Path, pieces: int, count: int, nodes: int) -> None:
    """Search positions of two pieces more than the databases have, for the same number of nodes."""
    chance = random.Random(2)
    databases = Databases(rules, folder)
    positions: list[Position] = []
    while len(positions) < count:
        position = random_position(databases, pieces + 2, chance)
        if len(position.legal_moves()) > 1:
            positions.append(position)
    for size in (0, pieces, 0, pieces):
        engine = engine_of(rules, folder, size)
        searched, hits, depths, seconds = 0, 0, [], 0.0
        for position in positions:
            engine.new_game()
            start = time.perf_counter()
            report = engine.search(Game(position), Limits(nodes=nodes), "analyze").report
            seconds += time.perf_counter() - start
            if report is not None:
                searched += report.nodes
                hits += report.tbhits
                depths.append(report.depth)
        say(
            variant=rules.name,
            bb_size=size,
            nodes_per_second=round(searched / seconds),
            hits_per_node=round(hits / searched, 3),
            median_depth=statistics.median(depths),
        )


def measure_probe(rules: Rules, folder: Path, pieces: int, count: int) -> None:
    """Probe each of some random positions again and again."""
    databases = Databases(rules, folder)
    wide = is_wide(rules)
    probe, board = hot_module("egdb_probe", wide).Probe(rules), hot_module("board", wide).Board(rules)
    databases.connect(probe, pieces)
    chance = random.Random(3)
    times = []
    for _ in range(count):
        load(board, random_position(databases, pieces, chance))
        probe.look_up(board)
        start = time.perf_counter()
        probe.repeat(board, 10_000)
        times.append((time.perf_counter() - start) / 10_000 * 1e9)
    say(variant=rules.name, pieces=pieces, median_ns=round(statistics.median(times)), highest_ns=round(max(times)))


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "wins", "speed", "probe"))
    parser.add_argument("variant")
    parser.add_argument("--pieces", type=int, default=4)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dir", type=Path, help="folder of finished databases")
    parser.add_argument("--count", type=int, default=1000, help="positions")
    parser.add_argument("--nodes", type=int, default=2000, help="nodes a move")
    args = parser.parse_args()
    rules = find_variant(args.variant)
    if args.what == "build":
        for threads in args.threads:
            measure_build(rules, args.pieces, threads)
        return
    if args.dir is None:
        parser.error("--dir is needed")
    match args.what:
        case "wins":
            measure_wins(rules, args.dir, args.pieces, args.count, args.nodes)
        case "speed":
            measure_speed(rules, args.dir, args.pieces, args.count, args.nodes)
        case "probe":
            measure_probe(rules, args.dir, args.pieces, args.count)


if __name__ == "__main__":
    main()
