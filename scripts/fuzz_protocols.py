"""Feeds broken lines and frames to the protocol machines and to the real process.

Example: python scripts/fuzz_protocols.py hub uci dxp --count 1000000
         python scripts/fuzz_protocols.py hub --process --count 100000 --growth 100
Prints one JSON object for each protocol; exit code 1 at the first fault, whose seed and last input it names.
"""

import argparse
import gc
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import deque
from pathlib import Path

from fuzzing.corpus import CORPUS, Source
from fuzzing.machines import ANSWERS, DIALECTS, ECHO, LIFE, DxpRun, Fault, TextRun, expect

SMALL = "--tt-size=14"  # the table fills slowly and would hide a leak
GROWTH = 50.0  # megabytes; what a short run meets for the first time counts: weights of variants, a book
TOO_DEAR = (b"tt-size", b"hash", b"threads", b"perft", b"bench", b"quit", b"multipv", b"egdb", b"path", b"book")


def fuzz_machine(protocol: str, count: int, seed: int, growth: float) -> dict[str, object]:
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
    expect(grown < growth, f"memory grew by {grown:.0f} MB")
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


def fuzz_text_process(protocol: str, count: int, seed: int, growth: float, command: list[str]) -> dict[str, object]:
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
    expect(grown < growth, f"memory grew by {grown:.0f} MB")
    return {"written": counts["lines"], "answers": counts["answers"], "grown_mb": round(grown, 1)}


def fuzz_dxp_process(count: int, seed: int, growth: float, command: list[str]) -> dict[str, object]:
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
    expect(grown < growth, f"memory grew by {grown:.0f} MB")
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
    parser.add_argument(
        "--growth", type=float, default=GROWTH, metavar="MB", help=f"what memory may grow by ({GROWTH:.0f} MB)"
    )
    parser.add_argument("--process", action="store_true", help="feed the real process instead of the machine")
    args = parser.parse_args()
    command = [sys.executable, "-m", "protocol.cli"]
    for protocol in args.protocol:
        place = {"protocol": protocol, "process": args.process, "count": args.count, "seed": args.seed}
        try:
            if not args.process:
                figures = fuzz_machine(protocol, args.count, args.seed, args.growth)
            elif protocol == "dxp":
                figures = fuzz_dxp_process(args.count, args.seed, args.growth, command)
            else:
                figures = fuzz_text_process(protocol, args.count, args.seed, args.growth, command)
        except Exception as error:
            traceback.print_exc()
            print(json.dumps({**place, "fault": str(error)}))
            return 1
        print(json.dumps({**place, **figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
