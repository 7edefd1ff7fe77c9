"""Feeds broken lines and frames to the protocol machines and to the real process.

Example: python scripts/fuzz_protocols.py hub uci dxp --count 1000000
         python scripts/fuzz_protocols.py hub --process --count 100000
Prints one JSON object for each protocol; exit code 1 at the first fault, whose seed and last input it names.
"""

import argparse
import gc
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from engine import PARAMS, Report, Result, find_variant
from protocol.actions import Action, Compute, Configure, PonderHit, Prepare, Quit, Search, Stop, Write
from protocol.dxp import DxpMachine
from protocol.dxp_actions import Action as DxpAction
from protocol.dxp_actions import Close, Finished, Policy, Refused, Send, StopThinking, Think, Timeouts
from protocol.dxp_messages import decode
from protocol.hub1_server import Hub1Dialect
from protocol.hub_server import HubDialect
from protocol.machine import Dialect, TextMachine
from protocol.phases import Phase
from protocol.uci_server import UciDialect

DIALECTS: dict[str, Callable[[TextMachine], Dialect]] = {"hub": HubDialect, "hub1": Hub1Dialect, "uci": UciDialect}
ANSWERS = {"hub": "done", "hub1": "move", "uci": "bestmove"}
ECHO = {"hub": ("ping", "pong"), "hub1": ("ping", "pong"), "uci": ("isready", "readyok")}
LIFE = 500  # lines before a machine is checked to the end and replaced
SMALL = "--tt-size=14"  # the table fills slowly and would hide a leak
GROWTH = 20.0  # MB that memory may grow in the later part of a run
TOO_DEAR = (b"tt-size", b"hash", b"threads", b"perft", b"bench", b"quit", b"multipv", b"egdb", b"path", b"book")


START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
DXP_START = START[0] + START[1:].replace("b", "z")

HUB = [
    "hub",
    "init",
    "new-game",
    "pos start",
    f"pos pos={START}",
    f'pos pos={START} moves="32-28 19-23 28x19x23 14x23x19"',
    'pos start moves="31-26 17-22"',
    "pos fen=B:W31-50:B1-20",
    "level depth=1",
    "level move-time=0.001",
    "level moves=30 time=10 inc=0.1",
    "level infinite",
    "go",
    "go think",
    "go ponder",
    "go analyze",
    "ponder-hit",
    "stop",
    "ping",
    "set-param name=variant value=normal",
    "set-param name=variant value=russian",
    "set-param name=variant value=frisian",
    "set-param name=move-overhead value=20",
    "legal",
    "state",
]
HUB1 = [
    "hub 1",
    "init",
    "new",
    "start",
    "pos " + START.lower(),
    "move 32-28",
    "move 28x19",
    "depth 1",
    "time 10",
    "level 30 10000 100",
    "go",
    "ponder",
    "analyse",
    "ponder-hit",
    "stop",
    "ping",
    "variant normal",
    "set threads 1",
]
UCI = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves 32-28 19-23 28x19",
    "position fen W:W31-50:B1-20",
    "position fen B:WK5:BK46 moves 46-41",
    "go depth 1",
    "go movetime 1",
    "go nodes 100",
    "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 30",
    "go infinite",
    "go ponder wtime 100 btime 100",
    "go depth 1 searchmoves 32-28 31-26",
    "go mate 1",
    "ponderhit",
    "stop",
    "setoption name UCI_Variant value international",
    "setoption name UCI_Variant value english",
    "setoption name MultiPV value 3",
    "setoption name Ponder value true",
    "d",
    "fen",
    "eval",
    "legalmoves",
    "debug on",
]
DXP = [
    f"R01{'Fuzz':32}W001000A",
    f"R01{'Fuzz':32}Z000010A",
    f"R01{'Fuzz':32}W001075B{DXP_START}",
    f"R01{'Fuzz':32}Z1.5000BZ{DXP_START[1:]}",
    f"R02{'Fuzz':32}W001000A",
    f"A{'Fuzz':32}0",
    "M0000322800",
    "M0000192300",
    "M000028190123",
    "M001205250422122320",
    "E00",
    "E10",
    "E21",
    "E31",
    "CHello there",
    "B001W",
    "B001Z",
    "B003W",
    "K0",
    "K1",
    "K2",
]
CORPUS = {"hub": HUB, "hub1": HUB1, "uci": UCI, "dxp": DXP}
TOKENS = [
    "=",
    '"',
    "\\",
    " ",
    "\t",
    "\r",
    "x",
    "-",
    "0",
    "99999999999999999999",
    "-1",
    "1e309",
    "nan",
    "é",
    "\x00",
    "\x1b",
    "W",
    "",
]


