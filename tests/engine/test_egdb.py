"""Endgame databases: counts against the published figures, files that survive anything, and probing."""

import hashlib
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine import VARIANTS, DatabaseError, Position, find_variant
from engine.egdb import Databases, Verdict, automatic_pieces, family
from engine.egdb_build import Builder
from engine.egdb_file import SliceFile
from engine.egdb_slices import Slice, slices
from engine.moves import hot_module, is_wide, load
from tests.engine.databases import build

DATA = Path(__file__).parent.parent / "data"
STATS = json.loads((DATA / "egdb_stats.json").read_text(encoding="utf-8"))
COMBOS = json.loads((DATA / "combos.json").read_text(encoding="utf-8"))
LOSING = ("russian-losing", "english-losing")


def problems(databases: Databases, pieces: int) -> dict[str, str]:
    with Builder(databases) as builder:
        return {str(one): problem for one, problem in builder.verify(pieces) if problem}


def compare(databases: Databases, name: str, pieces: int) -> None:
    rows = [row for row in STATS["own"][name]["slices"] if sum(row[kind] for kind in Slice._fields) <= pieces]
    assert rows
    for row in rows:
        header = databases.file(Slice(*(row[kind] for kind in Slice._fields))).header
        assert (header.positions, header.win, header.draw, header.loss) == (
            row["total"],
            row["win"],
            row["draw"],
            row["loss"],
        )
        assert list(header.quiet) == row["no_capture"]
        assert (header.longest_win or 0) == (row["longest_win_plies"] or 0)


# ---------------------------------------------------------------------- values
def test_two_pieces(tmp_path: Path) -> None:
    """Compiled or plain, one thread or two: the same figures and the same codes."""
    databases = build("english", 2, tmp_path, 2)
    compare(databases, "english", 2)
    assert problems(databases, 2) == {}
    codes = b"".join(databases.file(one).codes() for one in slices(databases.rules, 2))
    assert hashlib.sha256(codes).hexdigest() == "8ac585d65e57dd4ced6183c4a1147041a7248c924f8a0c7273deea4dbcc08e4c"


@pytest.mark.compiled
@pytest.mark.parametrize("name", STATS["own"])
def test_counts_of_three_pieces(name: str, tmp_path: Path) -> None:
    compare(build(name, 3, tmp_path), name, 3)


@pytest.mark.compiled
def test_counts_of_four_pieces(english: Databases, tmp_path: Path) -> None:
    compare(english, "english", 4)
    compare(build("russian", 4, tmp_path, 2), "russian", 4)


@pytest.mark.compiled
@pytest.mark.parametrize("name", [*VARIANTS, *LOSING])
def test_values_follow_from_the_moves(name: str, tmp_path: Path) -> None:
    """Every variant: each value and distance from the values of all replies."""
    databases = build(name, 2, tmp_path)
    assert databases.is_complete(2)
    assert problems(databases, 2) == {}


@pytest.mark.compiled
def test_three_pieces_follow_from_the_moves(tmp_path: Path) -> None:
    for name in ("english", "losing", "breakthrough"):
        assert problems(build(name, 3, tmp_path, 2), 3) == {}


@pytest.mark.compiled
def test_a_rule_option_has_its_own_values(tmp_path: Path) -> None:
    """Without the obligation to capture no position is left out, and the folder is another one."""
    rules = find_variant("english").with_options({"mandatory-capture": False})
    databases = Databases(rules, tmp_path)
    with Builder(databases) as builder:
        builder.build(3)
    assert problems(databases, 3) == {}
    assert databases.folder.name != "english"
    header = databases.file(Slice(0, 1, 0, 1)).header
    assert header.quiet == (header.win, header.draw, header.loss)


def test_variants_of_the_same_movement_share() -> None:
    assert family(find_variant("portuguese")) == family(find_variant("spanish"))
    assert family(find_variant("frysk")) == family(find_variant("frisian"))
    assert family(find_variant("english").with_options({"english-rule": "wcdf"})) == "english"
    assert len({family(rules) for rules in VARIANTS.values()}) == len(VARIANTS) - 2


def test_what_is_built_without_asking() -> None:
    assert automatic_pieces(find_variant("english")) == 4
    assert automatic_pieces(find_variant("international")) == 3
    assert automatic_pieces(find_variant("canadian")) == 3


# ---------------------------------------------------------------------- probing
@pytest.mark.compiled
@pytest.mark.parametrize(
    "row", [row for row in COMBOS if "exact" in row["verified"] and row["variant"] == "english"], ids=lambda r: r["fen"]
)
def test_published_endings(english: Databases, row: dict[str, object]) -> None:
    position = Position.from_fen(str(row["fen"]), "english")
    assert english.verdict(position) == Verdict(1, int(str(row["plies"])))
    best, second = english.best_moves(position)[:2]
    assert position.parse_move(str(row["best"])) == best[0]
    assert best[1] == Verdict(1, int(str(row["plies"])))
    assert second[1] is None or second[1].value < 1


@pytest.mark.compiled
def test_david_and_goliath(tmp_path: Path) -> None:
    international, killer = build("international", 3, tmp_path), build("killer", 3, tmp_path)
    assert international.verdict(Position.from_fen("W:W23:B5,6", "international")) == Verdict(1, 29)
    assert killer.verdict(Position.from_fen("B:W23:B5,6", "killer")) == Verdict(1, 57)


