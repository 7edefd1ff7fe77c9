"""Shows what the match runner must show: damier against itself is even, against itself at two plies far ahead.

Example: python scripts/match_suite.py --games 200 --out suite
In each variant two matches are played; each leaves a journal, a PDN file and a report in the folder and is resumed
if it is there already. Prints one JSON line a match; exits with 1 if one of them is not what it must be.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

VARIANTS = ("russian", "brazilian", "english", "italian", "pool", "international")
EVEN_ERRORS = 3.0  # standard errors by which a match between equals may be off
AHEAD = 0.75  # score that the whole engine must reach against the crippled one


def play(variant: str, name: str, second: str, options: argparse.Namespace) -> dict[str, Any]:
    """Play one match of damier against `second` and return its report."""
    base = Path(options.out, f"{variant}-{name}")
    command = [
        *(sys.executable, "-m", "protocol.cli", "match", "--variant", variant, "--tc", f"movetime={options.movetime}"),
        *("--engine", f"name=damier cmd='{options.engine}' {options.options}"),
        *("--engine", f"name={name} cmd='{options.engine}' {options.options} {second}"),
        *("--games", str(options.games), "--concurrency", str(options.concurrency), "--openings", options.openings),
        *("--margin", str(options.margin), "--event", f"suite {name}", "--quiet", "--resume"),
        *("--journal", f"{base}.jsonl", "--pdn", f"{base}.pdn", "--report", f"{base}.json"),
    ]
    with Path(f"{base}.log").open("w", encoding="utf-8") as log:
        subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=True)
    report: dict[str, Any] = json.loads(Path(f"{base}.json").read_text(encoding="utf-8"))
    return report


def judge(report: dict[str, Any], *, even: bool) -> dict[str, Any]:
    """What a match shows, and whether it is what it must be."""
    (meeting,) = report["meetings"]
    counts = meeting["games"]
    games = report["games"]
    score = counts["points"] / games
    pairs = meeting["pairs"]
    total = sum(pairs)
    variance = sum(n * (i / 4 - score) ** 2 for i, n in enumerate(pairs)) / total
    faults = sum(sum(counts.values()) for counts in report["faults"].values())
    fine = abs(score - 0.5) <= EVEN_ERRORS * math.sqrt(variance / total) + 1e-9 if even else score >= AHEAD
    return {
        "games": games,
        "score": round(score, 4),
        "wins": counts["wins"],
        "draws": counts["draws"],
        "losses": counts["losses"],
        "pairs": pairs,
        "elo": meeting["pentanomial"]["elo"],
        "nelo": meeting["pentanomial"]["nelo"],
        "faults": faults,
        "seconds": report["seconds"],
        "ok": fine and not faults,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="suite", help="folder of the results (suite)")
    parser.add_argument("--games", type=int, default=200, help="games of each match (200)")
    parser.add_argument("--movetime", type=float, default=0.02, help="seconds a move (0.02)")
    parser.add_argument("--margin", type=float, default=0.1, help="seconds forgiven (0.1)")
    parser.add_argument("--concurrency", type=int, default=2, help="games at once (2)")
    parser.add_argument("--openings", default="ply=4", help="openings (ply=4)")
    parser.add_argument("--engine", default=f'"{sys.executable}" -m protocol.cli hub', help="command of damier")
    parser.add_argument("--options", default="threads=1 book=false", help="options of every engine")
    parser.add_argument("--variant", action="append", help="only these variants")
    parser.add_argument("--match", choices=("even", "crippled"), help="only this match")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    ok = True
    for variant in options.variant or VARIANTS:
        for name, second in (("even", ""), ("crippled", "depth=2")):
            if options.match in (None, name):
                found = judge(play(variant, name, second, options), even=name == "even")
                print(json.dumps({"variant": variant, "match": name, **found}), flush=True)
                ok = ok and bool(found["ok"])
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
