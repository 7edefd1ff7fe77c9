"""Whole games over Hub with pydraughts as the front end and referee; run inside the client's own environment.

Usage: play_pydraughts.py ENGINE VARIANT GAMES SEED RANDOM_PLIES [NAME=VALUE ...]
Two engine processes play each other on clocks. Works with pydraughts 0.5.7 (class Game) and 0.6.7 (class Board),
whose errors on an illegal move or ponder move end the program. Prints one JSON object.
"""

import json
import random
import sys
import time

import draughts
from draughts.engine import HubEngine, Limit

TIME, INCREMENT = 2.0, 0.05  # seconds
SLACK = 1.0  # s over the clock that other programs on the machine may cost in a game
LONGEST = 600  # plies

OLD = not hasattr(draughts, "Board")
NAMES = {"international": "standard"}


class TimedEngine(HubEngine):
    """Takes the time of the conversation alone: pydraughts' own move generation is slow."""

    spent = 0.0

    def go(self, *arguments, **named):
        started = time.perf_counter()
        answer = super().go(*arguments, **named)
        self.spent = time.perf_counter() - started
        return answer


def new_board(variant):
    name = NAMES.get(variant, variant)
    return draughts.Game(name) if OLD else draughts.Board(name)


def random_move(board, chance):
    if not OLD:
        return chance.choice(board.legal_moves())
    moves, captures = board.legal_moves()
    return draughts.Move(board, board_move=chance.choice(moves), possible_moves=moves, possible_captures=captures)


def push(board, move):
    board.push(move.board_move if OLD else move)


def start_engine(path, variant, parameters):
    engine = TimedEngine([path, "hub"])
    engine.configure({"variant": variant, "tt-size": "18", **parameters})
    engine.init()
    return engine


def play(engines, variant, chance, random_plies):
    board = new_board(variant)
    for _ in range(random_plies):
        push(board, random_move(board, chance))
    clocks = [TIME, TIME]
    mover = 0
    while not board.is_over() and len(board.move_stack) < LONGEST:
        limit = Limit(time=clocks[mover] + INCREMENT, inc=INCREMENT)
        result = engines[mover].play(board, limit, False)
        clocks[mover] += INCREMENT - engines[mover].spent
        if clocks[mover] < -SLACK:
            return {"error": f"time lost by {-clocks[mover]:.3f} s at ply {len(board.move_stack)}"}
        push(board, result.move)
        mover = 1 - mover
    if not board.is_over():
        return {"error": f"no end after {LONGEST} plies"}
    winner = board.get_winner() if OLD else board.winner()
    return {"plies": len(board.move_stack), "winner": winner, "clocks": [round(clock, 3) for clock in clocks]}


def main():
    path, variant, games, seed, random_plies = sys.argv[1:6]
    parameters = dict(word.split("=", 1) for word in sys.argv[6:])
    chance = random.Random(int(seed))
    engines = [start_engine(path, variant, parameters) for _ in range(2)]
    played = [play(engines, variant, chance, int(random_plies)) for _ in range(int(games))]
    for engine in engines:
        engine.quit()
        engine.p.communicate(timeout=2)
    codes = [engine.p.returncode for engine in engines]
    print(json.dumps({"version": draughts.__version__, "games": played, "exit_codes": codes}))


if __name__ == "__main__":
    main()
