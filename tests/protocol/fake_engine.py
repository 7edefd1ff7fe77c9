"""An engine whose searches do what a test says, for sessions without a real search."""

import threading
import time
from collections.abc import Callable

from engine import Control, Game, Limits, Mode, OptionError, Report, Result


class FakeEngine:
    """Reports twice, then plays the first legal move; with no limits it waits for `stop` or a ponder hit."""

    def __init__(self) -> None:
        self.breaks = False
        self.refuses: set[str] = set()
        self.problem: Exception | None = None
        self.preparing_takes = 0.0
        self.calls: list[str] = []
        self.threads: set[int] = set()

    def set_param(self, name: str, value: object) -> None:
        if name in self.refuses:
            raise OptionError(f"{name}: refused")
        self.calls.append(f"{name}={value}")

    def new_game(self) -> None:
        self.calls.append("new game")

    def prepare(self) -> None:
        self.calls.append("prepare")
        time.sleep(self.preparing_takes)
        if self.problem is not None:
            problem, self.problem = self.problem, None
            raise problem

    def take_problems(self) -> list[str]:
        return []

    def search(
        self, game: Game, limits: Limits, mode: Mode, on_report: Callable[[Report], None], control: Control
    ) -> Result:
        self.calls.append(mode)
        self.threads.add(threading.get_ident())
        move = game.legal_moves()[0]
        for depth in (1, 2):
            on_report(Report(depth, depth, float(depth), 5, 10 * depth, 0.01, (move,)))
        if self.breaks:
            raise ZeroDivisionError("the fake search broke")
        while not control.stopped and (limits.infinite or (mode == "ponder" and control.hit_at is None)):
            time.sleep(0.001)
        return Result(move, None, None)
