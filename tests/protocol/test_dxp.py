"""The DXP state machine: the table of dxp.md section 3, the faults of section 4, the checklist of section
8."""

import ast
import re
from pathlib import Path

import pytest

from engine import Move, Position, Side, find_variant
from protocol.dxp_actions import Policy, Proposal, Timeouts
from protocol.dxp_messages import EndReason
from protocol.dxp_states import State
from tests.protocol.dxp_desk import ACCEPT, Desk, connect, playing, random_player, request

TRANSCRIPTS = Path(__file__).parent.parent / "data" / "transcripts"
NOT_THIS = ACCEPT[:-1] + b"2"
START = "W" + "z" * 20 + "e" * 10 + "w" * 20
SHOT = "WeeeeZeeeeeeeezeeeeezeeeeeeeeeeeeweeeeeeeeeeeeWeeee"
ALMOST = "Weeeeeeeeeeeeeeeeeeeeeeeeeezeeeeweeeeeeeeeeeeeeeeee"  # 32x21 takes Black's last man
# 5x28x17x3x25 takes 12, 20, 22 and 23
ROUND_TRIP = "W" + "".join({5: "W", 12: "z", 20: "z", 22: "z", 23: "z", 36: "z"}.get(n, "e") for n in range(1, 51))


# ---- transcripts of other engines: their clients must be content with us as well

# Where we differ: Moby Dam never answers 000 minutes, so its client went on as if it had not asked;
# Scan 2.0 takes an empty board.
LEFT_OUT = {"dxp_mobydam.txt": [b"R01TapClient 1.0                   W000010A"]}
HUNG = {"dxp_scan2_setup.txt": [b"E01"]}  # Scan 2.0 never came back from a BACKREQ
REFUSED = {"dxp_scan2.txt": [b"R01TapClient 1.0                   Z001003B" + b"W" + b"e" * 50]}


def exchanges(name: str) -> list[tuple[str, bytes]]:
    """(">" or "<", frame) for each line of a transcript."""
    lines: list[tuple[str, bytes]] = []
    for line in (TRANSCRIPTS / name).read_text(encoding="utf-8").splitlines():
        if found := re.match(r" *[\d.]+ (GUI|CLI|ENG|SRV)> (b'.*')$", line):
            frame = ast.literal_eval(found[2]).rstrip(b"\0")
            if frame != b"<closed>" and frame not in LEFT_OUT.get(name, []):
                lines.append((">" if found[1] in ("GUI", "CLI") else "<", frame))
    return lines


@pytest.mark.parametrize("name", sorted(path.name for path in TRANSCRIPTS.glob("dxp_*.txt")))
def test_transcripts(name: str) -> None:
    """The same answers to the client's bytes, our search playing the moves that the other engine played."""
    lines = exchanges(name)
    assert lines
    desk = Desk(Policy(name="Other"))
    at = 0
    while at < len(lines):
        frame = lines[at][1]
        answers = []
        while (at := at + 1) < len(lines) and lines[at][0] == "<":
            answers.append(lines[at][1])
        got = desk.get(frame)
        for answer in answers:
            if answer.startswith(b"M") and desk.thought is not None:
                text = answer.decode()
                squares = [int(text[i : i + 2]) for i in range(11, len(text), 2)]
                desk.move(Move(int(text[5:7]), int(text[7:9]), tuple(squares)))
                got = [*got, desk.sent[-1]]
        if frame in HUNG.get(name, []):
            assert got == [b"E01"]
            continue
        if frame in REFUSED.get(name, []):
            assert [answer[-1:] for answer in got] == [b"2"]
            continue
        expected = [answer for answer in answers if not (answer.startswith(b"C") and len(answers) > 1)]
        assert [kind(answer) for answer in got] == [kind(answer) for answer in expected], frame