@pytest.mark.compiled
def test_values_and_distances_go_together(english: Databases) -> None:
    """Random positions of both sides: the value, the distance, and the best of the replies."""
    chance = random.Random(1)
    rules = english.rules
    for _ in range(300):
        one = chance.choice(list(slices(rules, chance.choice((2, 3, 4)))))
        position = english.position(one, chance.randrange(english.file(one).header.positions))
        verdict = english.verdict(position)
        assert verdict is not None
        turned = turn(position)
        assert english.verdict(turned) == verdict
        moves = english.best_moves(position)
        if moves:
            assert moves[0][1] == verdict
        else:
            assert verdict == Verdict(-1)


def turn(position: Position) -> Position:
    """Half a turn of the board with the colours changed."""
    n = position.rules.squares

    def reverse(board: int) -> int:
        return int(f"{board:0{n}b}"[::-1], 2)

    words = (position.black_men, position.black_kings, position.white_men, position.white_kings)
    return Position(position.rules, position.turn.other, *map(reverse, words))


@pytest.mark.compiled
def test_a_probe_takes_far_less_than_a_microsecond(english: Databases) -> None:
    rules = english.rules
    probe = hot_module("egdb_probe", is_wide(rules)).Probe(rules)
    assert english.connect(probe) == 4
    board = hot_module("board", is_wide(rules)).Board(rules)
    load(board, Position.from_fen("W:W30,K32:BK22,24", rules))
    assert probe.look_up(board) == 2
    times = []
    for _ in range(5):
        start = time.perf_counter()
        probe.repeat(board, 100_000)
        times.append(time.perf_counter() - start)
    assert min(times) / 100_000 < 1e-6


@pytest.mark.compiled
def test_most_pieces_of_a_prober(english: Databases) -> None:
    probe = hot_module("egdb_probe", False).Probe(english.rules)
    assert english.connect(probe, 3) == 3
    assert english.connect(probe, 0) == 0
    board = hot_module("board", False).Board(english.rules)
    load(board, Position.from_fen("W:WK32:BK22", "english"))
    assert probe.look_up(board) == 3
    assert probe.count_plies(board) == -1


# ---------------------------------------------------------------------- files
def damage(file: Path, how: str) -> None:
    data = file.read_bytes()
    if how == "torn":
        file.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        file.write_bytes(b"")
    elif how == "bit":
        middle = len(data) - 60
        file.write_bytes(data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :])
    else:
        file.unlink()


@pytest.mark.parametrize("how", ["torn", "empty", "bit", "missing"])
def test_a_bad_file_is_found_and_built_again(how: str, tmp_path: Path) -> None:
    databases = build("english", 2, tmp_path)
    one = Slice(1, 0, 0, 1)
    before = databases.path(one).read_bytes()
    damage(databases.path(one), how)
    fresh = Databases(databases.rules, tmp_path)
    found = problems(fresh, 2)
    assert [name for name, problem in found.items() if not problem.startswith("not checked")] == [str(one)]
    assert fresh.is_complete(2) == (how == "bit")  # a changed bit shows in the checksum alone
    with Builder(Databases(databases.rules, tmp_path)) as builder:
        assert builder.build(2) == 2
    assert databases.path(one).read_bytes() == before
    assert problems(Databases(databases.rules, tmp_path), 2) == {}


def test_a_wrong_value_is_found(tmp_path: Path) -> None:
    """A file with a right checksum and a wrong value."""
    databases = build("english", 2, tmp_path)
    one = Slice(0, 1, 0, 1)
    with Builder(databases) as builder:
        codes = builder._codes(one)
        number = next(i for i, code in enumerate(codes) if code == 0)
        codes[number] = 2
        assert "values do not follow" in builder._verify(one)


def test_a_file_of_other_rules_is_refused(tmp_path: Path) -> None:
    databases = build("english", 2, tmp_path)
    one = Slice(0, 1, 0, 1)
    with pytest.raises(DatabaseError, match="other rules or pieces"):
        SliceFile(databases.path(one), Databases(find_variant("russian"), tmp_path).signature, one)
    with pytest.raises(DatabaseError, match="other rules or pieces"):
        SliceFile(databases.path(one), databases.signature, Slice(1, 0, 1, 0))


def test_files_of_dead_processes_go(tmp_path: Path) -> None:
    databases = Databases(find_variant("english"), tmp_path)
    folder = databases.folder / "2"
    folder.mkdir(parents=True)
    old, new = folder / "0101.egdb.1.tmp", folder / "0101.egdb.2.tmp"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (1, 1))
    databases.prepare_folder(2)
    assert not old.exists()
    assert new.exists()


@pytest.mark.compiled
def test_a_killed_build_goes_on(tmp_path: Path) -> None:
    """Killed again and again at other moments; at the end all is right and nothing is left over."""
    command = [sys.executable, "-m", "protocol", "egdb", "build", "english", "--pieces", "3", "--dir", str(tmp_path)]
    chance = random.Random(7)
    killed = 0
    for _ in range(12):
        process = subprocess.Popen([*command, "--threads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.05 + chance.random() * 0.6)  # from the first imports to beyond the end, slow or quick machine
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed
    databases = build("english", 3, tmp_path)
    compare(databases, "english", 3)
    assert problems(databases, 3) == {}


def _build_in_process(folder: str) -> None:
    build("english", 2, Path(folder))


def test_several_processes_build_the_same(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_build_in_process, args=(str(tmp_path),)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    databases = Databases(find_variant("english"), tmp_path)
    assert problems(databases, 2) == {}
    assert not list(databases.folder.glob("*/*.tmp"))
