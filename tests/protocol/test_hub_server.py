"""The Hub server: what each line does in each state (hub.md), on the machine alone."""

import re
from pathlib import Path

import pytest

from engine import Game, Move, Position, Report, Result, find_variant
from protocol.actions import Configure, Prepare
from protocol.hub_server import HubDialect
from protocol.phases import Phase
from tests.protocol.driver import Driver

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
START8 = "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"
LIDRAUGHTS_INFO = re.compile(
    r"^info depth=(\d+) mean-depth=(\S+) score=(\S+) nodes=(\d+)(?: time=(\S+))?(?: nps=(\S+))?"
    r' pv="?([0-9\-x ]+)"?(?: .*)?$'
)


def hub(**fields: object) -> Driver:
    driver = Driver(HubDialect, **fields)  # type: ignore[arg-type]
    driver.send("hub", "init")
    driver.lines.clear()
    return driver


def moves_of(answer: list[str]) -> set[str]:
    assert len(answer) == 1
    found = re.fullmatch(r'legal moves="?([^"]*)"?', answer[0])
    assert found is not None
    return set(found[1].split())


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


# ---------------------------------------------------------------------- positions
@pytest.mark.parametrize(
    "line",
    [
        "pos pos=Wbbb",
        f"pos pos=X{START[1:]}",
        f"pos pos={START[:-1]}x",
        f"pos pos={START8}",
        "pos pos=W" + "e" * 49 + "b",
        'pos pos=""',
        "pos fen=W:W99:B1",
        "pos fen=",
        'pos pdn=""',
        'pos pdn="[GameType \\"25\\"] 1. 32-28"',
        'pos pdn="[FEN \\"W:W99\\"] 1. 32-28"',
        f"pos pos={START} wolf=W33",
    ],
)
def test_a_bad_position_keeps_the_last_one(line: str) -> None:
    driver = hub()
    driver.send(f"pos pos={START} moves=32-28")
    (answer,) = driver.send(line)
    assert answer.startswith('error message="bad position')
    assert driver.machine.game.moves == [Move(32, 28)]
    driver.send("go")
    assert driver.game.moves == [Move(32, 28)]


def test_positions_that_are_odd_and_playable_are_taken() -> None:
    driver = hub()
    assert driver.send("pos pos=w" + START[1:]) == []
    assert driver.send("pos pos=W" + "b" + "e" * 33 + "w" + "e" * 15) == []
    assert driver.send("pos pos=W" + "e" * 40 + "w" + "e" * 9) == []  # nobody to play against
    assert driver.machine.game.legal_moves()


def test_pos_alone_and_start() -> None:
    driver = hub()
    for line in ("pos", "pos start", "pos moves=32-28", f'pos  moves = "32-28"  pos={START}'):
        driver.send(f"pos pos={START} moves=31-26", line)
        assert [str(move) for move in driver.machine.game.moves] == (["32-28"] if "32-28" in line else [])


@pytest.mark.parametrize(
    ("moves", "kind", "played"),
    [
        ("32-28 1-50", "illegal move 1-50 (move 2 of 2)", 1),
        ("32-28 19-23 28x19 bad 1-1", "bad move bad (move 4 of 5)", 3),
        ("32-99", "bad move 32-99 (move 1 of 1)", 0),
        ("28x19", "illegal move 28x19 (move 1 of 1)", 0),
    ],
)
def test_a_bad_move_keeps_the_legal_prefix(moves: str, kind: str, played: int) -> None:
    driver = hub()
    (answer,) = driver.send(f'pos pos={START} moves="{moves}"')
    assert answer.startswith(f'error message="{kind}')
    assert len(driver.machine.game.moves) == played


@pytest.mark.parametrize("text", ["28x19x23", "28x19", "28-19", "28:19", "28x23x19x23", "028x019x023"])
def test_captures_with_and_without_the_captured_square(text: str) -> None:
    driver = hub()
    answer = driver.send(f'pos pos={START} moves="32-28 19-23 {text}"')
    if text == "28x23x19x23":
        assert answer[0].startswith('error message="illegal move')
    else:
        assert answer == []
        assert moves_of(driver.send("legal")) == {"14x23x19", "13x24x19"}
        assert driver.machine.game.moves[-1] == Move(28, 19, (23,))


def test_victims_in_any_order() -> None:
    driver = hub()
    driver.send("set-param name=variant value=brazilian")
    position = "pos pos=Bbbbbebbbbbwbeeeewweeweeewwewwwww"
    for text in ("8x13x11x18x17", "8x13x11x17x18", "8x13x18x17x11"):
        driver.send("pos start", f'{position} moves="{text}"')
        assert [str(move) for move in driver.machine.game.moves] == ["8x13x11x17x18"]