class Source:
    """An endless supply for one protocol, the same for the same seed."""

    def __init__(self, protocol: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.good = [text.encode() for text in CORPUS[protocol]]

    def next(self) -> bytes:
        """A line or frame without its end: one in three is good, half are mutated, the rest is noise."""
        rnd = self.random
        kind = rnd.random()
        if kind < 0.35:
            return rnd.choice(self.good)
        if kind < 0.85:
            return self._mutated(rnd.choice(self.good))
        if kind < 0.999:
            return rnd.randbytes(rnd.randrange(40))
        return bytes(rnd.choices(range(1, 256), k=rnd.randrange(3000)))

    def _mutated(self, text: bytes) -> bytes:
        rnd = self.random
        for _ in range(rnd.randrange(1, 4)):
            at = rnd.randrange(len(text) + 1)
            match rnd.randrange(6):
                case 0:
                    text = text[:at] + rnd.choice(TOKENS).encode() + text[at:]
                case 1:
                    text = text[:at] + text[at + rnd.randrange(1, 6) :]
                case 2:
                    text = text[:at] + bytes([rnd.randrange(256)]) + text[at + 1 :]
                case 3:
                    text = text[:at]
                case 4:
                    other = rnd.choice(self.good)
                    text = text[:at] + other[rnd.randrange(len(other)) :]
                case 5:
                    words = text.split(b" ")
                    rnd.shuffle(words)
                    text = b" ".join(words)
        return text

    def chunks(self, data: bytes) -> list[bytes]:
        """The same bytes in pieces as a network might cut them: mostly whole."""
        if not data or self.random.random() < 0.7:
            return [data]
        cuts = sorted(self.random.randrange(len(data)) for _ in range(self.random.randrange(1, 4)))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


class Fault(Exception):
    """A promise that was broken."""


def expect(condition: bool, text: str) -> None:
    if not condition:
        raise Fault(text)


# ---- machines of the text protocols


class TextRun:
    """One text machine after the other, with an engine that does things at random times."""

    def __init__(self, protocol: str, source: Source) -> None:
        self.protocol = protocol
        self.source = source
        self.answers = self.machines = 0
        self._renew()

    def _renew(self) -> None:
        self.machine = TextMachine(DIALECTS[self.protocol], PARAMS.values())
        self.running: Search | None = None
        self.preparing = self.stopping = self.gone = False
        self.computing = False
        self.asked = self.answered = 0
        self.echoes = 0
        self.lines = 0
        self.machines += 1

    def step(self) -> None:
        """One line, in pieces, and whatever the engine does meanwhile."""
        line = self.source.next()
        self.asked += line.count(b"go") + line.count(b"ponder") + line.count(b"analy")
        for piece in self.source.chunks(line + b"\n"):
            self._do(self.machine.receive(piece, 1.0))
            self._engine(0.5)
        self.lines += 1
        if self.gone or self.lines >= LIFE:
            self.finish()

    def _engine(self, chance: float) -> None:
        rnd = self.source.random
        if self.gone:
            return
        if self.computing and rnd.random() < chance:
            self.computing = False
            self._do(self.machine.computed([]))
        elif self.preparing and rnd.random() < chance:
            self.preparing = False
            self._do(self.machine.prepared("no memory" if rnd.random() < 0.05 else ""))
        elif self.running is not None and rnd.random() < (0.8 if self.stopping else 0.1) * chance:
            game = self.running.game
            self.running = None
            self.stopping = False
            move = rnd.choice(game.legal_moves()) if rnd.random() < 0.9 else None
            self._do(self.machine.finished(Result(move, None, None), "" if move else "broken"))
        elif self.running is not None and rnd.random() < 0.3 * chance:
            move = rnd.choice(self.running.game.legal_moves())
            self._do(self.machine.reported(Report(1, 2, 1.5, rnd.randrange(-10000, 10001), 9, 0.1, (move,))))

    def finish(self) -> None:
        """Whatever has been said, the machine must come to rest and answer one more search once."""
        if not self.gone:
            question, answer = ECHO[self.protocol]
            self._do(self.machine.receive(b"\nstop\n", 1.0))
            self._settle()
            expect(self.machine.phase is Phase.IDLE, f"{self.machine.phase} after stop")
            before = self.answered
            self._do(self.machine.receive(f"go\nstop\n{question}\n".encode(), 1.0))
            self._settle()
            expect(self.answered == before + 1, f"{self.answered - before} answers to one go")
            expect(self.echoes > 0, f"no {answer}")
        expect(self.answered <= self.asked + 1, "more answers than questions")
        self.answers += self.answered
        self._renew()

    def _settle(self) -> None:
        for _ in range(100_000):
            if not (self.preparing or self.computing or self.running is not None) or self.gone:
                return
            self._engine(1.0)
            if self.running is not None and not self.stopping:
                self._do(self.machine.receive(b"stop\n", 1.0))
        raise Fault("the machine never comes to rest")

    def _do(self, actions: list[Action]) -> None:
        for action in actions:
            expect(not self.gone, f"{action} after the end")
            match action:
                case Write(line):
                    self._written(line)
                case Prepare() | Compute():
                    expect(not (self.preparing or self.computing or self.running), f"{action} at the wrong time")
                    self.preparing = isinstance(action, Prepare)
                    self.computing = isinstance(action, Compute)
                case Search(game):
                    expect(not (self.preparing or self.computing or self.running), "two searches")
                    expect(bool(game.legal_moves()), "a search without a move")
                    self.running = action
                case Stop() | PonderHit():
                    expect(self.running is not None, f"{action} without a search")
                    self.stopping = self.stopping or isinstance(action, Stop)
                case Configure(name, _):
                    expect(name in PARAMS, f"unknown parameter {name}")
                case Quit(when_prepared):
                    self.gone = not when_prepared

    def _written(self, line: str) -> None:
        expect("\n" not in line and "\r" not in line, f"bad line {line!r}")
        word = line.split(" ", 1)[0]
        self.answered += word == ANSWERS[self.protocol]
        self.echoes += word == ECHO[self.protocol][1]


# ---- the DXP machine


class DxpRun:
    """One connection after the other; the other side makes a legal move now and then."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rules = find_variant("international")
        self.games = self.machines = self.moves = 0
        self.now = 0.0
        self._renew()

    def _renew(self) -> None:
        timeouts = Timeouts(idle=1e6, move=1e6)
        self.machine = DxpMachine(self.rules, Policy(timeouts=timeouts, illegal_limit=50), self.now)
        self.thought: Think | None = None
        self.accepted = self.finished = 0
        self.machines += 1

    def step(self) -> None:
        rnd = self.source.random
        self.now += rnd.random()
        for piece in self.source.chunks(self._legal() or self.source.next() + b"\0"):
            self._do(self.machine.receive(piece, self.now))
        if self.thought is not None and rnd.random() < 0.5:
            thought, self.thought = self.thought, None
            move = rnd.choice(thought.game.legal_moves()) if rnd.random() < 0.95 else None
            self._do(self.machine.moved(thought.ticket, move, self.now))
        if self.machine.deadline is not None and self.machine.deadline <= self.now:
            self._do(self.machine.timeout(self.now))
        if self.machine.closed:
            expect(self.finished == self.accepted, "a game was lost")
            self.games += self.finished
            self._renew()

    def _legal(self) -> bytes | None:
        game = self.machine.game
        if game is None or game.our_turn or self.source.random.random() > 0.3:
            return None
        legal = game.board.legal_moves()
        if not legal:
            return b"E10\0"
        move = self.source.random.choice(legal)
        taken = "".join(f"{square:02}" for square in reversed(move.captured))
        self.moves += 1
        return f"M0000{move.frm:02}{move.to:02}{len(move.captured):02}{taken}\0".encode()

    def _do(self, actions: Sequence[DxpAction]) -> None:
        closed = False
        for action in actions:
            expect(not closed, f"{action} after the end")
            match action:
                case Send(data):
                    expect(data.endswith(b"\0") and data.count(b"\0") == 1 and len(data) <= 128, f"bad frame {data!r}")
                    decode(data[:-1])
                    self.accepted += data.startswith(b"A") and data.endswith(b"0\0")
                case Think():
                    expect(self.thought is None, "two searches")
                    self.thought = action
                case StopThinking():
                    expect(self.thought is not None, "nothing to stop")
                    self.thought = None
                case Finished():
                    self.finished += 1
                case Refused():
                    raise Fault("refused without asking")
                case Close():
                    expect(self.thought is None, "a search runs on")
                    closed = True
        expect(self.machine.playing or self.thought is None, "a search without a game")


def fuzz_machine(protocol: str, count: int, seed: int) -> dict[str, object]:
    """Feed a machine; returns figures. Raises Fault or whatever the machine raises."""
    source = Source(protocol, seed)
    run = DxpRun(source) if protocol == "dxp" else TextRun(protocol, source)
    samples: list[float] = []  # MB, the garbage of dead machines left out
    began = time.perf_counter()
    for number in range(count):
        run.step()
        if number % max(1, count // 40) == 0:
            gc.collect()
            samples.append(resident(os.getpid()))
    grown = max(samples[len(samples) // 2 :]) - max(samples[: len(samples) // 2])
    expect(grown < GROWTH, f"memory grew by {grown:.0f} MB")
    figures: dict[str, object] = {"machines": run.machines, "seconds": round(time.perf_counter() - began, 1)}
    if isinstance(run, DxpRun):
        figures |= {"games": run.games, "moves": run.moves}
    else:
        figures |= {"answers": run.answers}
    return {**figures, "grown_mb": round(grown, 1)}


# ---- the real process


def resident(pid: int) -> float:
    """MB of memory that a process holds (Linux; 0 elsewhere)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 2**20


def fuzz_text_process(protocol: str, count: int, seed: int, command: list[str]) -> dict[str, object]:
    """Feed `damier PROTOCOL`; it must still answer at the end, leave with code 0 and have said nothing on stderr.

    Now and then the program is waited for: lines that it has not read yet would count as its memory.
    """
    source = Source(protocol, seed)
    question, answer = ECHO[protocol]
    heard = threading.Semaphore(0)
    counts = {"lines": 0, "answers": 0}
    last: deque[bytes] = deque(maxlen=20)
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [*command, protocol, SMALL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0
        ) as process,
    ):
        assert process.stdin is not None

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                counts["lines"] += 1
                counts["answers"] += line.startswith(ANSWERS[protocol].encode())
                if line.strip() == answer.encode():
                    heard.release()

        def write(data: bytes) -> None:
            assert process.stdin is not None
            try:
                process.stdin.write(data)
            except BrokenPipeError:
                errors.seek(0)
                text = errors.read()[-2000:].decode("utf-8", "replace")
                raise Fault(f"it ended with code {process.wait(5)} after {list(last)}: {text}") from None

        def wait() -> None:
            write(f"\nstop\n{question}\n".encode())
            expect(heard.acquire(timeout=60), f"no {answer}; last lines {list(last)}")

        threading.Thread(target=read, daemon=True).start()
        memory = 0.0
        for number in range(count):
            line = source.next()
            while question.encode() in line or any(word in line.lower() for word in TOO_DEAR):
                line = source.next()
            last.append(line)
            for piece in source.chunks(line + b"\n"):
                write(piece)
            if number % LIFE == 0:
                wait()
                memory = resident(process.pid) if number < count // 5 else memory
        wait()
        grown = resident(process.pid) - memory
        write(b"quit\n")
        code = process.wait(10)
        errors.seek(0)
        text = errors.read().decode("utf-8", "replace")
    expect(code == 0, f"exit code {code}")
    expect(not text, f"stderr: {text[-2000:]}")
    expect(grown < GROWTH, f"memory grew by {grown:.0f} MB")
    return {"written": counts["lines"], "answers": counts["answers"], "grown_mb": round(grown, 1)}


