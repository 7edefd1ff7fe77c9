"""Any sequence of commands in any chunks: exactly one `done` for each `go`, nothing out of order, never a crash."""

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from protocol.hub1_server import Hub1Dialect
from protocol.hub_server import HubDialect
from protocol.phases import Phase
from tests.protocol.any_client import AnyClient
from tests.protocol.driver import Driver

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
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


class HubClient(AnyClient):
    """Any commands in any order."""

    dialect = HubDialect
    report = re.compile("info depth=")
    answer = "done"

    def __init__(self) -> None:
        super().__init__()
        self.pings = 0
        self.inits = 0

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

    @invariant()
    def nothing_is_answered_twice(self) -> None:
        assert self.answers <= self.goes
        assert self.driver.lines.count("pong") <= self.pings
        assert (self.driver.running is not None) == (self.driver.machine.phase in (Phase.SEARCHING, Phase.STOPPING))

    def teardown(self) -> None:
        self.settle()
        lines = self.driver.lines
        assert lines.count("pong") == self.pings
        assert lines.count("ready") == self.inits
        for before, after in pairwise(lines):
            if before.startswith("info"):
                assert after.startswith(("info", "done", "pong"))
        assert self.driver.send("ping") == ["pong"]


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
