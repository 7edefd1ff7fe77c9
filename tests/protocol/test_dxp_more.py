"""The DXP state machine: clocks, chat, take-backs, and asking for games (dxp.md)."""

import pytest

from engine import VARIANTS, Position, RulesError, Side, find_variant
from protocol.dxp import DxpMachine
from protocol.dxp_actions import Policy, Proposal, Refused, Timeouts
from protocol.dxp_messages import AcceptCode, EndReason, GameRequest, decode
from protocol.dxp_states import State
from tests.protocol.dxp_desk import ACCEPT, Desk, connect, playing, random_player, request

START = "W" + "z" * 20 + "e" * 10 + "w" * 20


# ---- clocks of the other side


def test_time_forfeit_is_claimed_at_our_turn() -> None:
    desk = playing(policy=Policy(time_grace=5))
    desk.now += 64
    desk.get(b"M0000192300")
    assert desk.thought is not None
    desk.move("28x19x23")
    desk.now += 2
    assert desk.get(b"M000014230119") == [b"E30"]
    desk.get(b"E00")
    assert (desk.records[0].result, desk.records[0].termination) == ("1-0", "time forfeit")


def test_time_is_not_claimed_unless_asked_to_or_in_a_game_of_000_minutes() -> None:
    """bugs.json D08: `000` is a minute or less, with no flag at once."""
    for policy, minutes in [(Policy(), "001"), (Policy(time_grace=1), "000")]:
        desk = Desk(policy)
        desk.get(request("W", minutes=minutes))
        desk.move("32-28")
        desk.now += 70
        desk.get(b"M0000192300")
        assert desk.thought is not None


def test_silent_player_loses_on_time_in_the_end() -> None:
    desk = playing(policy=Policy(timeouts=Timeouts(move=60)))
    assert desk.machine.deadline == 120
    desk.wait(119)
    assert not desk.closed
    desk.wait(1)
    assert desk.closed
    assert (desk.records[0].result, desk.records[0].termination) == ("1-0", "time forfeit")


def test_idle_connection_is_closed_if_wanted() -> None:
    desk = Desk(Policy(timeouts=Timeouts(idle=30)))
    desk.wait(30)
    assert desk.closed
    patient = Desk()
    assert patient.machine.deadline is None


# ---- chat and take-backs


@pytest.mark.parametrize("chat", [b"C" + b"x" * 126, b"C\xe9\xff\x80", b"C", b"Cconsole exit", b"C" + b"y" * 1000])
def test_chat_is_shown_and_changes_nothing(chat: bytes) -> None:
    """Checklist 10."""
    desk = playing()
    assert desk.get(chat) == []
    assert desk.notices[-1].startswith("Tester says: ")
    assert desk.notices[-1].isprintable()
    desk.get(b"M0000192300", chat)
    assert desk.thought is not None


def test_take_back_to_our_move() -> None:
    """Captured from Moby Dam: B001W, K0, and a new move 1."""
    desk = playing()
    assert desk.get(b"B001W") == [b"K0"]
    assert desk.thought is not None
    desk.move("31-26")
    assert desk.sent[-1] == b"M0000312600"


def test_take_back_to_their_move_stops_the_search() -> None:
    desk = playing()
    desk.get(b"M0000192300")
    assert desk.get(b"B001Z") == [b"K0"]
    assert desk.thought is None
    assert desk.get(b"M0000202500") == []
    assert desk.thought is not None
    assert [move.hub() for move in desk.thought.game.moves] == ["32-28", "20-25"]


def test_take_back_when_black_moved_first() -> None:
    """Scan 3.1 is one ply off here."""
    desk = Desk()
    desk.get(request("Z", setup="Z" + START[1:]))
    desk.move("19-23")
    desk.get(b"M0000322800")
    assert desk.get(b"B001W") == [b"K0"]
    assert desk.thought is None
    assert desk.machine.game is not None
    assert [move.hub() for move in desk.machine.game.board.moves] == ["19-23"]


def test_take_back_to_the_present_changes_nothing() -> None:
    desk = playing()
    desk.get(b"M0000192300")
    thought = desk.thought
    assert desk.get(b"B002W") == [b"K0"]
    assert desk.thought is thought


@pytest.mark.parametrize("frame", [b"B000W", b"B002Z", b"B999W"])
def test_take_back_to_what_has_not_been(frame: bytes) -> None:
    desk = playing()
    assert desk.get(frame) == [b"K2"]


def test_take_back_refused() -> None:
    desk = playing(policy=Policy(take_back=False))
    assert desk.get(b"B001W") == [b"K1"]
    assert Desk().get(b"B001W") == [b"K2"]