def test_numbers_read_as_landing_squares_if_no_capture_fits() -> None:
    driver = hub()
    position = "pos fen=W:WK47:B38,29,13"
    driver.send(position)
    moves = moves_of(driver.send("legal"))
    assert "47x8x13x29x38" in moves
    assert driver.send(position + " moves=47x33x24x8") == []
    assert [str(move) for move in driver.machine.game.moves] == ["47x8x13x29x38"]


def test_fen_pdn_wolf() -> None:
    driver = hub()
    assert driver.send('pos fen="W:W31-50:B1-20" moves="32-28 19-23"') == []
    assert len(driver.machine.game.moves) == 2
    assert (
        driver.send('pos pdn="[Event \\"x\\"] 1. 32-28! 19-23 2. 28x19 {a (b) c} (2. 28-22 17x28) 14x23 $1 1-1"') == []
    )
    assert [str(move) for move in driver.machine.game.moves] == ["32-28", "19-23", "28x19x23", "14x23x19"]
    assert driver.send('pos pdn="[FEN \\"B:W32:B19\\"] 1... 19-24 2. 32-28"') == []
    assert [str(move) for move in driver.machine.game.moves] == ["19-24", "32-28"]
    (answer,) = driver.send('pos pdn="1. 32-28 19-24 2. 1-2"')
    assert answer.startswith('error message="illegal move 1-2 (move 3 of 3)')
    driver.send("set-param name=variant value=frisian")
    assert (
        driver.send("pos pos=W" + "e" * 6 + "B" + "e" * 25 + "W" + "e" * 12 + "w" + "e" * 4 + ' wolf="W33=2 B7=1"')
        == []
    )
    assert driver.machine.game.position.king_runs == ((33, 2), (7, 1))


def test_russian_pdn() -> None:
    driver = hub()
    driver.send("set-param name=variant value=russian")
    assert driver.send('pos pdn="1. c3-d4 d6-c5 2. b2-c3 f6-g5"') == []
    assert [str(move) for move in driver.machine.game.moves] == ["22-18", "10-14", "25-22", "11-16"]


# ---------------------------------------------------------------------- variants and what clients mean by numbers
def test_every_variant_starts_and_answers_in_hub_numbers() -> None:
    driver = hub()
    for name in driver.machine.settings.params["variant"].values:
        driver.send(f"set-param name=variant value={name}", "pos start")
        rules = find_variant(name)
        position = Position.start(rules)
        assert driver.machine.game.position == position
        assert moves_of(driver.send("legal")) == {move.hub() for move in position.legal_moves()}
        assert driver.send("state") == [f"state turn={rules.starts.letter} result=*"]
        text = position.hub()
        driver.send("pos fen=" + position.fen(), f"pos pos={text}")
        assert driver.machine.game.position == position


def test_square_order_is_found_out_by_the_moves() -> None:
    driver = hub()
    driver.send("set-param name=variant value=russian", f"pos pos={START8}")
    assert "21-17" in moves_of(driver.send("legal"))
    assert driver.send(f"pos pos={START8} moves=9-13") == []
    assert [str(move) for move in driver.machine.game.moves] == ["21-17"]
    assert "21-17" in moves_of(driver.send("legal"))  # Black's moves, now counted from a1
    assert driver.send(f'pos pos={START8} moves="9-13 21-17"') == []
    driver.send("level depth=1", "go think")
    move, ponder = (int(number) for number in re.findall(r"=(\d+)[-x]", driver.finish()[-1]))
    assert move <= 13
    assert ponder >= 17
    assert driver.send(f"pos pos={START8} moves=21-17") == []  # and back
    assert [str(move) for move in driver.machine.game.moves] == ["21-17"]


def test_square_order_can_be_fixed() -> None:
    driver = hub()
    driver.send("set-param name=variant value=brazilian", "set-param name=square-order value=pdn", "pos start")
    assert "9-13" in moves_of(driver.send("legal"))
    (answer,) = driver.send("pos start moves=21-17")
    assert "illegal move" in answer
    driver.send("set-param name=square-order value=top", "pos start")
    assert "21-17" in moves_of(driver.send("legal"))
    (answer,) = driver.send("pos start moves=9-13")
    assert "illegal move" in answer
    driver.send("set-param name=square-order value=auto")
    assert driver.send("pos start moves=9-13") == []


def test_an_inverted_side_letter_is_found_out() -> None:
    driver = hub()
    driver.send("set-param name=variant value=english", f"pos pos={START8}", "level depth=1", "go think")
    assert re.match(r"done move=2\d-", driver.finish()[-1])  # nothing speaks against White
    assert driver.send(f"pos pos={START8} moves=12-16") == []
    assert driver.send("state") == ["state turn=W result=*"]
    driver.send("pos pos=B" + "e" * 7 + "b" + "e" * 16 + "w" + "e" * 7, "go think")  # the same client: White's turn
    assert driver.finish()[-1].startswith("done move=25-")
    driver.send("pos pos=B" + START8[1:])
    assert driver.send("state") == ["state turn=B result=*"]
    driver.send("pos pos=B" + "e" * 7 + "b" + "e" * 16 + "w" + "e" * 7)
    assert driver.send("state") == ["state turn=B result=*"]


