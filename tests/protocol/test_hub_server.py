"""The Hub server: what each line does in each state (hub.md), on the machine alone."""

import re

import pytest

from engine import Move, Report, Result
from protocol.actions import Configure, Prepare
from protocol.phases import Phase
from tests.protocol.driver import Driver, hub

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
LIDRAUGHTS_INFO = re.compile(
    r"^info depth=(\d+) mean-depth=(\S+) score=(\S+) nodes=(\d+)(?: time=(\S+))?(?: nps=(\S+))?"
    r' pv="?([0-9\-x ]+)"?(?: .*)?$'
)


# ---------------------------------------------------------------------- declaration and preparation
def test_declaration() -> None:
    lines = Driver().send("hub")
    assert lines[0].startswith("id name=damier version=")
    assert lines[0].endswith(' author="the damier project" country=none')
    assert lines[1].startswith('param name=variant value=normal type=enum values="normal killer bt frisian losing ')
    assert "param name=tt-size value=22 type=int min=10 max=30" in lines
    assert "param name=mandatory-capture value=true type=bool" in lines
    assert "param name=move-limit value=0 type=int min=0 max=10000" in lines
    assert "param name=repetition value=-1 type=int min=-1 max=10" in lines
    assert 'param name=square-order value=auto type=enum values="auto top pdn"' in lines
    assert 'param name=note value="" type=string' in lines
    assert lines[-1] == "wait"
    assert all(line.startswith("param ") for line in lines[1:-1])
    for line in lines[:-1]:
        assert "wait" not in line
        assert "ready" not in line


def test_the_declaration_shows_current_values() -> None:
    driver = hub()
    driver.send("set-param name=variant value=Bt", "set-param name=threads value=3")
    lines = driver.send("hub")
    assert any(line.startswith("param name=variant value=bt ") for line in lines)
    assert "param name=threads value=3 type=int min=1 max=64" in lines


def test_init_is_answered_every_time_and_prepares_only_after_a_change() -> None:
    driver = Driver()
    assert driver.send("init") == ["ready"]
    assert driver.send("init") == ["ready"]
    assert driver.prepared == 1
    assert driver.send("set-param name=tt-size value=20", "init") == ["ready"]
    assert driver.prepared == 2
    assert driver.configured == [("tt-size", 20)]


def test_a_burst_before_the_answers_loses_nothing() -> None:
    driver = Driver(slow=True)
    burst = ["hub", "set-param name=threads value=2", "init", f"pos pos={START}", "level depth=2", "go think", "ping"]
    assert driver.send(*burst)[-1] == "wait"
    assert driver.machine.phase is Phase.PREPARING
    assert driver.prepare() == ["ready", "pong"]
    assert driver.running is not None
    assert driver.running.limits.depth == 2
    assert driver.finish()[-1].startswith("done move=")


def test_go_prepares_by_itself() -> None:
    driver = Driver(slow=True)
    assert driver.send("pos start", "level depth=1", "go") == []
    assert driver.preparing
    assert driver.prepare() == []
    assert driver.running is not None


def test_memory_that_cannot_be_had() -> None:
    driver = hub()
    driver.slow = True
    driver.send("set-param name=tt-size value=30", "init")
    assert driver.prepare("no memory for 2^30 entries") == [
        'error message="no memory for 2^30 entries"',
        "ready",
    ]
    assert driver.configured == [("tt-size", 30), ("tt-size", 22)]
    assert driver.machine.settings.values["tt-size"] == 22


def test_parameters() -> None:
    driver = hub()
    for line in [
        "set-param name=initial-time value=60",
        "set-param name=eval value=pst",
        "set-param name=book value=false",
        "set-param name=threads value=8",
        "set-param name=threads value=900",
        'frobnicate a=b c="d e" f',
    ]:
        assert driver.send(line) == []
    assert driver.configured == [("book", False), ("threads", 8), ("threads", 64)]
    for line in [
        "set-param",
        "set-param name=variant",
        "set-param value=x",
        "set-param name=ponder value=none",
        "set-param name=variant value=chess960",
    ]:
        (answer,) = driver.send(line)
        assert answer.startswith("error message=")
    assert driver.send("ping") == ["pong"]