def kind(frame: bytes) -> bytes:
    """What matters to a client: the letter and the code; moves whole but for the time; chat whatever it
    says."""
    match frame[:1]:
        case b"A":
            return b"A" + frame[33:]
        case b"M":
            return b"M" + frame[5:]
        case b"C":
            return b"C"
    return frame


@pytest.mark.parametrize("size", [1, 2, 5, 10_000])
def test_chunks_make_no_difference(size: int) -> None:
    """Checklist 1: the same session byte by byte, in small pieces and with several messages in one."""
    bursts = [
        [request("Z"), b"M0000322800"],
        [b"CHello", b"M0000322900", b"B001W", b"M0000342900"],
        [b"E00", request("W")],
        [b"E01"],
    ]
    desk = Desk(player=random_player(3))
    for burst in bursts:
        stream = b"".join(frame + b"\0" for frame in burst)
        for at in range(0, len(stream), size):
            desk.handle(desk.machine.receive(stream[at : at + size], 0.0))
    assert [frame[:1] for frame in desk.sent] == [b"A", b"M", b"C", b"K", b"M", b"E", b"A", b"M", b"E"]
    assert desk.closed == "end of the session"


# ---- asking for games


@pytest.mark.parametrize(
    ("frame", "follows"),
    [
        (request("W"), [ACCEPT]),
        (request("Z"), [ACCEPT]),
        (request("W", setup=START), [ACCEPT]),
        (request("W", setup=SHOT), [ACCEPT]),
        (request("W", minutes="000"), [ACCEPT]),
        (request("W", minutes="1.5"), [ACCEPT]),
        (request("W", minutes="  9", moves="   "), [ACCEPT]),
        (request("W", version="02"), [ACCEPT[:-1] + b"1"]),
        (request("W", setup="W" + "e" * 50), [NOT_THIS]),
        (request("W", setup="W" + "w" * 50), [NOT_THIS]),
        (request("W", setup="Wz" + "e" * 48 + "x"), [NOT_THIS]),
        (request("W", setup=START)[:-18], [NOT_THIS]),
        (request("X"), [NOT_THIS]),
        (b"R", [ACCEPT[:-1] + b"1"]),
    ],
)
def test_requests(frame: bytes, follows: list[bytes]) -> None:
    desk = Desk()
    assert desk.get(frame) == follows
    assert desk.machine.playing is (follows == [ACCEPT])


def test_follower_moves_first_when_the_colour_says_so() -> None:
    for colour, setup, ours in [
        ("W", "", True),
        ("Z", "", False),
        ("Z", "Z" + START[1:], True),
        ("W", "Z" + START[1:], False),
    ]:
        desk = Desk(player=random_player(1))
        letters = [frame[:1] for frame in desk.get(request(colour, setup=setup))]
        assert letters == ([b"A", b"M"] if ours else [b"A"])


@pytest.mark.parametrize(
    ("minutes", "moves", "time", "left"),
    [("001", "000", 60, 0), ("000", "075", 20, 75), ("0.5", "010", 30, 10), ("090", "000", 5400, 0)],
)
def test_clock_of_the_request(minutes: str, moves: str, time: float, left: int) -> None:
    desk = Desk()
    desk.get(request("W", minutes=minutes, moves=moves))
    assert desk.thought is not None
    assert (desk.thought.time, desk.thought.moves) == (time, left)


def test_clocks_run_by_our_own_measure() -> None:
    """What MOVE says about seconds is never looked at (GWD sends totals, GWDGUI nothing)."""
    desk = Desk()
    desk.get(request("W", moves="030"))
    desk.now += 7.6
    desk.move("32-28")
    assert desk.sent[-1] == b"M0007322800"
    desk.now += 30
    desk.get(b"M9999192300")
    assert desk.thought is not None
    assert (round(desk.thought.time, 6), desk.thought.moves) == (52.4, 29)


