"""damier against itself through py-draughts: one international game, its moves and its result.

Usage: python play.py PATH-TO-DAMIER [SECONDS-A-MOVE]
"""

import sys

from draughts import HubEngine, StandardBoard


def main() -> None:
    path = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.1
    board = StandardBoard()
    moves = []
    with HubEngine(path, time_limit=seconds) as engine:
        engine.new_game()
        while not board.game_over and len(moves) < 400:
            move = engine.get_best_move(board)
            moves.append(str(move))
            board.push(move)
    print(" ".join(moves))
    print(f"{len(moves)} moves, {board.result}")


if __name__ == "__main__":
    main()