def test_a_refused_parameter_goes_back() -> None:
    driver = hub()
    driver.send("set-param name=threads value=4")
    asked = Configure("threads", 4, 1)
    assert driver._do(driver.machine.refused(asked, "no threads")) == ['error message="no threads"']
    assert driver.machine.settings.values["threads"] == 1


def test_a_refusal_in_a_burst_is_told_when_the_engine_is_idle() -> None:
    driver = hub(slow=True)
    driver.prepare()
    actions = driver.machine.receive(b"set-param name=threads value=2\nset-param name=threads value=4\ninit\n")
    assert actions == [Configure("threads", 2, 1), Configure("threads", 4, 2), Prepare()]
    assert driver.machine.refused(Configure("threads", 4, 2), "no threads") == []
    assert driver.prepare() == ['error message="no threads"', "ready"]
    assert driver.machine.settings.values["threads"] == 2
    driver.machine.receive(b"set-param name=threads value=4\nset-param name=threads value=3\n")
    driver._do(driver.machine.receive(b"go\n"))
    driver.prepare()
    assert driver._do(driver.machine.refused(Configure("threads", 4, 2), "no threads")) == []
    assert driver.finish() == ["done move=31-27 ponder=17-21", 'error message="no threads"']
    assert driver.machine.settings.values["threads"] == 3


# ---------------------------------------------------------------------- searching
def test_one_done_for_each_go() -> None:
    driver = hub()
    assert driver.send("pos start", "level depth=3", "go think") == []
    info = driver.report(depth=3)
    assert LIDRAUGHTS_INFO.match(info[0])
    assert driver.finish() == ["done move=31-27 ponder=17-21"]
    assert driver.send("stop", "ponder-hit", "stop") == []


def test_late_reports_are_not_written() -> None:
    driver = hub()
    driver.send("go")
    search = driver.running
    assert search is not None
    driver.finish()
    report = Report(1, 1, 1.0, 0, 1, 0.1, ())
    assert driver.machine.reported(report) == []


@pytest.mark.parametrize(
    "line",
    [
        "hub",
        "set-param name=threads value=2",
        "init",
        "pos start",
        "level depth=4",
        "new-game",
        "go",
        "legal",
        "state",
    ],
)
def test_a_command_stops_the_search_and_is_obeyed_after_its_done(line: str) -> None:
    driver = hub(slow=True)
    driver.prepare()
    driver.send("pos start", "level infinite", "go analyze")
    assert driver.send(line, "ping") == []
    assert driver.stopping
    lines = driver.finish()
    while driver.preparing:
        lines += driver.prepare()
    assert lines[0].startswith("done move=")
    assert [entry for entry in lines if entry.startswith("done")] == lines[:1]
    assert lines[-1] == "pong"
    if line == "go":
        assert driver.running is not None


@pytest.mark.parametrize("line", ["", "   ", "foo", "PING", "=x", '"', "Go analyze", "\x00\xff", "pong"])
@pytest.mark.parametrize("state", ["start", "new", "idle", "searching"])
def test_junk_changes_nothing(line: str, state: str) -> None:
    driver = Driver()
    if state != "start":
        driver.send("hub")
    if state in ("idle", "searching"):
        driver.send("init")
    if state == "searching":
        driver.send("go analyze")
    assert driver.send(line) == []
    assert not driver.stopping
    assert (driver.running is not None) == (state == "searching")
    assert driver.send("ping") == ["pong"]


def test_stop_is_obeyed_once() -> None:
    driver = hub(slow=True)
    driver.prepare()
    driver.send("level infinite", "go analyze")
    assert driver.send("stop", "stop", "stop") == []
    lines = driver.finish()
    assert len(lines) == 1
    assert lines[0].startswith("done move=")
    assert driver.machine.phase is Phase.IDLE


