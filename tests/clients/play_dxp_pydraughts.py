"""Whole games over DXP with pydraughts 0.6.7 as the other program and referee; run inside its own environment.

Usage: play_dxp_pydraughts.py ENGINE ROLE VARIANT GAMES SEED
ENGINE is the damier command; ROLE is what damier is on the TCP side: `server` (pydraughts calls it) or `client` (both
call a relay in this script, since pydraughts can only call). pydraughts always asks for the game. Its side plays random
moves and takes moves back once in each game that damier begins; in the others it believes to be its own opponent and
would wait for ever. Prints one JSON object.
"""

import json
import random
import socket
import subprocess
import sys
import threading
import time

import draughts
from draughts.engine import DXPEngine

NAMES = {"international": "standard"}
LONGEST = 400  # plies
PATIENCE = 20.0  # s for a move


class Failure(Exception):
    """A game that did not go as it should."""


def listener():
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()[1]


def splice(source, target):
    """Carry bytes until the end of one side, then close the other."""
    try:
        while data := source.recv(4096):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def relay(server):
    """Join the next two callers."""
    with server:
        one, other = server.accept()[0], server.accept()[0]
    for pair in ((one, other), (other, one)):
        threading.Thread(target=splice, args=pair, daemon=True).start()


def engine_move(engine, board):
    """The engine's move, None if it ended the game instead; pydraughts itself would wait for ever."""
    answer = []
    thread = threading.Thread(target=lambda: answer.append(engine.play(board).move), daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE
    while thread.is_alive() and time.monotonic() < until:
        thread.join(0.02)
        if engine.game_started and engine.sender.current.result is not None:
            return None
    if not answer or answer[0] is None:
        raise Failure(f"no move at ply {len(board.move_stack)}: {board.fen}")
    return answer[0]


def play(port, variant, chance, damier_first):
    board = draughts.Board(NAMES.get(variant, variant))
    engine = DXPEngine(options={"engine-opened": True, "ip": "127.0.0.1", "port": str(port), "initial-time": 60})
    if not damier_first:
        board.push(chance.choice(board.legal_moves()))
    ended_by = "board"
    taken_back = False
    try:
        while not board.is_over() and len(board.move_stack) < LONGEST:
            move = engine_move(engine, board)
            if move is None:
                ended_by = f"damier, reason {engine.sender.current.result}"
                break
            if move.steps_move not in [legal.steps_move for legal in board.legal_moves()]:
                raise Failure(f"illegal {move.steps_move} in {board.fen}")
            board.push(move)
            if damier_first and len(board.move_stack) > 8 and not taken_back:
                taken_back, board, _ = engine.takeback(3, board.turn)
                if not taken_back or len(board.move_stack) not in (4, 5):
                    raise Failure(f"no take-back: {board.fen}")
            if not board.is_over():
                board.push(chance.choice(board.legal_moves()))
        if board.is_over() and board.move_stack and ended_by == "board":
            damier_moved_last = len(board.move_stack) % 2 == (1 if damier_first else 0)
            if not damier_moved_last:  # damier must hear the last move to know that the game is over
                send_last_move(engine, board)
    finally:
        threading.Thread(target=engine.quit, daemon=True).start()
    return {
        "plies": len(board.move_stack),
        "winner": board.winner(),
        "ended_by": ended_by,
        "taken_back": taken_back,
        "name": engine.id["name"],
    }


def send_last_move(engine, board):
    """Send our last move and wait for the GAMEEND of damier, which is to move without a move."""
    engine.sender.send_move(board.move_stack[-1])
    until = time.monotonic() + PATIENCE
    while engine.sender.current.result is None:
        if time.monotonic() > until:
            raise Failure("no end of the game after the last move")
        time.sleep(0.02)


def serve(command, variant, chance, games):
    with subprocess.Popen([*command, "--listen", "0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            return [play(port, variant, chance, bool(number % 2)) for number in range(games)]
        finally:
            process.terminate()


def call(command, variant, chance, games):
    played = []
    for number in range(games):
        server, port = listener()
        threading.Thread(target=relay, args=(server,), daemon=True).start()
        with subprocess.Popen([*command, "--connect", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL) as process:
            try:
                played.append(play(port, variant, chance, bool(number % 2)))
                played[-1]["exit_code"] = process.wait(5)
            finally:
                process.kill()
    return played


def main():
    path, role, variant, games, seed = sys.argv[1:6]
    command = [path, "dxp", "--move-time", "0.02", f"--variant={variant}"]
    games_of = serve if role == "server" else call
    played = games_of(command, variant, random.Random(int(seed)), int(games))
    print(json.dumps({"version": draughts.__version__, "games": played}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
