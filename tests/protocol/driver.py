"""A client and an engine for protocol machines, without I/O, clocks or threads."""

from collections.abc import Callable

from engine import PARAMS, Game, Param, Report, Result
from protocol.actions import Action, Compute, Configure, PonderHit, Prepare, Quit, Search, Stop, Write
from protocol.hub_server import HubDialect
from protocol.machine import Dialect, TextMachine

MORE_PARAMS = (
    Param(name="ponder", type="bool", default=False, help="whether the client ponders"),
    Param(name="bias", type="real", default=0.5, minimum=0.0, maximum=2.0, help="a real number"),
    Param(name="note", type="string", default="", help="any text"),
)


class Driver:
    """Feeds a machine and collects what it does. The engine prepares at once unless `slow`; searches run until
    `report`, `finish` or `stop` (which the engine obeys at once unless `slow`)."""

    def __init__(
        self,
        dialect: Callable[[TextMachine], Dialect] = HubDialect,
        *,
        slow: bool = False,
    ) -> None:
        self.machine = TextMachine(dialect, (*PARAMS.values(), *MORE_PARAMS))
        self.slow = slow
        self.lines: list[str] = []
        self.searches: list[Search] = []
        self.configured: list[tuple[str, object]] = []
        self.hits = 0
        self.prepared = 0
        self.new_games = 0
        self.preparing = False
        self.stopping = False
        self.running: Search | None = None
        self.quit = False

    # ------------------------------------------------------------------ the client
    def send(self, *lines: str) -> list[str]:
        """Send lines; returns what came back."""
        return self.feed("".join(line + "\n" for line in lines).encode())

    def feed(self, data: bytes) -> list[str]:
        """Send bytes; returns what came back."""
        return self._do(self.machine.receive(data, 1.0))

    def eof(self) -> list[str]:
        """Close the client's side."""
        return self._do(self.machine.end_of_input())

    # ------------------------------------------------------------------ the engine
    @property
    def game(self) -> Game:
        """The game that the running search got."""
        assert self.running is not None
        return self.running.game

    def report(self, depth: int = 1, score: int = 12, moves: int = 2, **fields: object) -> list[str]:
        """Report a line of legal moves, the first ones."""
        game = self.game.copy()
        line = []
        while len(line) < moves and game.legal_moves() and game.outcome is None:
            line.append(game.play(game.legal_moves()[0]))
        values: dict[str, object] = {
            "depth": depth,
            "seldepth": depth + 1,
            "mean_depth": depth + 0.5,
            "score": score,
            "nodes": 100 * depth,
            "time": 0.01 * depth,
            "pv": tuple(line),
        }
        report = Report(**(values | fields))  # type: ignore[arg-type]
        return self._do(self.machine.reported(report))

    def finish(self, result: Result | None = None, problem: str = "", *, with_report: bool = False) -> list[str]:
        """End the search, by default with the first legal move."""
        if result is None:
            game = self.game.copy()
            move = game.play(game.legal_moves()[0])
            reply = game.legal_moves()[0] if game.legal_moves() and game.outcome is None else None
            report = Report(1, 1, 1.0, 7, 10, 0.0, (move,) if reply is None else (move, reply))
            result = Result(move, reply, report if with_report else None)
        self.running = None
        self.stopping = False
        return self._do(self.machine.finished(result, problem))

    def prepare(self, problem: str = "") -> list[str]:
        """End the preparation."""
        self.preparing = False
        self.prepared += 1
        return self._do(self.machine.prepared(problem))

    # ------------------------------------------------------------------ inside
    def _do(self, actions: list[Action]) -> list[str]:
        written = []
        actions = list(actions)
        while actions:
            action = actions.pop(0)
            assert not self.quit, f"{action} after the end"
            match action:
                case Write(line):
                    assert "\n" not in line
                    written.append(line)
                    self.lines.append(line)
                case Configure(name, value, _):
                    self.configured.append((name, value))
                case Prepare(new_game):
                    assert self.running is None
                    assert not self.preparing
                    self.preparing = True
                    self.new_games += new_game
                    if not self.slow:
                        written += self.prepare()
                case Compute(work):
                    assert self.running is None
                    assert not self.preparing
                    actions += self.machine.computed(work())
                case Search():
                    assert self.running is None
                    assert not self.preparing
                    self.searches.append(action)
                    self.running = action
                case Stop():
                    assert self.running is not None
                    self.stopping = True
                    if not self.slow and not any(isinstance(later, Quit) for later in actions):
                        written += self.finish()
                case PonderHit():
                    assert self.running is not None
                    assert self.running.mode == "ponder"
                    self.hits += 1
                case Quit(when_prepared):
                    self.quit = not when_prepared
        return written


def hub(**fields: object) -> Driver:
    """A Hub server that is ready for its first position."""
    driver = Driver(HubDialect, **fields)  # type: ignore[arg-type]
    driver.send("hub", "init")
    driver.lines.clear()
    return driver