def test_a_client_that_counts_as_pdn_also_inverts_the_side_letter() -> None:
    driver = hub()
    driver.send("set-param name=variant value=english", "set-param name=square-order value=pdn")
    driver.send(f"pos pos={START8}", "level depth=1", "go think")
    assert re.match(r"done move=(9|1\d)-", driver.finish()[-1])
    driver.send("pos pos=B" + START8[1:])
    assert driver.send("state") == ["state turn=B result=*"]


def test_state_names_the_rule() -> None:
    driver = hub()
    driver.send("pos fen=B:W32:B")
    assert driver.send("state", "legal") == ["state turn=B result=1-0 reason=no-moves", 'legal moves=""']
    shuffle = "31-26 19-23 26-31 23-19"
    assert (
        driver.send("pos pos=W" + "e" * 18 + "B" + "e" * 11 + "W" + "e" * 18 + "w" + f' moves="{shuffle} {shuffle}"')
        == []
    )
    assert driver.send("state") == ["state turn=W result=1/2-1/2 reason=repetition"]
    driver.send("go")
    assert driver.running is not None  # the rules do not stop the root


def test_house_rules_apply_to_the_game_on_the_board() -> None:
    driver = hub()
    driver.send("set-param name=variant value=english", "pos start moves=11-15", "set-param name=move-limit value=1")
    assert [str(move) for move in driver.machine.game.moves] == ["11-15"]
    assert driver.send("state") == ["state turn=W result=1/2-1/2 reason=move-limit"]
    driver.send("set-param name=move-limit value=0")
    assert driver.send("state") == ["state turn=W result=*"]
    driver.send('pos start moves="11-15 22-18"')
    before = moves_of(driver.send("legal"))
    assert before == {"15x22x18"}
    driver.send("set-param name=mandatory-capture value=false")
    assert before < moves_of(driver.send("legal"))
    driver.send("set-param name=variant value=normal")
    assert driver.machine.game.position.hub() == Position.start("international").hub()


def test_a_long_game_is_replayed() -> None:
    driver = hub()
    shuffle = ["31-26", "19-23", "26-31", "23-19"]
    moves = " ".join(shuffle * 75)
    text = "pos pos=W" + "e" * 18 + "B" + "e" * 11 + "W" + "e" * 18 + f'w moves="{moves}"'
    assert driver.send(text) == []
    assert len(driver.machine.game.moves) == 300


# ---------------------------------------------------------------------- chunks
SESSION = [
    "hub",
    "set-param name=threads value=2",
    "init",
    f"pos pos={START}",
    "level depth=3",
    "go think",
    "ping",
    "stop",
    "state",
    "legal",
    f'pos pos={START} moves="32-28 19-23 28x19"',
    "go ponder",
    "ponder-hit",
    "pos start",
    "ping",
]


def test_answers_do_not_depend_on_chunks_line_ends_or_junk_between() -> None:
    whole = hub().send(*SESSION)
    wire = "".join(line + "\n" for line in SESSION).encode()
    driver = hub()
    assert [line for byte in wire for line in driver.feed(bytes([byte]))] == whole
    assert hub().feed(wire.replace(b"\n", b"\r\n")) == whole
    assert hub().feed(wire.replace(b"\n", b"\n\n \nfoo bar=1\nx\xff\xfe\n")) == whole
    assert hub().feed(wire.replace(b" ", b"  \t")) == hub().feed(wire)


def test_pacing_ends_when_the_client_sets_a_parameter() -> None:
    driver = Driver()
    driver.send("hub", "init")
    assert driver.machine.paced
    driver.send("set-param name=book value=false")
    assert not driver.machine.paced


def test_data_of_the_malformed_transcript() -> None:
    """Every line that was sent to Scan in the recorded session of bad input, in each state: no crash, one answer."""
    path = Path(__file__).parent.parent / "data" / "transcripts" / "hub_scan31_malformed.txt"
    for session in path.read_text(encoding="utf-8").split("-----"):
        driver = Driver()
        goes = 0
        for line in session.splitlines():
            if line.startswith("> ") and "<EOF>" not in line and line[2:].strip() != "quit":
                goes += line[2:].split()[:1] == ["go"]
                driver.send(line[2:].replace("\\r\\n", "\r"))
        driver.send("stop", "ping")
        assert driver.lines[-1] == "pong"
        assert sum(line.startswith("done") for line in driver.lines) == goes
        for line in driver.lines:
            assert (
                not line.startswith("error")
                or "bad" in line
                or "illegal" in line
                or "set-param" in line
                or "book" in line
            )


def test_game_is_the_clients_own() -> None:
    game = Game(Position.start("international"))
    assert game.legal_moves()
    driver = hub()
    driver.send("go")
    assert driver.game is driver.machine.game