def test_two_go_in_a_row_give_two_done() -> None:
    driver = hub()
    lines = driver.send("level depth=1", "go", "go", "stop")
    assert [line.split()[0] for line in lines] == ["done", "done"]


def test_a_stop_behind_a_second_go_belongs_to_it() -> None:
    driver = hub(slow=True)
    driver.prepare()
    driver.send("go", "go", "stop")
    assert len(driver.finish()) == 1
    assert driver.running is not None
    assert driver.stopping
    assert len(driver.finish()) == 1
    assert driver.running is None


def test_ponder() -> None:
    driver = hub()
    driver.send("level time=5 inc=0.1", "go ponder")
    assert driver.running is not None
    assert driver.running.mode == "ponder"
    driver.send("ponder-hit", "ponder-hit")
    assert driver.hits == 1  # the second one finds a normal search
    assert driver.finish()[-1].startswith("done move=")


def test_an_early_answer_in_ponder_is_given_at_once_and_the_late_hit_swallowed() -> None:
    driver = hub()
    driver.send("go ponder")
    assert driver.finish()[-1].startswith("done move=")
    assert driver.send("ponder-hit", "stop") == []
    assert driver.hits == 0


def test_ponder_hit_without_ponder_is_ignored() -> None:
    driver = hub()
    driver.send("ponder-hit", "go think", "ponder-hit")
    assert driver.hits == 0


@pytest.mark.parametrize(
    ("flags", "mode"),
    [("", "think"), ("think", "think"), ("ponder", "ponder"), ("analyze", "analyze"), ("ponder analyze", "analyze")],
)
def test_flags_of_go(flags: str, mode: str) -> None:
    driver = hub()
    driver.send(f"go {flags}")
    assert driver.running is not None
    assert driver.running.mode == mode


def test_no_legal_move_is_a_bare_done() -> None:
    driver = hub()
    driver.send(
        "set-param name=variant value=english", "pos pos=Weeeeeeeeeeeeebeebeeeweeeeeeeeeee", "level move-time=1"
    )
    assert driver.send("go think") == ["done"]
    assert driver.send("go ponder", "go analyze") == ["done", "done"]
    assert driver.send("pos start", "level depth=2", "go think", "stop")[-1].startswith("done move=")
    assert len(driver.searches) == 1


def test_a_search_that_breaks_still_moves() -> None:
    driver = hub()
    driver.send("go think")
    lines = driver.finish(Result(None, None, None), "internal error: ZeroDivisionError: x")
    assert re.fullmatch(r"done move=\d+-\d+", lines[0])
    assert lines[1:] == ['error message="internal error: ZeroDivisionError: x"']


def test_only_legal_moves_leave_the_house() -> None:
    driver = hub()
    driver.send("go think")
    lines = driver.finish(Result(Move(1, 50), Move(50, 1), None))
    assert re.fullmatch(r"done move=(3[1-5])-\d+", lines[0])


def test_a_ponder_move_must_be_legal_after_the_move() -> None:
    driver = hub()
    driver.send("go think")
    legal = driver.game.legal_moves()
    assert driver.finish(Result(legal[0], legal[0], None)) == [f"done move={legal[0]}"]


def test_no_ponder_move_where_the_game_ends() -> None:
    driver = hub()
    driver.send("pos fen=W:W24,48:B30", "level time=300", "go think")
    info, done = driver.finish(with_report=True)
    assert info == "info depth=1 mean-depth=1.0 score=0.07 nodes=10 time=0.001 pv=24x35x30"
    assert done == "done move=24x35x30"


