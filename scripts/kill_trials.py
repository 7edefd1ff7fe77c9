"""Kills engines, match runners and database builders at random moments and checks that nothing is lost (Linux).

engine, opponent   one side's process of a running match: its game is lost by disconnection, the match goes on
runner             the runner of a match: resumed, it has the games of an undisturbed match, none twice
builder            the builder of endgame databases: resumed, it keeps what was finished and verifies
After each kill of a runner or builder, and each match, no process of theirs may be left.

Example: python scripts/kill_trials.py --kills 50 --seed 1     (200 kills, 50 of each kind)
Prints one JSON object for each kind; exit code 1 at the first thing lost.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.egdb_file import SUFFIX
from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from protocol.match.journal import read_journal
from protocol.match.record import GameRecord, Termination

PATIENCE = 600.0  # s for a match or a build to end
LINGER = 20.0  # s in which everything must be gone
DAMIER = (sys.executable, "-m", "protocol")
SIDES = {"engine": "hub", "opponent": "uci"}  # name in the match, and protocol, which is the command too
NODES = 20_000
GAMES = 24
BUILDS = (("english", 4), ("russian", 4), ("turkish", 3), ("frisian", 3))
MARK = "DAMIER_KILL_TRIAL"


class Lost(Exception):
    """Something that should have survived a kill."""


def require(kept: bool, text: str) -> None:
    """Raise Lost unless kept."""
    if not kept:
        raise Lost(text)


class Family:
    """A command and everything it has started, known by a mark in the environment."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self.mark = f"{MARK}={uuid.uuid4().hex}"
        name, _, value = self.mark.partition("=")
        self.errors = (folder / "stderr").open("ab")
        self.process = subprocess.Popen(
            [*DAMIER, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self.errors,
            stderr=self.errors,
            env={**os.environ, name: value},
            start_new_session=True,
        )

    def members(self) -> dict[int, list[str]]:
        """Living processes with their command lines."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() not in (folder / "environ").read_bytes().split(b"\0"):
                    continue
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found[int(folder.name)] = [word.decode() for word in words]
            except OSError:  # it has ended
                continue
        return found

    def running(self) -> bool:
        return self.process.poll() is None

    def end(self) -> int:
        """Wait for the exit; the code."""
        code = self.process.wait(PATIENCE)
        self.vanish()
        return code

    def kill(self) -> bool:
        """Kill the first process; False if it had ended by itself."""
        self.process.kill()
        killed = self.process.wait() == -signal.SIGKILL
        self.vanish()
        return killed

    def vanish(self) -> None:
        """Nothing of it may be left. Raises Lost."""
        self.errors.close()
        deadline = time.monotonic() + LINGER
        while (left := self.members()) and time.monotonic() < deadline:
            time.sleep(0.05)
        require(not left, f"still running: {left}")

    def __enter__(self) -> "Family":
        return self

    def __exit__(self, *_: object) -> None:
        for pid in (*self.members(), self.process.pid):
            if self.running() or pid != self.process.pid:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
        self.process.wait()


def match(folder: Path, games: int) -> Family:
    """Start a match, or go on with it."""
    engines = []
    for name, dialect in SIDES.items():
        command = f"'{sys.executable}' -m protocol {dialect}"
        engines += ["--engine", f'name={name} cmd="{command}" protocol={dialect} tt-size=12 bb-size=0 book=false']
    where = ["--journal", str(folder / "journal"), "--pdn", str(folder / "pdn"), "--resume"]
    how = [
        "--tc",
        f"nodes={NODES}",
        "--games",
        str(games),
        "--openings",
        "ply=3",
        "--concurrency",
        "2",
        "--start-timeout",
        "120",
        "--quiet",
    ]
    return Family(["match", "--variant", "english", *engines, *where, *how], folder)


def records(folder: Path) -> dict[tuple[int, int], GameRecord]:
    """The games of a match so far. Raises Lost if one stands in the journal twice."""
    path = folder / "journal"
    content = read_journal(path)[0] if path.exists() else None
    if content is None:
        return {}
    lines = [json.loads(line) for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    keys = [GameRecord.from_json(line).key for line in lines if line["type"] == "game"]
    require(len(keys) == len(set(keys)), f"games twice: {[key for key, n in Counter(keys).items() if n > 1]}")
    return content.records


def finished(folder: Path, games: int) -> dict[tuple[int, int], GameRecord]:
    """The games of a match that has ended; the PDN file holds the same ones."""
    found = records(folder)
    require(len(found) == games, f"{len(found)} games of {games}")
    written = []
    for game in read_games(folder / "pdn"):
        done = replay(game)
        require(not game.errors and done.complete and done.game is not None, f"a damaged game in the PDN: {game.tags}")
        assert done.game is not None
        written.append((game.tags["Round"], [move.hub() for move in done.game.moves]))
    wanted = [(f"{one.pair}.{one.game}", moves_of(one)) for one in found.values()]
    require(sorted(written) == sorted(wanted), "the PDN holds other games than the journal")
    return found


def moves_of(record: GameRecord) -> list[str]:
    return [move.move for move in record.moves]


def kill_runner(kills: int, chance: random.Random, folder: Path) -> dict[str, object]:
    """Break matches off until there were so many kills; the last match is played to its end."""
    games = GAMES
    with match(new(folder / "undisturbed"), games) as family:
        require(family.end() == 0, "an undisturbed match fails")
    wanted = {key: moves_of(one) for key, one in finished(folder / "undisturbed", games).items()}
    done = matches = torn = 0
    while done < kills:
        place = new(folder / f"match-{matches}")
        before: dict[tuple[int, int], GameRecord] = {}
        while True:
            with match(place, games) as family:
                if done < kills:
                    wait(family, chance.uniform(0.5, 8.0))
                    done += family.kill()
                else:
                    require(family.end() == 0, f"the resumed match ended with {family.process.returncode}")
                code = family.process.returncode
            require(code in (0, -signal.SIGKILL), f"the match ended with {code}")
            now = records(place)
            torn += not (place / "journal").exists() or not (place / "journal").read_bytes().endswith(b"\n")
            require(before.items() <= now.items(), "a finished game has changed or is gone")
            before = now
            if code == 0:
                break
        found = {key: moves_of(one) for key, one in finished(place, games).items()}
        require(found == wanted, "other games than in the undisturbed match")
        matches += 1
    return {"kills": done, "matches": matches, "games": matches * games, "journals with a torn line": torn}


def kill_side(side: str, kills: int, chance: random.Random, folder: Path) -> dict[str, object]:
    """Kill one side's process again and again while matches run."""
    games = GAMES
    done = matches = 0
    ends: Counter[str] = Counter()
    while done < kills:
        place = new(folder / f"match-{matches}")
        here = 0
        with match(place, games) as family:
            while family.running() and not records(place):  # an engine that has never been ready ends the match
                time.sleep(0.05)
            while family.running() and done + here < kills:
                targets = [pid for pid, words in family.members().items() if words[-2:-1] == [SIDES[side]]]
                if not targets:
                    continue
                target = chance.choice(targets)
                wait(family, chance.uniform(0.0, 4.0))  # somewhere between its start and its last move
                try:
                    os.kill(target, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                here += 1
            require(family.end() == 0, f"the match ended with {family.process.returncode}")
        faults = [one for one in finished(place, games).values() if one.fault]
        for one in faults:
            require(one.fault == side, f"{one.fault} lost game {one.key}, but {side} was killed: {one.reason}")
            require(one.result == ("0-1" if one.white == side else "1-0"), f"game {one.key} ended {one.result}")
            kind = Termination(one.termination)
            require(kind in (Termination.DISCONNECT, Termination.START), f"{kind} in game {one.key}: {one.reason}")
            ends[kind] += 1
        require(len(faults) <= here, f"{len(faults)} games lost by {here} kills")
        done += here
        matches += 1
    return {"kills": done, "matches": matches, "games": matches * games, "games lost": dict(ends)}


def kill_builder(kills: int, chance: random.Random, folder: Path) -> dict[str, object]:
    """Break builds off; what was finished stays as it was, and the finished whole verifies."""
    done = builds = files = 0
    while done < kills:
        variant, pieces = BUILDS[builds % len(BUILDS)]
        place = new(folder / f"build-{builds}")
        task = ["egdb", "build", variant, "--pieces", str(pieces), "--dir", str(place / "egdb"), "--threads", "2"]
        before: dict[str, str] = {}
        while True:
            with Family(task, place) as family:
                if done < kills:
                    wait(family, chance.uniform(0.2, 2.5))
                    done += family.kill()
                else:
                    family.end()
                code = family.process.returncode
            require(code in (0, -signal.SIGKILL), f"the build ended with {code}")
            now = digests(place / "egdb")
            gone = {name for name, digest in before.items() if now.get(name) != digest}
            require(not gone, f"finished databases changed or gone: {gone}")
            before = {name: digest for name, digest in now.items() if name.endswith(SUFFIX)}
            if code == 0:
                break
        strays = [name for name in now if not name.endswith((SUFFIX, ".tmp"))]
        require(not strays, f"left behind: {strays}")
        verify = ["egdb", "verify", variant, "--dir", str(place / "egdb")]
        with Family(verify, place) as family:
            require(family.end() == 0, f"{variant}: {(place / 'stderr').read_text()[-1000:]}")
        files += len(now)
        builds += 1
        shutil.rmtree(place)
    return {"kills": done, "builds": builds, "databases verified": files}


def digests(folder: Path) -> dict[str, str]:
    """Checksum of each file."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): hashlib.blake2b(file.read_bytes()).hexdigest() for file in files}


def wait(family: Family, seconds: float) -> None:
    """Sleep, but no longer than the process lives."""
    deadline = time.monotonic() + seconds
    while family.running() and time.monotonic() < deadline:
        time.sleep(0.01)


def new(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def main() -> int:
    trials: dict[str, Callable[[int, random.Random, Path], dict[str, object]]] = {
        "engine": lambda kills, chance, folder: kill_side("engine", kills, chance, folder),
        "opponent": lambda kills, chance, folder: kill_side("opponent", kills, chance, folder),
        "runner": kill_runner,
        "builder": kill_builder,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="*", choices=[*trials, []], help="what is killed (default: everything)")
    parser.add_argument("--kills", type=int, default=50, help="of each kind (50)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for kind in options.kind or trials:
        began = time.monotonic()
        place = {"kind": kind, "seed": options.seed}
        with tempfile.TemporaryDirectory() as folder:
            try:
                figures = trials[kind](options.kills, random.Random(f"{options.seed} {kind}"), Path(folder))
            except Lost as lost:
                print(json.dumps({**place, "lost": str(lost)}), flush=True)
                return 1
        print(json.dumps({**place, **figures, "seconds": round(time.monotonic() - began)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