@pytest.mark.parametrize("answer", [b"K0", b"K1", b"K2"])
def test_our_take_back(answer: bytes) -> None:
    """Our move waits for the answer."""
    desk = playing()
    desk.get(b"M0000192300")
    desk.handle(desk.machine.take_back(1, Side.BLACK, desk.now))
    assert desk.sent[-1] == b"B001Z"
    sent = len(desk.sent)
    desk.move("28x19x23")
    assert len(desk.sent) == sent
    answers = desk.get(answer)
    assert desk.machine.game is not None
    assert (answers, desk.machine.game.plies) == (([], 1) if answer == b"K0" else ([b"M000028190123"], 3))


def test_our_take_back_without_an_answer() -> None:
    """Nothing is done that the answer might undo; after a while there is none."""
    desk = playing()
    desk.handle(desk.machine.take_back(1, Side.WHITE, desk.now))
    desk.get(b"M0000192300")
    assert desk.thought is None
    desk.wait(10)
    desk.move("28x19x23")
    assert desk.sent[-1] == b"M001028190123"
    with pytest.raises(ValueError, match="no going back"):
        desk.machine.take_back(9, Side.WHITE, desk.now)


# ---- the initiator


def test_initiator_asks_with_a_or_b() -> None:
    """`A` says the normal start only where everybody means the same by it."""
    for variant, fen, flag in [
        ("international", "", "A"),
        ("frysk", "", "B"),
        ("international", "B:W31-50:B1-20", "B"),
    ]:
        rules = find_variant(variant)
        desk = Desk(variant=variant)
        position = Position.from_fen(fen, rules) if fen else Position.start(rules)
        desk.handle(desk.machine.propose(Proposal(position, Side.BLACK, 0.5, 75), 0.0))
        assert desk.sent[0][36:43] == b"001075" + flag.encode()
        message = decode(desk.sent[0])
        assert isinstance(message, GameRequest)
        assert message.follower is Side.WHITE
        if message.setup:
            assert Position.from_hub(message.setup.hub(), rules) == position


@pytest.mark.parametrize("code", [1, 2, 3])
def test_initiator_refused(code: int) -> None:
    desk = Desk()
    proposal = Proposal(Position.start(find_variant("international")), Side.WHITE)
    desk.handle(desk.machine.propose(proposal, 0.0))
    desk.get(ACCEPT[:-1] + str(code).encode())
    assert desk.refusals == [Refused(AcceptCode(code))]
    assert desk.machine.state is State.IDLE
    desk.handle(desk.machine.propose(proposal, 0.0))
    with pytest.raises(ValueError, match="asked"):
        desk.machine.propose(proposal, 0.0)


@pytest.mark.parametrize("how", ["silence", "end", "lost"])
def test_initiator_without_an_answer(how: str) -> None:
    """Moby Dam drops some requests in silence."""
    desk = Desk()
    desk.handle(desk.machine.propose(Proposal(Position.start(find_variant("international")), Side.WHITE), 0.0))
    match how:
        case "silence":
            desk.wait(10)
        case "end":
            desk.get(b"E01")
        case "lost":
            desk.handle(desk.machine.receive(b"", 0.0))
    assert desk.refusals == [Refused(None)]
    assert desk.closed


def test_both_ask_at_once() -> None:
    left, right = Desk(), Desk()
    for desk in (left, right):
        desk.handle(desk.machine.propose(Proposal(Position.start(find_variant("international")), Side.WHITE), 0.0))
    connect(left, right)
    assert left.machine.state is right.machine.state is State.IDLE


@pytest.mark.parametrize("variant", ["international", "killer", "frisian", "breakthrough", "frysk", "losing"])
def test_whole_games_between_two_machines(variant: str) -> None:
    """Both ends see the same moves and the same result, in either role and colour."""
    rules = find_variant(variant)
    left, right = (
        Desk(Policy(name="L"), random_player(5), variant),
        Desk(Policy(name="R"), random_player(6), variant),
    )
    for number in range(4):
        first, second = (left, right) if number < 2 else (right, left)
        first.handle(first.machine.propose(Proposal(Position.start(rules), Side(number % 2), 1), 0.0))
        connect(first, second)
    assert len(left.records) == len(right.records) == 4
    for one, other in zip(left.records, right.records, strict=True):
        assert (one.white, one.black, one.moves, one.result) == (
            other.white,
            other.black,
            other.moves,
            other.result,
        )
        assert one.result != "*"
        assert one.termination == other.termination
    assert [record.white for record in left.records] == ["L", "R", "R", "L"]


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_only_boards_of_fifty_squares(name: str) -> None:
    rules = VARIANTS[name]
    if (rules.columns, rules.rows, rules.squares) == (10, 10, 50):
        assert DxpMachine(rules).state is State.IDLE
    else:
        with pytest.raises(RulesError, match="10x10"):
            DxpMachine(rules)


def test_closing_from_our_side() -> None:
    desk = playing()
    desk.handle(desk.machine.close("the program ends", desk.now))
    assert desk.sent[-1] == b"E01"
    assert desk.closed == "the program ends"
    idle = Desk()
    idle.handle(idle.machine.end(EndReason.UNKNOWN, True, 0.0))
    assert idle.sent == [b"E01"]
    assert idle.closed