def test_request_during_a_game() -> None:
    """Checklist 6."""
    desk = playing()
    assert desk.get(request("W")) == [NOT_THIS]
    assert desk.get(request("W", version="02")) == [ACCEPT[:-1] + b"1"]
    desk.get(b"M0000192300")
    assert desk.get(request("Z")) == [NOT_THIS]
    assert desk.thought is not None
    desk.move("28x19x23")
    assert desk.sent[-1].startswith(b"M")


def test_request_while_the_engine_serves_somebody_else() -> None:
    desk = Desk()
    desk.machine.busy = True
    assert desk.get(request("W")) == [NOT_THIS]
    desk.machine.busy = False
    assert desk.get(request("W")) == [ACCEPT]


def test_hundred_games_on_one_connection() -> None:
    """Checklist 4: R, play, E, R with colours swapped."""
    desk = Desk()
    for number in range(100):
        if number % 2:
            assert desk.get(request("Z"), b"M0000322800") == [ACCEPT]
            desk.move("19-23")
        else:
            assert desk.get(request("W")) == [ACCEPT]
            desk.move("32-28")
        assert desk.get(b"E00") == [b"E00"]
    assert len(desk.records) == 100
    assert {record.termination for record in desk.records} == {"ended by Tester"}
    assert [desk.records[0].white, desk.records[1].white] == ["damier", "Tester"]


# ---- moves


def test_captured_squares_in_every_order() -> None:
    """Checklist 11; bugs.json D03."""
    sets = set()
    for order in ("22122320", "20232212", "12202223", "23221220"):
        desk = Desk()
        assert desk.get(request("Z", setup=ROUND_TRIP)) == [ACCEPT]
        assert desk.get(b"M0012052504" + order.encode()) == []
        assert desk.thought is not None
        sets.add(desk.thought.game.moves[0])
    assert sets == {Move(5, 25, (12, 20, 22, 23))}


def test_captured_squares_go_out_ascending() -> None:
    desk = Desk(player=random_player(1))
    desk.get(request("W", setup=ROUND_TRIP))
    assert desk.sent[1][11:] == b"12202223"


def test_the_same_move_again_is_a_new_move() -> None:
    """bugs.json D04: kings that go to and fro."""
    desk = Desk()
    desk.get(request("Z", setup="W" + "Z" + "e" * 44 + "Wweee"))
    for here, there, ours in [(46, 41, "1-7"), (41, 46, "7-1")] * 2:
        assert desk.get(f"M0000{here}{there}00".encode()) == []
        assert desk.thought is not None
        desk.move(ours)
    assert [frame[5:9] for frame in desk.sent[1:]] == [b"0107", b"0701"] * 2


@pytest.mark.parametrize(
    "bad",
    [b"M0000192500", b"M0000192800", b"M00001923", b"M000019230", b"M000019230114", b"M", b"M00AB192300X"],
)
def test_illegal_and_truncated_moves(bad: bytes) -> None:
    """Checklist 7: a remark, and the game waits for another move."""
    desk = playing()
    assert [frame[:1] for frame in desk.get(bad)] == [b"C"]
    assert desk.thought is None
    desk.get(b"M0000192300")
    assert desk.thought is not None


def test_three_illegal_moves_end_the_game_at_our_turn() -> None:
    desk = playing()
    for _ in range(3):
        assert [frame[:1] for frame in desk.get(b"M0000192500")] == [b"C"]
    assert desk.get(b"M0000192300") == [b"E00"]
    assert desk.get(b"E00") == []
    assert (desk.records[0].result, desk.records[0].termination) == ("1-0", "illegal moves")
    assert desk.machine.state is State.IDLE


def test_endless_illegal_moves_end_the_connection() -> None:
    desk = playing()
    for _ in range(13):
        desk.get(b"M0000192500")
    assert "illegal moves" in desk.closed
    assert desk.records[0].result == "1-0"


