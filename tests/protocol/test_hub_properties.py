"""Any sequence of commands in any chunks: exactly one `done` for each `go`, nothing out of order, never a crash."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine import Result
from protocol.hub1_server import Hub1Dialect
from protocol.hub_server import HubDialect
from protocol.phases import Phase
from tests.protocol.driver import Driver

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
VOCABULARY = """hub init new-game pos level go stop ping ponder-hit set-param legal state think ponder analyze
    depth nodes time inc moves infinite start pos= fen= pdn= moves= name=variant value=russian = " \\
    32-28 19-23 1-1 9-13 W:W31-50:B1-20 name=tt-size value=99 name=square-order value=pdn -0.4 1e5"""
VOCABULARY = """hub init new-game pos level go stop ping ponder-hit set-param legal state think ponder analyze
    depth nodes time inc moves infinite start pos= fen= pdn= moves= name=variant value=russian = " \\ -0.4 1e5
    32-28 19-23 1-1 9-13 W:W31-50:B1-20 name=tt-size value=99 name=square-order value=pdn"""
WORDS = st.sampled_from(
    [
        *VOCABULARY.split(),
        "pos=" + START,
        "\x00",
        "é",
        "value=none",
        "name=mandatory-capture",
    ]
)
COMMANDS = st.sampled_from(
    [
        "hub",
        "init",
        "new-game",
        "pos start",
        f"pos pos={START}",
        f'pos pos={START} moves="32-28 19-23"',
        "pos pos=W" + "e" * 49 + "w",  # nobody to play against
        "pos fen=B:W32:B",  # nothing to move
        "pos pos=bad",
        "level depth=3",
        "level infinite",
        "set-param name=variant value=english",
        "set-param name=variant value=normal",
        "set-param name=tt-size value=20",
        "set-param name=mandatory-capture value=false",
        "legal",
        "state",
        "foo",
        "",
    ]
)


class HubClient(RuleBasedStateMachine):
    """A client that sends whatever it likes, an engine that answers whenever it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = Driver(HubDialect, slow=True)
        self.goes = 0
        self.pings = 0
        self.inits = 0
        self.pending = b""

    def put(self, line: str) -> None:
        self.pending += line.encode() + b"\n"

    @rule(line=COMMANDS)
    def command(self, line: str) -> None:
        self.inits += line == "init"
        self.put(line)

    @rule(words=st.lists(WORDS.filter(lambda word: word not in ("go", "ping", "init")), max_size=6))
    def words(self, words: list[str]) -> None:
        self.put(" ".join(["x", *words]) if words and words[0] in ("quit",) else " ".join(words))

    @rule(flag=st.sampled_from(["", " think", " ponder", " analyze", " ponder analyze", " junk=1"]))
    def go(self, flag: str) -> None:
        self.goes += 1
        self.put("go" + flag)

    @rule()
    def ping(self) -> None:
        self.pings += 1
        self.put("ping")

    @rule(line=st.sampled_from(["stop", "ponder-hit"]))
    def steer(self, line: str) -> None:
        self.put(line)

    @rule(size=st.integers(1, 200))
    def deliver(self, size: int) -> None:
        self.driver.feed(self.pending[:size])
        self.pending = self.pending[size:]

    @precondition(lambda self: self.driver.preparing)
    @rule(problem=st.sampled_from(["", "no memory"]))
    def engine_prepared(self, problem: str) -> None:
        self.driver.prepare(problem)

    @precondition(lambda self: self.driver.running is not None)
    @rule()
    def engine_reports(self) -> None:
        assert all(line.startswith("info depth=") for line in self.driver.report())

    @precondition(lambda self: self.driver.running is not None)
    @rule(broken=st.booleans())
    def engine_finishes(self, broken: bool) -> None:
        self.driver.finish(Result(None, None, None) if broken else None, "broken" if broken else "")

    @invariant()
    def nothing_is_answered_twice(self) -> None:
        lines = self.driver.lines
        assert sum(line.startswith("done") for line in lines) <= self.goes
        assert lines.count("pong") <= self.pings
        assert (self.driver.running is not None) == (self.driver.machine.phase in (Phase.SEARCHING, Phase.STOPPING))

    def teardown(self) -> None:
        """In the end everything has been answered."""
        driver = self.driver
        driver.feed(self.pending + b"\nstop\n")
        while driver.running is not None or driver.preparing:
            driver.prepare() if driver.preparing else driver.finish()
        assert driver.machine.phase is Phase.IDLE
        assert sum(line.startswith("done") for line in driver.lines) == self.goes
        assert driver.lines.count("pong") == self.pings
        assert driver.lines.count("ready") == self.inits
        self.infos_stand_between_go_and_done(driver.lines)
        assert driver.send("ping") == ["pong"]

    @staticmethod
    def infos_stand_between_go_and_done(lines: list[str]) -> None:
        for before, after in pairwise(lines):
            if before.startswith("info"):
                assert after.startswith(("info", "done", "pong"))


HubClient.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestHubClient = HubClient.TestCase


@given(st.lists(st.binary(max_size=40) | WORDS.map(str.encode) | st.sampled_from([b" ", b"\n", b"\r\n"]), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes(pieces: list[bytes]) -> None:
    for dialect in (HubDialect, Hub1Dialect):
        driver = Driver(dialect)
        for piece in pieces:
            if driver.quit:
                break
            driver.feed(piece)
        if not driver.quit:
            driver.feed(b"\nstop\nping\n")
            assert driver.lines[-1] == "pong"
