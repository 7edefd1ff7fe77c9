"""The Hub client machine against written conversations, without any process."""

from __future__ import annotations

import pytest

from engine.errors import MoveError
from engine.position import Position
from engine.variants import find_variant
from protocol.match.client import Answer, Stage
from protocol.match.clock import SearchLimits
from protocol.match.hub_client import HubClient, level
from protocol.match.record import EngineFault, Termination

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
DECLARATION = [
    'id name=Scan version=3.1 author="Fabien Letouzey" country=France',
    'param name=variant value=normal type=enum values="normal killer bt frisian losing"',
    "param name=book value=true type=bool",
    "param name=threads value=1 type=int min=1 max=16",
    "wait",
]


def declared() -> HubClient:
    client = HubClient()
    assert client.hello() == b"hub\n"
    for line in DECLARATION:
        assert client.stage is Stage.DECLARING
        client.receive(line)
    assert client.stage is Stage.DECLARED
    return client


def ready() -> HubClient:
    client = declared()
    client.configure(find_variant("international"), {})
    client.receive("ready")
    return client


def searching(limits: SearchLimits | None = None) -> HubClient:
    client = ready()
    client.go(Position.start("international"), (), limits or SearchLimits(depth=1))
    return client


def test_declaration_is_kept() -> None:
    client = declared()
    assert client.identity == "Scan 3.1"
    assert client.options["threads"]["max"] == "16"


def test_start_with_options() -> None:
    client = declared()
    sent = client.configure(find_variant("breakthrough"), {"book": "false", "bb-path": "my files"})
    assert sent.decode().splitlines() == [
        "set-param name=variant value=bt",
        "set-param name=book value=false",
        'set-param name=bb-path value="my files"',
        "init",
    ]
    client.receive("init eval")  # other lines before `ready` are allowed
    assert client.stage is Stage.PREPARING
    client.receive("ready")
    assert client.idle


def test_variant_is_not_sent_twice() -> None:
    sent = declared().configure(find_variant("international"), {"variant": "killer"})
    assert sent.decode().count("variant") == 1


def test_variant_that_the_engine_does_not_play() -> None:
    with pytest.raises(EngineFault, match="does not play russian") as caught:
        declared().configure(find_variant("russian"), {})
    assert caught.value.termination is Termination.PROTOCOL


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (SearchLimits(depth=8), "level depth=8"),
        (SearchLimits(nodes=5000), "level nodes=5000"),
        (SearchLimits(move_time=0.1), "level move-time=0.1"),
        (SearchLimits(time=5.0, inc=0.05), "level time=5 inc=0.05"),
        (SearchLimits(time=-0.4, inc=0.5), "level time=-0.4 inc=0.5"),
        (SearchLimits(time=59.9996, moves=12), "level moves=12 time=60"),
        (SearchLimits(time=0.0), "level time=0"),
        (SearchLimits(time=-0.0001), "level time=0"),
        (SearchLimits(), "level infinite"),
    ],
)
def test_level(limits: SearchLimits, expected: str) -> None:
    assert level(limits) == expected


def test_go_holds_the_whole_game() -> None:
    client = ready()
    position = Position.start("international")
    moves = []
    for text in ("32-28", "19-23", "28x19x23"):
        moves.append(client.read_move(text, position))
        position = position.play(moves[-1])
    sent = client.go(Position.start("international"), moves[:1], SearchLimits(depth=3)).decode()
    assert sent.splitlines() == [f"pos pos={START} moves=32-28", "level depth=3", "go think"]
    client.receive("done move=19-23")
    sent = client.go(Position.start("international"), moves, SearchLimits(depth=3)).decode()
    assert sent.splitlines()[0] == f'pos pos={START} moves="32-28 19-23 28x19x23"'


def test_go_tells_running_king_moves() -> None:
    start = Position.from_fen("W:WK33,47:BK7,12:+233+107", "frisian")
    sent = ready().go(start, (), SearchLimits(depth=3)).decode()
    assert sent.splitlines()[0] == f'pos pos={start.hub()} wolf="W33=2 B7=1"'


def test_answer_and_last_report() -> None:
    client = searching()
    client.receive("info depth=9 mean-depth=9.5 score=-0.12 nodes=1234 time=0.01 pv=32-28")
    client.receive("info pv=31-26")  # fields that are missing keep what was said before
    assert client.answer is None
    client.receive("done move=32-28 ponder=19-23\r")
    assert client.answer == Answer("32-28", "19-23")
    assert client.idle
    assert (client.report.score, client.report.depth, client.report.nodes) == (-12, 9, 1234)


@pytest.mark.parametrize("text", ["nan", "inf", "abc", '""'])
def test_scores_that_are_none(text: str) -> None:
    client = searching()
    client.receive(f"info score={text} depth=1")
    assert client.report.score is None
    assert client.report.depth == 1


def test_given_up_search_answers_nothing() -> None:
    client = searching()
    assert client.stop() == b"stop\n"
    assert not client.idle
    client.receive("info score=1.00")
    assert client.report.score is None
    client.receive("done move=32-28")
    assert client.idle
    assert client.answer is None
    assert client.stop() == b""


def test_late_answer_does_not_belong_to_the_next_search() -> None:
    client = searching()
    client.stop()
    client.receive("done move=32-28")
    client.go(Position.start("international"), (), SearchLimits(depth=1))
    assert client.answer is None
    client.receive("done move=31-26")
    assert client.answer == Answer("31-26")


def test_second_answer_is_ignored() -> None:
    client = searching()
    client.receive("done move=32-28")
    client.receive("done move=31-26")
    assert client.answer == Answer("32-28")


def test_answer_without_a_move() -> None:
    client = searching()
    client.receive("done")
    assert client.answer == Answer(None)


def test_new_game_is_in_sync_after_pong() -> None:
    client = ready()
    assert client.new_game() == b"new-game\nping\n"
    assert not client.in_sync
    client.receive("pong")
    assert client.in_sync


def test_errors_are_remembered() -> None:
    client = searching()
    client.receive('error message="bad position"')
    assert client.complaint == "bad position"
    assert not client.idle


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "\t",
        '"',
        "=",
        '=="',
        "wait",
        "ready",
        "hello world",
        "info",
        "info score",
        "x" * 100_000,
        "\ufffd\x00",
        "param",
        "id",
        'info pv="',
    ],
)
def test_noise_changes_nothing(line: str) -> None:
    client = searching()
    client.receive(line)
    assert client.stage is Stage.SEARCHING
    assert client.answer is None


def test_moves_are_read_as_hub_writes_them() -> None:
    client = ready()
    position = Position.from_fen("W:W28,32:B23", "international")
    assert client.read_move("28x19x23", position).captured == (23,)
    assert client.read_move("28x19", position).captured == (23,)
    with pytest.raises(MoveError):
        client.read_move("32-27", position)
    with pytest.raises(MoveError):
        client.read_move("hello", position)