def fuzz_dxp_process(count: int, seed: int, command: list[str]) -> dict[str, object]:
    """Feed `damier dxp` over many connections; in the end it must play with a new one."""
    source = Source("dxp", seed)
    rnd = source.random
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [*command, "dxp", "--listen", "0", "--depth", "1", SMALL], stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        assert process.stdout is not None
        port = int(process.stdout.readline().rsplit(b":", 1)[1])
        threading.Thread(target=process.stdout.read, daemon=True).start()
        peers: list[socket.socket] = []
        connections = 0
        memory = 0.0
        sent = 0
        while sent < count:
            if not peers or (len(peers) < 8 and rnd.random() < 0.1):
                peer = socket.create_connection(("127.0.0.1", port), 10)
                peer.settimeout(0.02)
                peers.append(peer)
                connections += 1
            peer = rnd.choice(peers)
            try:
                for piece in source.chunks(source.next() + b"\0"):
                    peer.sendall(piece)
                sent += 1
                if rnd.random() < 0.05 and not peer.recv(65536):
                    raise ConnectionResetError
            except TimeoutError:
                pass  # it has nothing to say, or takes its time to read: that is its right
            except OSError:
                peers.remove(peer)
                peer.close()
            if rnd.random() < 0.002 and peer in peers:
                peers.remove(peer)
                peer.close()
            if not memory and sent > count // 5:
                memory = resident(process.pid)
        for peer in peers:
            peer.close()
        time.sleep(0.5)
        plays_on(port)
        grown = resident(process.pid) - memory
        process.terminate()
        code = process.wait(10)
        errors.seek(0)
        text = errors.read().decode("utf-8", "replace")
    expect(code == 143, f"exit code {code}")
    expect(not text, f"stderr: {text[-2000:]}")
    expect(grown < GROWTH, f"memory grew by {grown:.0f} MB")
    return {"connections": connections, "grown_mb": round(grown, 1)}


