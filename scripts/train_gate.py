"""Plays new weights against those in use and says whether to accept them.

With a time a move the match is one of `damier match`, resumed when it is there already. With --nodes the games are
played in the scripts' own processes: far cheaper and repeatable, but blind to what the weights cost in speed. Pairs of
games from short openings, no databases, no book. Accepted is what a sequential test accepts (--sprt), or what is better
with a likelihood of 95 % after all games.

Example: python scripts/train_gate.py --variant russian --new training/weights/russian/a.weights --games 400
The weights are files, folders, `installed` or `hand-made`. Prints the verdict and one JSON line; exit code 0 if the
new weights are accepted, 1 if not, 2 if the match could not be played.
"""

import argparse
import json
import sys
from pathlib import Path

from engine import VARIANTS, DamierError
from protocol.match.statistics import Sprt
from training import weights
from training.executors import Where
from training.gate import SURE, GateError, Match, play


def main() -> int:
    """Play the match."""
    usual = Match("")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=[*VARIANTS], required=True)
    parser.add_argument("--new", required=True, metavar="WEIGHTS")
    parser.add_argument("--old", default=weights.INSTALLED, metavar="WEIGHTS", help="(default: installed)")
    parser.add_argument("--games", type=int, default=usual.games, help="at most so many (default: %(default)s)")
    parser.add_argument("--movetime", type=float, default=usual.movetime, help="seconds a move (%(default)s)")
    parser.add_argument("--nodes", type=int, default=0, help="nodes a move instead of a time")
    parser.add_argument("--margin", type=float, default=usual.margin, help="seconds forgiven (%(default)s)")
    parser.add_argument("--openings", default=usual.openings, help="as for damier match (%(default)s)")
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop by a sequential test")
    parser.add_argument("--sure", type=float, default=SURE, help="likelihood that accepts without it (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="games at once (%(default)s)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler; the files of weights must be there too")
    parser.add_argument("--out", type=Path, default=Path("gate"), help="journal and report are OUT.jsonl and OUT.json")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    match = Match(
        variant=options.variant,
        games=options.games,
        movetime=options.movetime,
        nodes=options.nodes,
        margin=options.margin,
        openings=options.openings,
        seed=options.seed,
        sprt=Sprt(*options.sprt) if options.sprt else None,
        sure=options.sure,
    )
    where = Where(options.workers, options.cluster)
    try:
        new, old = (weights.find(options.variant, text) for text in (options.new, options.old))
        verdict = play(match, new, old, options.out, where, options.quiet)
    except (DamierError, GateError, OSError) as error:
        print(f"train_gate: {error}", file=sys.stderr)
        return 2
    print(f"{options.variant}: {verdict}")
    print(json.dumps({"variant": options.variant, **verdict.as_json()}))
    return 0 if verdict.accepted else 1


if __name__ == "__main__":
    sys.exit(main())