def test_a_legal_move_clears_the_count() -> None:
    desk = playing(policy=Policy(illegal_limit=2))
    for bad, good, ours in [
        (b"M0000192500", b"M0000192300", "28x19x23"),
        (b"M0000010200", b"M0000142300", None),
    ]:
        desk.get(bad)
        desk.get(good)
        assert desk.machine.state is State.PLAY
        if ours:
            assert desk.thought is not None
            desk.move(desk.thought.game.legal_moves()[0])


def test_split_glued_long_and_unknown_messages() -> None:
    """bugs.json D07."""
    desk = playing()
    for piece in (b"M0012\0", b"Q?\0", b"C" + b"x" * 300 + b"\0", b"M0", b"01220", b"2500\0CHello\0M00"):
        desk.handle(desk.machine.receive(piece, desk.now))
    assert desk.sent[-1].startswith(b"Cinvalid move")
    assert desk.thought is not None
    assert desk.thought.game.moves[-1].hub() == "20-25"
    assert desk.notices[-1] == "Tester says: Hello"


def test_malformed_frames_never_end_a_game() -> None:
    desk = playing()
    for _ in range(1000):
        desk.get(b"Q?", b"\xff" * 300, b"M1", b"E", b"K9", b"x" * 4000)
    assert len(desk.sent) < 20
    assert len(desk.notices) < 20
    desk.get(b"M0000192300")
    assert desk.thought is not None


def test_move_out_of_turn_and_without_a_game() -> None:
    desk = Desk()
    assert desk.get(b"M0000322800") == [b"Cno game is being played"]
    desk.get(request("W"))
    assert desk.get(b"M0000322800") == [b"Cit is not your turn"]
    assert desk.thought is not None


def test_search_that_fails_does_not_lose_the_game() -> None:
    desk = Desk()
    desk.get(request("W"))
    desk.move(None)
    assert desk.sent[-1].startswith(b"M")
    assert any("not legal" in notice for notice in desk.notices)


# ---- the end of games


@pytest.mark.parametrize("reason", [0, 1, 2, 3])
@pytest.mark.parametrize("stop", [0, 1])
@pytest.mark.parametrize("our_turn", [True, False])
def test_end_at_either_turn(reason: int, stop: int, our_turn: bool) -> None:
    """Checklist 5."""
    desk = playing()
    if our_turn:
        desk.get(b"M0000192300")
    assert desk.get(f"E{reason}{stop}".encode()) == [f"E0{stop}".encode()]
    assert desk.thought is None
    assert bool(desk.closed) is bool(stop)
    assert desk.records[0].result == ["*", "1-0", "1/2-1/2", "0-1"][reason]
    if not stop:
        assert desk.get(b"E00") == []
        assert desk.get(request("W")) == [ACCEPT]


def test_end_without_a_game() -> None:
    desk = Desk()
    assert desk.get(b"E00") == []
    assert not desk.closed
    assert desk.get(b"E01") == []
    assert desk.closed


def test_lost_position_is_resigned_and_a_won_one_claimed_by_the_other_side() -> None:
    follower = Desk(player=random_player(1))
    assert follower.get(request("Z", setup=ALMOST), b"M000032210127") == [ACCEPT, b"E10"]
    follower.get(b"E00")
    winner = Desk(player=random_player(1))
    assert winner.get(request("W", setup=ALMOST)) == [ACCEPT, b"M000032210127"]
    assert winner.get(b"E10") == [b"E00"]
    for desk in (follower, winner):
        assert [(record.result, record.termination) for record in desk.records] == [("1-0", "no pieces")]


def test_next_request_without_the_end_of_a_game_that_is_over() -> None:
    """Some programs never send the last GAMEEND."""
    desk = Desk(player=random_player(1))
    desk.get(request("W", setup=ALMOST))
    assert desk.get(request("Z")) == [ACCEPT]
    assert desk.records[0].result == "1-0"


