"""Another engine as analyst: a process that speaks Hub."""

import os
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from engine import DamierError, Game, Limits, Move, MoveError, Report
from engine.position import Position
from engine.rules import Rules
from protocol.hub_syntax import parse_line
from protocol.match.client import Stage
from protocol.match.clock import SearchLimits
from protocol.match.hub_client import HubClient

START_TIMEOUT = 20.0  # seconds for an engine to introduce itself and to get ready
GRACE = 5.0  # seconds beyond a time limit, and for the answer to `stop`


class _Client(HubClient):
    """Hub with `go analyze`: no book, and no quick answer where only one move is legal."""

    def go(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        return super().go(start, moves, limits).replace(b"go think\n", b"go analyze\n")


class AnalystError(DamierError):
    """An engine that does not start, does not answer or is gone."""


class ExternalAnalyst:
    """A Hub engine as a child process. Hub knows one line a search; further ones are not asked for."""

    def __init__(self, command: str, options: tuple[tuple[str, str], ...] = ()) -> None:
        """Start the engine. Raises AnalystError."""
        self.options = dict(options)
        self.rules: Rules | None = None
        self.client = _Client()
        self.stopped = False
        self.lines_read: queue.Queue[str | None] = queue.Queue()
        try:
            words = shlex.split(command, posix=os.name == "posix")
            if not words:
                raise ValueError("empty command")
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # ^C is for us; the engine is told to stop
            )
        except (OSError, ValueError) as error:
            raise AnalystError(f"cannot start {command!r}: {error}") from None
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._send(self.client.hello())
            self._wait(lambda: self.client.stage is Stage.DECLARED, START_TIMEOUT, "does not introduce itself")
        except AnalystError:
            self.close()
            raise
        self.name = self.client.identity or command

    def _read(self) -> None:
        """The engine's lines, in a thread of their own; None at the end."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines_read.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        self.lines_read.put(None)

    def _send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError as error:
            raise AnalystError(f"the engine is gone: {error}") from None

    def _wait(self, ready: Callable[[], bool], seconds: float | None, problem: str) -> list[str]:
        """Take lines until `ready`; returns them. Raises AnalystError."""
        taken = []
        end = None if seconds is None else time.monotonic() + seconds
        while not ready():
            try:
                line = self.lines_read.get(timeout=None if end is None else max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AnalystError(f"the engine {problem} within {seconds:g} s") from None
            if line is None:
                raise AnalystError(f"the engine is gone (exit code {self.process.wait()})")
            self.client.receive(line)
            taken.append(line)
        return taken

    def lines(self, game: Game, limits: Limits, multipv: int) -> list[Report]:
        """Search; the score and line of the last `info` that has both."""
        rules = game.start.rules
        if rules != self.rules:
            self._send(self.client.configure(rules, self.options))
            self._wait(lambda: self.client.idle, START_TIMEOUT, "does not get ready")
            self.rules = rules
        asked = SearchLimits(depth=limits.depth, nodes=limits.nodes, move_time=limits.move_time)
        self._send(self.client.go(game.start, game.moves, asked))
        patience = None if limits.move_time is None else limits.move_time + GRACE
        taken = self._wait(lambda: self.client.idle, patience, "does not answer")
        if self.stopped:
            return []
        report = None
        for line in taken:
            report = self._report(line, game, report)
        answer = self.client.answer
        if report is None or answer is None:
            raise AnalystError(f"the engine gave no score in {game.position}")
        return [report]

    def _report(self, line: str, game: Game, before: Report | None) -> Report | None:
        """What an `info` line says, put upon what was known before."""
        parsed = parse_line(line)
        if parsed is None or parsed.command != "info":
            return before
        known = before or Report(0, 0, 0.0, 0, 0, 0.0, ())
        score, pv = parsed.real("score"), parsed.get("pv")
        if score is None and before is None:
            return None
        return replace(
            known,
            score=known.score if score is None else round(score * 100),
            depth=parsed.integer("depth") or known.depth,
            nodes=parsed.integer("nodes") or known.nodes,
            time=parsed.real("time") or known.time,
            pv=self._moves(pv, game) if pv else known.pv,
        )

    def _moves(self, text: str, game: Game) -> tuple[Move, ...]:
        """A PV as far as it is legal."""
        position = game.position
        moves = []
        with suppress(MoveError):
            for word in text.split():
                move = self.client.read_move(word, position)
                moves.append(move)
                position = position.play(move)
        return tuple(moves)

    def stop(self) -> None:
        self.stopped = True
        if self.client.stage is Stage.SEARCHING:
            with suppress(AnalystError):
                self._send(self.client.stop())

    def close(self) -> None:
        """End the process."""
        with suppress(AnalystError):
            self._send(self.client.quit())
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
