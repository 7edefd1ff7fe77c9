"""Games and analysis through python-chess's UCI client with a draughts board in the place of its own.

Usage: play_python_chess.py ENGINE VARIANT PLIES; run in the client's environment, with damier's `engine` on the path
as the referee. Prints one JSON object.
"""

import json
import sys

import chess.engine

from engine import Game, Position
from engine.notation import format_move, parse_move


class Move(str):
    """A move as python-chess passes it round."""

    def uci(self):
        return str(self)


class Draughts:
    """What python-chess asks of a board."""

    chess960 = False
    uci_variant = "international"  # python-chess asks the class

    def __init__(self, game=None, written=()):
        self.game = game or Game(Position.start(self.uci_variant))
        self.move_stack = list(written)

    @property
    def turn(self):
        return self.game.position.turn.name == "WHITE"

    def root(self):
        return Draughts(Game(self.game.start))

    def fen(self, **_):
        return self.game.position.fen()

    def copy(self, *, stack=True):
        if stack:
            return Draughts(self.game.copy(), self.move_stack)
        return Draughts(Game(self.game.position))

    def parse_uci(self, text):
        parse_move(text, self.game.position)
        return Move(text)

    def push(self, move):
        self.game.play(str(move))
        self.move_stack.append(Move(move))

    def push_uci(self, text):
        move = self.parse_uci(text)
        self.push(move)
        return move

    def pop(self):
        self.game.undo()
        return self.move_stack.pop()

    def __eq__(self, other):
        return isinstance(other, Draughts) and self.game.position == other.game.position

    __hash__ = None


def main():
    path, variant, plies = sys.argv[1], sys.argv[2], int(sys.argv[3])
    Draughts.uci_variant = variant
    answer = {"errors": [], "plies": 0, "pondered": 0}
    with chess.engine.SimpleEngine.popen_uci([path, "uci"]) as engine:
        answer["name"] = engine.id["name"]
        answer["options"] = sorted(engine.options)
        small = Position.start(variant).rules.rows == 8
        engine.configure({"Hash": 16, "Threads": 2, "UCI_MoveFormat": "coordinate" if small else "short"})
        board = Draughts()
        clocks = {"white_clock": 5.0, "black_clock": 5.0, "white_inc": 0.05, "black_inc": 0.05}
        while answer["plies"] < plies and board.game.outcome is None:
            result = engine.play(
                board, chess.engine.Limit(time=0.02, **clocks), ponder=True, info=chess.engine.INFO_ALL
            )
            answer["pondered"] += result.ponder is not None
            if "score" not in result.info:
                answer["errors"].append(f"no score at ply {answer['plies']}")
            board.push(result.move)
            answer["plies"] += 1
            if result.ponder is not None and answer["plies"] % 3:  # sometimes as expected, sometimes not
                board.push(result.ponder)
                answer["plies"] += 1
            elif board.game.legal_moves() and board.game.outcome is None:
                position = board.game.position
                board.push(Move(format_move(board.game.legal_moves()[-1], position, style="short")))
                answer["plies"] += 1
        board = Draughts()
        info = engine.analyse(board, chess.engine.Limit(depth=5))
        answer["depth"] = info["depth"]
        answer["pv"] = len(info.get("pv", ()))
        with engine.analysis(board) as analysis:
            for found in analysis:
                if found.get("depth", 0) >= 6:
                    break
        analysis.wait()
        engine.ping()
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