def test_repetition_is_ended_as_a_draw() -> None:
    kings = iter(["1-7", "7-1"] * 10)
    desk = Desk(player=lambda game: game.play(next(kings)))
    desk.get(request("Z", setup="W" + "Z" + "e" * 44 + "Weeee"))
    for here, there in [(46, 41), (41, 46)] * 10:
        desk.get(f"M0000{here}{there}00".encode())
        if desk.machine.state is State.ENDING:
            break
    assert desk.sent[-1] == b"E20"
    desk.get(b"E00")
    assert desk.records[0].result == "1/2-1/2"


@pytest.mark.parametrize("colour", ["W", "Z"])
def test_limit_of_moves(colour: str) -> None:
    """After two moves each White is to move and has made them all: White ends the game."""
    follower, initiator = Desk(player=random_player(1)), Desk(player=random_player(2))
    rules = find_variant("international")
    ours = Side.WHITE if colour == "Z" else Side.BLACK
    initiator.handle(initiator.machine.propose(Proposal(Position.start(rules), ours, 1, 2), 0.0))
    connect(initiator, follower)
    for desk in (follower, initiator):
        record = desk.records[0]
        assert (len(record.moves), record.result, record.termination) == (4, "1/2-1/2", "move limit")
        assert desk.machine.state is State.IDLE


def test_end_sent_waits_for_the_answer() -> None:
    desk = Desk()
    desk.get(request("W"))
    desk.handle(desk.machine.end(EndReason.I_LOSE, False, desk.now))
    assert desk.sent[-1] == b"E10"
    assert desk.get(b"M0000192300", b"B001W", ACCEPT, b"K0") == []
    assert desk.machine.state is State.ENDING
    assert desk.get(b"E31") == []
    assert (desk.records[0].result, desk.records[0].termination) == ("0-1", "damier resigns")
    assert desk.closed


def test_end_wish_waits_for_our_turn() -> None:
    desk = playing()
    desk.handle(desk.machine.end(EndReason.DRAW, True, desk.now))
    assert desk.sent[-1].startswith(b"M")
    assert desk.get(b"M0000192300") == [b"E21"]
    desk.get(b"E00")
    assert desk.closed


def test_request_is_an_answer_to_our_end() -> None:
    desk = Desk()
    desk.get(request("W"))
    desk.handle(desk.machine.end(EndReason.UNKNOWN, False, desk.now))
    assert desk.get(request("Z")) == [ACCEPT]
    assert len(desk.records) == 1


def test_silence_is_an_answer_to_our_end() -> None:
    desk = Desk(Policy(timeouts=Timeouts(end=5)))
    desk.get(request("W"))
    desk.handle(desk.machine.end(EndReason.UNKNOWN, False, desk.now))
    desk.wait(4.9)
    assert not desk.records
    desk.wait(0.1)
    assert desk.machine.state is State.IDLE
    assert len(desk.records) == 1


@pytest.mark.parametrize("thinking", [True, False])
def test_connection_lost(thinking: bool) -> None:
    """Checklist 8: the search is stopped, the game stays unfinished."""
    desk = playing()
    if thinking:
        desk.get(b"M0000192300")
        assert desk.thought is not None
    desk.handle(desk.machine.receive(b"", desk.now))
    assert desk.closed
    assert desk.thought is None
    assert desk.records[0].result == "*"
    assert desk.machine.receive(b"E00\0", 0.0) == []


def test_stream_without_nul_is_cut_off() -> None:
    desk = playing()
    desk.handle(desk.machine.receive(b"x" * 4096, 0.0))
    assert not desk.closed
    desk.handle(desk.machine.receive(b"x", 0.0))
    assert "without a NUL" in desk.closed


def test_flood_without_a_game_is_cut_off() -> None:
    desk = Desk(Policy(junk_limit=100))
    for _ in range(101):
        desk.get(b"M0000322800") if not desk.closed else None
    assert desk.closed
    assert len(desk.sent) <= 10
