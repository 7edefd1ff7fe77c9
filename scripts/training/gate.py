"""The gate: whether new weights play better than those in use, judged by a match.

With a time a move the match is one of `damier match`, between two engines; with a number of nodes it is played by
`duel`, a hundred times cheaper and repeatable, but it does not see what the weights cost in speed.
"""

import json
import math
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.params import PARAMS
from protocol.match.statistics import (
    Decision,
    Estimate,
    Sample,
    Sprt,
    elo,
    likelihood_of_superiority,
    normalized_elo,
)
from training.duel import Duel, Tally, play_pairs
from training.executors import Where, open_executor, results
from training.records import write
from training.weights import Source

NEW, OLD = "new", "old"
SURE = 0.95  # likelihood of superiority that new weights must show where no sequential test decides
TASK = 5  # pairs of a duel that one process plays at a time


class GateError(RuntimeError):
    """The match could not be played; says why."""


@dataclass(frozen=True)
class Match:
    """How the match is played. Without `nodes` each move takes `movetime` seconds."""

    variant: str
    games: int = 400
    movetime: float = 0.02
    nodes: int = 0
    margin: float = 0.3  # seconds forgiven
    openings: str = "ply=4"
    seed: int = 1
    sprt: Sprt | None = None  # None for a fixed number of games
    sure: float = SURE


@dataclass(frozen=True)
class Verdict:
    """What the match shows of the new weights; Elo with 95 % errors, None where it is infinite."""

    accepted: bool
    reason: str
    games: int
    wins: int
    draws: int
    losses: int
    pairs: list[int]  # LL, LD, DD or WL, WD, WW
    elo: float | None
    elo_error: float | None
    nelo: float | None
    nelo_error: float | None
    los: float
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """For the log."""
        return asdict(self)

    def __str__(self) -> str:
        def value(number: float | None) -> str:
            return "inf" if number is None else f"{number:.1f}"

        return (
            f"{'accept' if self.accepted else 'reject'} ({self.reason}): {self.games} games "
            f"+{self.wins} ={self.draws} -{self.losses} (draws {100 * self.draws / max(1, self.games):.1f} %), "
            f"Elo {value(self.elo)} +- {value(self.elo_error)}, "
            f"nElo {value(self.nelo)} +- {value(self.nelo_error)}, LOS {100 * self.los:.1f} %"
        )


def judge(tally: Tally, match: Match, seconds: float, faults: int = 0) -> Verdict:
    """Judge what the new weights have shown.

    A sequential test that has come to a decision is followed. Otherwise the new weights must be better with the
    likelihood `match.sure`. A fault of the new engine is always a refusal: what crashes is not better.
    """
    sample = Sample.pentanomial(tally.pairs)
    los = likelihood_of_superiority(sample)
    decision = Decision.CONTINUE if match.sprt is None else match.sprt.decide(sample)
    if faults:
        accepted, reason = False, f"{faults} faults of the new engine"
    elif decision is not Decision.CONTINUE:
        accepted, reason = decision is Decision.ACCEPT_H1, f"SPRT accepts {decision}"
    else:
        accepted = los >= match.sure
        reason = f"LOS {100 * los:.1f} % {'>=' if accepted else '<'} {100 * match.sure:g} %"

    def finite(number: float) -> float | None:
        return number if math.isfinite(number) else None

    def both(estimate: Estimate) -> tuple[float | None, float | None]:
        return finite(estimate.value), finite(estimate.error)

    shift, error = both(elo(sample))
    nshift, nerror = both(normalized_elo(sample))
    counts = (tally.games, tally.wins, tally.draws, tally.losses, list(tally.pairs))
    return Verdict(accepted, reason, *counts, shift, error, nshift, nerror, los, round(seconds, 1))


