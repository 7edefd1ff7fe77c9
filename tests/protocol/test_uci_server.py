"""The UCI dialect: what each line does (ucilike.md), on the machine alone."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from engine import Move, Position, Result, find_variant
from engine.moves import perft
from protocol.auto import AutoDialect, choose
from protocol.hub1_server import Hub1Dialect
from protocol.phases import Phase
from protocol.uci_server import UciDialect, score_text
from tests.protocol.any_client import AnyClient
from tests.protocol.driver import Driver

FOLDER = Path(__file__).resolve().parent.parent / "data" / "transcripts"
INFO = re.compile(
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp -?\d+|mate -?[1-9]\d*) nodes \d+ nps \d+ hashfull \d+"
    r" tbhits \d+ time \d+( pv \S+( \S+)*)?$"
)


def uci(*lines: str, slow: bool = False) -> Driver:
    driver = Driver(UciDialect)
    driver.send("uci", "isready", *lines)
    driver.lines.clear()
    driver.slow = slow
    return driver


def started(driver: Driver, line: str) -> Driver:
    assert driver.send(line) == []
    assert driver.running is not None
    return driver


# ---------------------------------------------------------------------- handshake and options
def test_declaration_is_complete() -> None:
    lines = Driver(UciDialect).send("uci")
    assert lines[0].startswith("id name damier ")
    assert lines[1].startswith("id author ")
    assert lines[-1] == "uciok"
    names = []
    for line in lines[2:-1]:
        found = re.fullmatch(r"option name (.+) type (check|spin|combo|button|string)(.*)", line)
        assert found is not None, line
        name, kind, rest = found.groups()
        names.append(name)
        pattern = {
            "check": r" default (true|false)",
            "spin": r" default -?\d+ min -?\d+ max -?\d+",
            "combo": r" default (\S+)( var \S+)+",
            "button": "",
            "string": r" default .+",
        }[kind]
        assert re.fullmatch(pattern, rest), line
        if kind == "combo":
            assert f" var {rest.split()[1]}" in rest
    assert len({name.lower() for name in names}) == len(names)
    assert {"MultiPV", "Hash", "Threads", "Ponder", "UCI_Variant", "UCI_AnalyseMode", "UCI_MoveFormat"} <= set(names)
    assert {"Move Overhead", "Clear Hash"} <= set(names)
    assert "option name Hash type spin default 64 min 1 max 16384" in lines
    assert "option name Move Overhead type spin default 30 min 0 max 5000" in lines


@pytest.mark.parametrize(
    ("option", "configured"),
    [
        ("name Hash value 64", ("tt-size", 22)),
        ("name hash value 100", ("tt-size", 22)),
        ("name Hash value 1", ("tt-size", 16)),
        ("name Hash value 99999999", ("tt-size", 30)),
        ("name tt-size value 12", ("tt-size", 12)),
        ("name Threads value 256", ("threads", 64)),
        ("name Threads value -1", ("threads", 1)),
        ("name move overhead value 100", ("move-overhead", 100)),
        ("name MultiPV value 3", ("multi-pv", 3)),
        ("name Ponder value true", ("ponder", True)),
        ("name UCI_Variant value checkers", ("variant", "english")),
        ("name uci_variant value 25", ("variant", "russian")),
        ("name move-limit value 100", ("move-limit", 100)),
    ],
)
def test_options(option: str, configured: tuple[str, object]) -> None:
    driver = uci()
    assert driver.send(f"setoption {option}") == []
    assert driver.configured[-1] == configured


@pytest.mark.parametrize(
    "option",
    [
        "name Foo Bar value 3",
        "name Foo",
        "name Hash value big",
        "name Hash",
        "name UCI_Variant value chess960",
        "name Ponder value yes",
        "name UCI_MoveFormat value long",
        "",
        "value 3",
    ],
)
def test_bad_options_are_told_and_keep_the_old_value(option: str) -> None:
    driver = uci()
    before = dict(driver.machine.settings.values)
    (answer,) = driver.send(f"setoption {option}")
    assert answer.startswith("info string error: ")
    assert driver.machine.settings.values == before


def test_variant_resets_the_position() -> None:
    driver = uci("position startpos moves 32-28", "setoption name UCI_Variant value chess")
    assert driver.machine.game.position == Position.start("international")
    driver.send("setoption name UCI_Variant value bt")
    assert driver.machine.settings.rules.name == "breakthrough"


def test_isready_waits_for_what_came_before() -> None:
    driver = Driver(UciDialect, slow=True)
    driver.send("uci", "setoption name Hash value 1", "ucinewgame", "isready")
    assert driver.lines[-1] == "uciok"
    assert driver.prepare() == ["readyok"]
    assert driver.new_games == 1


# ---------------------------------------------------------------------- framing
def test_blanks_line_ends_and_leading_words() -> None:
    driver = Driver(UciDialect)
    assert driver.feed(b"uci\r\n")[-1] == "uciok"
    assert driver.feed(b"  isready  \n") == ["readyok"]
    assert driver.feed(b"\tgo\tdepth 1\r\n\n") == []
    assert driver.finish()[-1].startswith("bestmove ")
    assert driver.feed(b"please isready\n") == ["readyok"]
    assert driver.feed(b"UCI\n") == ["info string unknown command: UCI"]
    driver.feed(b"position startpos moves " + b"32-28 19-23 28x19 14x23 " * 1 + b"37-32 " * 4000 + b"\n")
    assert len(driver.machine.game.moves) == 5


def test_the_first_line_chooses() -> None:
    for line in ("uci", "isready", "position startpos", "setoption name Hash value 1", "go wtime 100", "d"):
        assert choose(line) is UciDialect
    for line in ("hub", "init", "pos start", "level infinite", "go", "go think", "ping"):
        assert choose(line) is not UciDialect
    assert choose("variant russian") is Hub1Dialect
    driver = Driver(AutoDialect)
    assert driver.send("position startpos moves ", "go wtime 1000 btime 1000") == []
    assert driver.finish()[-1].startswith("bestmove ")


# ---------------------------------------------------------------------- positions
def test_moves_with_nothing_behind() -> None:
    driver = uci()
    assert driver.send("position startpos moves", "position startpos moves ") == []
    assert driver.machine.game.moves == []


@pytest.mark.parametrize(
    "fen",
    [
        "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27",
        "",
        "W:W99:B1",
        "Wbbb",
    ],
)
def test_a_bad_fen_keeps_the_position(fen: str) -> None:
    driver = uci("position startpos moves 32-28")
    (answer,) = driver.send(f"position fen {fen}")
    assert answer.startswith("info string error: bad fen")
    assert driver.machine.game.moves == [Move(32, 28)]
    started(driver, "go btime 100")
    assert driver.finish()[-1].startswith("bestmove ")


def test_an_illegal_move_keeps_the_prefix() -> None:
    driver = uci()
    assert driver.send("position startpos moves e2e4 e7e5")[0].startswith("info string error: illegal move e2e4 (1)")
    assert driver.send("position startpos moves 32-28 19-23 1-2 3-4")[0].startswith(
        "info string error: illegal move 1-2 (3)"
    )
    assert len(driver.machine.game.moves) == 2
    assert driver.send("position")[0].startswith("info string error: ")


@pytest.mark.parametrize("text", ["32-28", "32x28", "32:28", "3228", "032-028"])
def test_moves_are_read_in_every_form(text: str) -> None:
    driver = uci(f"position startpos moves {text}")
    assert driver.machine.game.moves == [Move(32, 28)]


@pytest.mark.parametrize("text", ["28x19", "28-19", "28x19x23", "2819", "28:19"])
def test_captures_are_read_in_every_form(text: str) -> None:
    driver = uci(f"position startpos moves 32-28 19-23 {text}")
    assert driver.machine.game.moves[-1] == Move(28, 19, (23,))


def test_fens_of_every_kind() -> None:
    start = Position.start("international")
    for fen in ("W:W31-50:B1-20", start.hub(), "startpos", start.fen(), "W:W31-50:B1-20:H0:F1"):
        driver = uci("position startpos moves 32-28", f"position fen {fen}")
        assert driver.machine.game.position == start
        assert driver.machine.game.moves == []


@pytest.mark.parametrize(
    ("form", "quiet", "capture"),
    [
        ("short", "c3-d4", "d4xf6"),
        ("hub", "22-18", "18x11x15"),
        ("path", "c3-d4", "d4xf6"),
        ("coordinate", "c3d4", "d4f6"),
    ],
)
def test_move_formats(form: str, quiet: str, capture: str) -> None:
    driver = uci("setoption name UCI_Variant value russian", f"setoption name UCI_MoveFormat value {form}")
    started(driver, "go depth 1")
    assert driver.finish(Result(Move(22, 18), None, None))[-1] == f"bestmove {quiet}"
    driver.send("position startpos moves c3-d4 d6-c5 b2-c3 f6-e5")
    started(driver, "go depth 1")
    assert driver.finish(Result(Move(18, 11, (15,)), None, None))[-1] == f"bestmove {capture}"
    for name in ("c3-d4", "22-18", "c3d4", "c3:d4"):
        driver.send(f"position startpos moves {name}")
        assert driver.machine.game.moves == [Move(22, 18)]


def test_captured_squares_only_where_the_ends_are_not_enough() -> None:
    fen = "W:WK47:B38,20,9,13"
    driver = uci(f"position fen {fen}", "setoption name UCI_MoveFormat value hub")
    hub = driver.send("legalmoves")[0].split()
    driver.send("setoption name UCI_MoveFormat value short")
    short = driver.send("legalmoves")[0].split()
    assert len(set(short)) == len(hub)
    for text in hub + short:
        assert driver.send(f"position fen {fen} moves {text}") == []


def test_numbers_of_boards_that_are_counted_from_below() -> None:
    """Spanish numbers in moves are those of the FEN; in the Hub format those of the Hub string."""
    driver = uci("setoption name UCI_Variant value spanish")
    own = driver.send("legalmoves")[0].split()
    driver.send("setoption name UCI_MoveFormat value hub")
    hub = driver.send("legalmoves")[0].split()
    assert set(own) != set(hub)
    rules = find_variant("spanish")
    for text in own:
        frm, to = text.split("-")
        driver.send(f"position startpos moves {text}")
        assert driver.machine.game.moves in (
            [Move(rules.number_square(int(frm)), rules.number_square(int(to)))],
            [Move(int(frm), int(to))],
        )


# ---------------------------------------------------------------------- go
@pytest.mark.parametrize(
    ("go", "expected"),
    [
        ("", {"infinite": True}),
        ("infinite", {"infinite": True}),
        ("depth 5", {"depth": 5, "infinite": False}),
        ("depth 999", {"depth": 999}),
        ("nodes 1", {"nodes": 1}),
        ("movetime 200", {"move_time": 0.2}),
        ("movetime 200 depth 7 nodes 10", {"move_time": 0.2, "depth": 7, "nodes": 10}),
        ("wtime 50 btime 60 winc 5000 binc 7", {"time": 0.05 - 5, "inc": 5.0}),
        ("wtime -250 btime 99999999999999", {"time": -0.25, "inc": 0.0}),
        ("btime 3000 movestogo 5", {"move_time": 0.1, "moves": 5}),
        ("wtime 1000 movestogo 5", {"time": 1.0, "moves": 5}),
        ("mate 3", {"depth": 11}),
        ("foo 3 depth 5 bar", {"depth": 5}),
        ("depth x nodes 7", {"depth": None, "nodes": 7}),
        ("foo 3", {"move_time": 1.0, "infinite": False}),
    ],
)
def test_limits(go: str, expected: dict[str, object]) -> None:
    driver = uci()
    answers = driver.send(f"go {go}")
    assert all(answer.startswith("info string ") for answer in answers)
    assert driver.running is not None
    for name, value in expected.items():
        assert getattr(driver.running.limits, name) == pytest.approx(value)


def test_black_uses_its_own_clock_also_where_it_begins() -> None:
    driver = uci("setoption name UCI_Variant value english")
    started(driver, "go wtime 1000 btime 7000 winc 1 binc 500")
    assert driver.running is not None
    assert driver.running.limits.time == 6.5


def test_searchmoves() -> None:
    driver = uci()
    (note,) = driver.send("go depth 3 searchmoves 1-50 32-28 3127 infinite")
    assert note.startswith("info string searchmoves: ")
    assert driver.running is not None
    assert driver.running.limits.search_moves == (Move(32, 28), Move(31, 27))
    driver.send("stop", "go searchmoves 1-50 depth 2")
    assert driver.running.limits.search_moves == ()
    assert driver.running.limits.depth == 2


def test_searchmoves_are_read_as_moves_are_written() -> None:
    driver = uci()
    driver.send("setoption name UCI_Variant value spanish")
    for name in ("hub", "short"):
        driver.send(f"setoption name UCI_MoveFormat value {name}")
        first = driver.send("legalmoves")[0].split()[0]
        driver.send(f"go searchmoves {first} depth 2")
        assert driver.running is not None
        assert driver.running.limits.search_moves == driver.machine.game.legal_moves()[:1]
        driver.send("stop")


def test_infinite_and_ponder_hold_the_answer_back() -> None:
    driver = uci()
    started(driver, "go infinite")
    assert driver.finish() == []
    lines = driver.send("isready", "stop", "stop")
    assert lines[0] == "readyok"
    assert [line.split()[0] for line in lines[1:]] == ["info", "bestmove"]
    started(driver, "go ponder depth 1")
    assert driver.finish() == []
    assert driver.machine.phase is Phase.SEARCHING
    assert driver.send("ponderhit")[-1].startswith("bestmove ")
    assert driver.send("ponderhit", "stop") == []
    started(driver, "go ponder wtime 1000 btime 1000")
    driver.send("ponderhit")
    assert driver.hits == 1
    assert driver.finish()[-1].startswith("bestmove ")
    started(driver, "go ponder depth 1")
    assert driver.finish() == []
    lines = driver.send("position startpos moves 32-28", "isready")
    assert [line.split()[0] for line in lines] == ["info", "bestmove", "readyok"]


def test_no_legal_move() -> None:
    driver = uci("setoption name UCI_Variant value english")
    driver.send("position fen W:W21:B17,14")
    assert driver.send("go depth 12") == ["info depth 0 score mate 0", "bestmove (none)"]
    assert driver.send("go infinite") == []
    assert driver.send("stop")[-1] == "bestmove (none)"
    driver.send("position startpos")
    started(driver, "go depth 2")
    assert driver.finish()[-1].startswith("bestmove ")


def test_commands_during_a_search_are_obeyed_after_its_bestmove() -> None:
    driver = uci(slow=True)
    started(driver, "go infinite")
    driver.send(
        "ucinewgame", "setoption name Threads value 4", "position startpos moves 32-28", "go depth 5", "isready"
    )
    assert driver.stopping
    lines = driver.finish()
    assert lines[-1].startswith("bestmove 3")
    assert driver.configured[-1] != ("threads", 4)
    driver.prepare()
    while driver.preparing:
        driver.prepare()
    assert driver.configured[-1] == ("threads", 4)
    assert driver.lines[-1] == "readyok"
    assert driver.running is not None
    assert driver.game.moves == [Move(32, 28)]


def test_ponder_move_is_legal_or_left_out() -> None:
    driver = uci()
    started(driver, "go depth 4")
    assert driver.finish(Result(Move(32, 28), Move(32, 28), None))[-1] == "bestmove 32-28"
    driver.send("position fen W:W24,48:B30")
    started(driver, "go depth 4")
    assert driver.finish()[-1] == "bestmove 24x35"


def test_info() -> None:
    driver = uci()
    started(driver, "go infinite")
    (line,) = driver.report(depth=9, score=-5, nodes=2_000_000, time=0.5)
    assert line == (
        "info depth 9 seldepth 10 multipv 1 score cp -5 nodes 2000000 nps 4000000 hashfull 0 tbhits 0 time 500"
        " pv 31-27 17-21"
    )
    assert INFO.match(line)
    assert INFO.match(driver.report(score=9997, moves=0, multipv=3)[0])


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (0, "cp 0"),
        (-7900, "cp -7900"),
        (9999, "mate 1"),
        (9997, "mate 2"),
        (-9998, "mate -1"),
        (-9996, "mate -2"),
        (9000 - 12, "cp 19988"),
        (-(9000 - 12), "cp -19988"),
        (10000, "mate 1"),
    ],
)
def test_scores(score: int, text: str) -> None:
    assert score_text(score) == text


# ---------------------------------------------------------------------- extensions
def test_extensions_end_in_an_empty_line() -> None:
    driver = uci("position startpos moves 32-28")
    assert driver.send("fen") == [driver.machine.game.position.fen(), ""]
    for command in ("d", "eval", "legalmoves", "perft 3", "go perft 3"):
        lines = driver.send(command)
        assert lines[-1] == ""
        assert "" not in lines[:-1]
    assert driver.send("perft 3")[-2] == f"nodes {perft(driver.machine.game.position, 3)}"
    assert driver.send("perft x", "perft -1", "perft") == ["info string error: perft takes a depth"] * 3
    lines = driver.send("bench 1")
    assert lines[0].startswith("signature ")
    assert lines[1].startswith("nps ")


# ---------------------------------------------------------------------- recorded clients
@pytest.mark.parametrize("name", ["uci_pychess.txt", "uci_fastchess_compliance.txt", "uci_fastchess_match.txt"])
def test_recorded_client(name: str) -> None:
    driver = Driver(UciDialect)
    goes = 0
    for text in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        found = re.match(r"(?:\s*[\d.]+ )?GUI> (?:b)?['\"](.*)['\"]$", text)
        if found is None or driver.quit:
            continue
        line = found[1].removesuffix("\\n")
        if driver.running is not None and line not in ("stop", "ponderhit", "isready", "quit"):
            driver.report()
            driver.finish()
        goes += line.startswith("go")
        driver.send(line)
    if driver.running is not None and not driver.quit:
        driver.finish()
    answers = [line for line in driver.lines if line.startswith("bestmove ")]
    assert goes - 1 <= len(answers) <= goes
    assert goes > 0
    assert all(re.fullmatch(r"bestmove \S+( ponder \S+)?", line) for line in answers)
    assert all(INFO.match(line) for line in driver.lines if line.startswith("info depth") and "mate 0" not in line)


# ---------------------------------------------------------------------- any order
LINES = st.sampled_from(
    [
        "uci",
        "ucinewgame",
        "position startpos",
        "position startpos moves 32-28 19-23",
        "position fen W:W31-50:B1-20 moves 1-1",
        "position fen bad",
        "position fen B:W32:B",
        "setoption name Hash value 16",
        "setoption name UCI_Variant value russian",
        "setoption name UCI_MoveFormat value path",
        "debug on",
        "d",
        "legalmoves",
        "foo",
        "",
        "register later",
    ]
)


class UciClient(AnyClient):
    """Any lines in any order."""

    dialect = UciDialect
    report = INFO
    answer = "bestmove"

    def __init__(self) -> None:
        super().__init__()
        self.readies = 0

    @rule(line=LINES)
    def command(self, line: str) -> None:
        self.put(line)

    @rule(words=st.sampled_from(["", "infinite", "ponder", "ponder depth 3", "depth 2", "wtime 5", "ponder infinite"]))
    def go(self, words: str) -> None:
        self.goes += 1
        self.put(f"go {words}")

    @rule()
    def isready(self) -> None:
        self.readies += 1
        self.put("isready")

    @rule(line=st.sampled_from(["stop", "ponderhit"]))
    def steer(self, line: str) -> None:
        self.put(line)

    @invariant()
    def nothing_is_answered_twice(self) -> None:
        assert self.answers <= self.goes
        assert self.driver.lines.count("readyok") <= self.readies

    def teardown(self) -> None:
        self.settle()
        lines = self.driver.lines
        assert lines.count("readyok") == self.readies
        scored = False
        for line in lines:
            scored = scored or " score " in line
            if line.startswith("bestmove"):
                assert scored
                scored = False


UciClient.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestUciClient = UciClient.TestCase

TEXT = st.text(alphabet='go depthinfstvalumcx 0123456789-:WBKsetposin\t\r\n"=', max_size=60)


@given(st.lists(st.binary(max_size=30) | TEXT.map(str.encode) | LINES.map(str.encode), max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_bytes(pieces: list[bytes]) -> None:
    driver = Driver(UciDialect)
    for piece in pieces:
        if driver.quit or b"bench" in piece or b"perft" in piece:
            break
        driver.feed(piece)
    if not driver.quit:
        driver.feed(b"\nstop\nisready\n")
        assert driver.lines[-1] == "readyok"