def plays_on(port: int) -> None:
    """Ask a server for a game and for its first move."""
    with socket.create_connection(("127.0.0.1", port), 10) as peer:
        peer.sendall(CORPUS["dxp"][0].encode() + b"\0")
        data = b""
        while data.count(b"\0") < 2:
            piece = peer.recv(4096)
            expect(bool(piece), f"no game in the end: {data!r}")
            data += piece
    expect(data.startswith(b"A") and data.split(b"\0")[0].endswith(b"0"), f"no game in the end: {data!r}")
    expect(data.split(b"\0")[1].startswith(b"M"), f"no move in the end: {data!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocol", nargs="+", choices=[*DIALECTS, "dxp"])
    parser.add_argument("--count", type=int, default=10_000, help="lines or frames for each protocol (10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--process", action="store_true", help="feed the real process instead of the machine")
    args = parser.parse_args()
    command = [sys.executable, "-m", "protocol.cli"]
    for protocol in args.protocol:
        place = {"protocol": protocol, "process": args.process, "count": args.count, "seed": args.seed}
        try:
            if not args.process:
                figures = fuzz_machine(protocol, args.count, args.seed)
            elif protocol == "dxp":
                figures = fuzz_dxp_process(args.count, args.seed, command)
            else:
                figures = fuzz_text_process(protocol, args.count, args.seed, command)
        except Exception as error:
            traceback.print_exc()
            print(json.dumps({**place, "fault": str(error)}))
            return 1
        print(json.dumps({**place, **figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
