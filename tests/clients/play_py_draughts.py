"""Handshakes and whole 10x10 games over Hub with py-draughts as the front end, in its own environment.

Usage: play_py_draughts.py ENGINE HANDSHAKES GAMES SEED RANDOM_PLIES
py-draughts sends no moves, only positions, and waits for a line with select() before a buffered read, so that a
second line in the same read stays unseen: the handshake is the hard part. Prints one JSON object.
"""

import json
import random
import sys
import time

from draughts import HubEngine, StandardBoard
from loguru import logger

MOVE_TIME = 0.03  # seconds
LATE = 0.2  # seconds beyond it that a move may take on a busy machine
LONGEST = 600  # plies


def handshake(path):
    engine = HubEngine(path, init_timeout=3.0)
    started = time.perf_counter()
    try:
        engine.start()
        alive = engine.ping()
    except TimeoutError:
        return None
    finally:
        engine.quit()
    return round(time.perf_counter() - started, 3) if alive else None


def play(engine, chance, random_plies):
    board = StandardBoard()
    engine.new_game()
    for _ in range(random_plies):
        board.push(chance.choice(list(board.legal_moves)))
    plies = random_plies
    slowest = 0.0
    while not board.game_over and plies < LONGEST:
        started = time.perf_counter()
        move = engine.get_best_move(board)
        slowest = max(slowest, time.perf_counter() - started)
        board.push(move)
        plies += 1
    if not board.game_over:
        return {"error": f"no end after {LONGEST} plies"}
    if slowest > MOVE_TIME + LATE:
        return {"error": f"a move took {slowest:.3f} s"}
    return {"plies": plies, "result": board.result, "slowest": round(slowest, 3)}


def main():
    path, handshakes, games, seed, random_plies = sys.argv[1:6]
    logger.remove()
    times = [handshake(path) for _ in range(int(handshakes))]
    played = []
    chance = random.Random(int(seed))
    with HubEngine(path, time_limit=MOVE_TIME) as engine:
        played = [play(engine, chance, int(random_plies)) for _ in range(int(games))]
    print(json.dumps({"handshakes": times, "games": played}))


if __name__ == "__main__":
    main()
