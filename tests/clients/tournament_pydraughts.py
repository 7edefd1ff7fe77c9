"""A tournament of four players by pydraughts' own RoundRobin; run inside the client's own environment.

Usage: tournament_pydraughts.py ENGINE PDN [TIME INCREMENT GAMES_PER_PAIR]
The players are one program with different parameters. Every game starts two new processes. Prints one JSON object;
the games are appended to PDN.
"""

import json
import sys
import time

import draughts
from draughts.tournament import RoundRobin

PARAMETERS = ({"tt-size": 14}, {"tt-size": 16}, {"tt-size": 18, "threads": 2}, {"tt-size": 20})


def main():
    path, pdn, *numbers = sys.argv[1:]
    start, increment, games = (float(text) for text in numbers or ("1", "0.05", "2"))
    players = [([path, "hub"], "hub", dict(parameters), None) for parameters in PARAMETERS]
    tournament = RoundRobin(pdn, players, start, increment, games_per_pair=int(games))
    started = time.perf_counter()
    scores = tournament.play()
    print(
        json.dumps(
            {
                "version": draughts.__version__,
                "scores": scores,
                "results": tournament.results,
                "seconds": round(time.perf_counter() - started, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
