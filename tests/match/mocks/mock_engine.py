"""A Hub engine without a search: it picks moves by a hash of the position, and misbehaves on request.

Arguments: BEHAVIOUR [AT], where AT is the search (counted from 1 for each start) at which it misbehaves, 0 for all.
"""

import hashlib
import os
import subprocess
import sys
import time

from engine.game import Game
from engine.position import Position
from engine.variants import find_variant
from protocol.hub_syntax import parse_line

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else "good"
AT = int(sys.argv[2]) if len(sys.argv) > 2 else 1


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def hang() -> None:
    """Answer nothing any more, not even the end of the input."""
    while True:
        time.sleep(60)


class Mock:
    """The state of the engine."""

    def __init__(self) -> None:
        self.params = {"variant": "normal", "seed": "1", "delay": "0", "score": "", "log": ""}
        self.game = Game(Position.start("international"))
        self.searches = 0

    def choose(self) -> str:
        """A move that depends on the position and the seed alone."""
        legal = sorted(self.game.legal_moves(), key=str)
        key = f"{self.params['seed']} {self.game.position.hub()} {len(self.game.moves)}"
        digest = hashlib.sha256(key.encode()).digest()
        return legal[int.from_bytes(digest[:8], "big") % len(legal)].hub()

    def search(self) -> None:
        """Answer a `go`, or not."""
        self.searches += 1
        time.sleep(float(self.params["delay"]))
        if AT in (0, self.searches):
            self.misbehave()
        score = self.params["score"] or "0.00"
        say(f"info depth=1 mean-depth=1.0 score={score} nodes=1 time=0.001 pv={self.choose()}")
        say(f"done move={self.choose()}")

    def misbehave(self) -> None:
        """Do what the command line asks for."""
        if BEHAVIOUR == "hang":
            hang()
        elif BEHAVIOUR == "crash":
            sys.stderr.write("mock: something terrible happened\n")
            sys.stderr.flush()
            os._exit(7)
        elif BEHAVIOUR == "abort":
            os.abort()
        elif BEHAVIOUR == "illegal":
            say("done move=1-50")
        elif BEHAVIOUR == "nonsense":
            say("done move=hello")
        elif BEHAVIOUR == "no-move":
            say("done")
        elif BEHAVIOUR == "flood":
            for _ in range(200):
                sys.stderr.write("x" * 9999 + "\n")
            sys.stderr.flush()
        elif BEHAVIOUR == "endless":
            while True:
                sys.stdout.write("y" * 65536)
                sys.stdout.flush()
        elif BEHAVIOUR == "late":
            time.sleep(0.9)

    def handle(self, text: str) -> bool:
        """Obey a line; False to leave."""
        line = parse_line(text)
        if line is None:
            return True
        if line.command == "hub":
            if BEHAVIOUR == "wrong-protocol":
                say("info string unknown command hub")
                return True
            if BEHAVIOUR == "crash-start":
                sys.stderr.write("mock: no weights\n")
                return False
            say(f"id name=Mock version={self.params['seed']} author=Nobody country=Nowhere")
            say('param name=variant value=normal type=enum values="normal frisian killer bt losing frysk russian"')
            say("param name=seed value=1 type=int min=0 max=1000")
            say("wait")
        elif line.command == "set-param":
            self.params[line.get("name") or ""] = line.get("value") or ""
        elif line.command == "init":
            if BEHAVIOUR == "hang-start":
                hang()
            say("ready")
        elif line.command == "level" and self.params["log"]:
            with open(self.params["log"], "a") as file:
                file.write(text)
        elif line.command == "ping":
            say("pong")
        elif line.command == "pos":
            rules = find_variant(self.params["variant"])
            start = line.get("pos")
            self.game = Game(Position.from_hub(start, rules) if start else Position.start(rules))
            for move in (line.get("moves") or "").split():
                self.game.play(next(legal for legal in self.game.legal_moves() if legal.hub() == move))
        elif line.command == "go":
            self.search()
        elif line.command == "quit":
            if BEHAVIOUR == "no-quit":
                hang()
            return False
        return True


def main() -> None:
    """Read lines until told to leave."""
    if BEHAVIOUR in ("children", "no-quit"):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "mock-child"])
    mock = Mock()
    for text in sys.stdin:
        if not mock.handle(text):
            break


if __name__ == "__main__":
    main()
