"""damier against itself through pydraughts, 0.5 or 0.6: one game, its moves and its result.

Usage: python play.py PATH-TO-DAMIER [VARIANT [SECONDS-A-MOVE]]
Variants of pydraughts: standard, frisian, frysk!, antidraughts, breakthrough, russian, brazilian, english, italian...
"""

import sys

import draughts
from draughts.engine import HubEngine, Limit

OLD = not hasattr(draughts, "Board")  # pydraughts 0.5 calls a board a game


def main() -> None:
    path = sys.argv[1]
    variant = sys.argv[2] if len(sys.argv) > 2 else "standard"
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 0.1
    board = draughts.Game(variant) if OLD else draughts.Board(variant)
    engine = HubEngine([path, "hub"])
    engine.configure({"variant": variant, "threads": "1", "tt-size": "20"})
    if not OLD:  # counts some 8x8 boards from a1 and inverts the side letter where Black begins
        engine.configure({"square-order": "pdn"})
    engine.init()
    moves = []
    while not board.is_over() and len(moves) < 300:
        result = engine.play(board, Limit(movetime=seconds), False)
        moves.append(result.move.pdn_move)
        board.push(result.move.board_move if OLD else result.move)
    engine.quit()
    engine.p.communicate(timeout=5)
    winner = board.get_winner() if OLD else board.winner()
    print(" ".join(moves))
    print(f"{len(moves)} moves, {'winner ' + str(winner) if board.is_over() else 'not over'}")


if __name__ == "__main__":
    main()