# ---------------------------------------------------------------------------------- at a time a move
def read_report(report: Mapping[str, Any], match: Match) -> Verdict:
    """Judge the JSON report of a match of `new` against `old`."""
    (meeting,) = report["meetings"]
    turned = meeting["first"] != NEW
    counts = meeting["games"]
    wins, losses = (counts["losses"], counts["wins"]) if turned else (counts["wins"], counts["losses"])
    pairs: Sequence[int] = meeting["pairs"][:: -1 if turned else 1]
    tally = Tally(wins, counts["draws"], losses, tuple(pairs))  # type: ignore[arg-type]
    return judge(tally, match, report["seconds"], sum(report["faults"].get(NEW, {}).values()))


def command(match: Match, new: Mapping[str, str], old: Mapping[str, str], base: Path, where: Where) -> list[str]:
    """The match as a command; `new` and `old` are the engines' own parameters, files begin with `base`."""
    common = {"threads": "1", "bb-size": "0", **({"book": "false"} if "book" in PARAMS else {})}

    def engine(name: str, own: Mapping[str, str]) -> str:
        values = " ".join(shlex.quote(f"option.{key}={value}") for key, value in {**common, **own}.items())
        return f"name={name} cmd={shlex.quote(shlex.join([sys.executable, '-m', 'protocol.cli', 'hub']))} {values}"

    sprt = match.sprt
    return [
        *(sys.executable, "-m", "protocol.cli", "match", "--variant", match.variant),
        *("--engine", engine(NEW, new), "--engine", engine(OLD, old), "--tc", f"movetime={match.movetime:g}"),
        *("--games", str(match.games), "--openings", match.openings, "--seed", str(match.seed)),
        *("--margin", str(match.margin), "--concurrency", str(where.workers), "--event", "gate", "--resume"),
        *("--journal", f"{base}.jsonl", "--report", f"{base}.json"),
        *(("--sprt", f"{sprt.elo0:g},{sprt.elo1:g},alpha={sprt.alpha:g},beta={sprt.beta:g}") if sprt else ()),
        *(("--cluster", where.cluster) if where.cluster else ()),
    ]


def play_timed(match: Match, new: Source, old: Source, base: Path, where: Where, quiet: bool = False) -> Verdict:
    """Play the match between two engines, or what is left of it. Raises GateError."""
    words = command(match, new.options, old.options, base, where) + (["--quiet"] if quiet else [])
    with Path(f"{base}.log").open("a", encoding="utf-8") as log:
        output = log if quiet else None
        code = subprocess.run(words, stdout=output, stderr=output, check=False).returncode
    if code:
        raise GateError(f"the match of {match.variant} ended with code {code}; see {base}.log")
    return read_report(json.loads(Path(f"{base}.json").read_text(encoding="utf-8")), match)


# ---------------------------------------------------------------------------------- at nodes a move
def play_nodes(match: Match, new: Source, old: Source, where: Where) -> Verdict:
    """Play the match at a fixed number of nodes; a sequential test looks after each few pairs, in their order."""
    duel = Duel(match.variant, match.nodes, match.seed, new.data, old.data)
    pairs = -(-match.games // 2)
    tasks = ((duel, first, min(TASK, pairs - first)) for first in range(0, pairs, TASK))
    total = Tally()
    started = time.monotonic()
    with open_executor(where) as (executor, size):
        for part in results(executor, size, play_pairs, tasks, in_order=True):
            total += part
            decided = match.sprt and match.sprt.decide(Sample.pentanomial(total.pairs)) is not Decision.CONTINUE
            if decided:
                break
    return judge(total, match, time.monotonic() - started)


def play(match: Match, new: Source, old: Source, base: Path, where: Where, quiet: bool = False) -> Verdict:
    """Play the match, or what is left of it, and judge it; OUT.verdict keeps the judgement. Raises GateError."""
    base.parent.mkdir(parents=True, exist_ok=True)
    verdict = play_nodes(match, new, old, where) if match.nodes else play_timed(match, new, old, base, where, quiet)
    write(Path(f"{base}.verdict"), json.dumps(verdict.as_json(), indent=1).encode())
    return verdict