def test_quit_and_eof_leave_without_an_answer() -> None:
    for leave in ("quit", "eof"):
        for lines in ([], ["hub"], ["hub", "init"], ["hub", "init", "go analyze"], ["go"]):
            driver = Driver()
            driver.send(*lines)
            assert (driver.send("quit", "ping") if leave == "quit" else driver.eof()) == []
            assert driver.quit
            assert driver.machine.receive(b"ping\n") == []
            assert driver.machine.end_of_input() == []
            assert driver.machine.finished(Result(None, None, None)) == []


def test_quit_while_preparing_lets_ready_out() -> None:
    driver = Driver(slow=True)
    driver.send("init", "pos start", "quit", "ping")
    driver.eof()
    assert not driver.quit
    assert driver.prepare() == ["ready"]
    assert driver.quit


# ---------------------------------------------------------------------- levels
def test_levels_add_up_until_the_search_ends_or_a_position_comes() -> None:
    driver = hub()
    driver.send("level depth=5", "level nodes=1000", "level time=-0.4 inc=0.5", "level handicap=3 ply=1", "go")
    assert driver.running is not None
    limits = driver.running.limits
    assert (limits.depth, limits.nodes, limits.time, limits.inc, limits.infinite) == (5, 1000, -0.4, 0.5, False)
    driver.finish()
    driver.send("go")
    assert driver.running.limits.infinite
    driver.send("stop", "level depth=5", "pos start", "go")
    assert driver.running.limits.infinite


@pytest.mark.parametrize(
    ("level", "field", "value"),
    [
        ("depth=20level move-time=1", "depth", 20),
        ("depth=20level move-time=1", "move_time", 1.0),
        ("depth=abc", "depth", None),
        ("depth=abc", "infinite", True),
        ("depth=0", "depth", 1),
        ("depth=-3", "depth", 1),
        ("nodes=0", "nodes", 1),
        ("move-time=1e-05", "move_time", 1e-05),
        ("move-time=0.30000000000000004", "move_time", 0.30000000000000004),
        ("move-time=-1", "move_time", 0.0),
        ("move-time=nan", "infinite", True),
        ("moves=0 time=60", "moves", 0),
        ("moves=-2 time=60", "moves", 0),
        ("moves=20 time=60 inc=-1", "inc", 0.0),
        ("infinite", "infinite", True),
        ("infinite move-time=2", "infinite", False),
        ("nodes=99999999999999999999", "nodes", 10**15),
        ("depth =  7", "depth", 7),
    ],
)
def test_values_of_level(level: str, field: str, value: object) -> None:
    driver = hub()
    driver.send(f"level {level}", "go")
    assert driver.running is not None
    assert getattr(driver.running.limits, field) == value


def test_search_moves_of_level() -> None:
    driver = hub()
    driver.send('level search-moves="32-28 31-26 1-2 nonsense"', "go")
    assert driver.running is not None
    assert [move.hub() for move in driver.running.limits.search_moves] == ["32-28", "31-26"]


# ---------------------------------------------------------------------- info
def test_info_for_every_client() -> None:
    driver = hub()
    driver.send("go analyze")
    (line,) = driver.report(depth=9, score=-5, nodes=2_000_000, time=0.5)
    assert line == 'info depth=9 mean-depth=9.5 score=-0.05 nodes=2000000 time=0.500 nps=4.0 pv="31-27 17-21"'
    (line,) = driver.report(depth=1, score=9997, nodes=3, time=0.0, moves=1)
    assert line == "info depth=1 mean-depth=1.5 score=99.97 nodes=3 time=0.001 pv=31-27"
    (line,) = driver.report(depth=1, score=-8995, moves=0)
    assert line == "info depth=1 mean-depth=1.5 score=-89.95 nodes=100 time=0.010"
    driver.send("stop")
    driver.send("set-param name=multi-pv value=2", "go analyze")
    for number in (1, 2):
        (line,) = driver.report(depth=2, multipv=number)
        assert line.endswith(f' pv="31-27 17-21" multipv={number}')
    for line in driver.lines:
        assert all(word.count("=") == 1 for word in re.sub(r'"[^"]*"', "q", line).split()[1:])
