"""Any sequence of messages, in any chunks, at any time: the machine keeps its promises.

The desk that drives it fails on two searches at once, on a search that runs on after the end, and on anything
that is done after the connection is closed.
"""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Position, Side
from protocol.dxp_actions import Policy, Proposal, Timeouts
from protocol.dxp_messages import EndReason, decode
from protocol.dxp_states import State
from tests.protocol.dxp_desk import Desk, random_player, request

START = "W" + "z" * 20 + "e" * 10 + "w" * 20
LATE = "W" + "".join({6: "z", 1: "z", 46: "W", 48: "w"}.get(n, "e") for n in range(1, 51))
POLICY = Policy(illegal_limit=3, timeouts=Timeouts(idle=100), time_grace=5)

frames = st.sampled_from(
    [
        request("W"),
        request("Z"),
        request("Z", moves="002"),
        request("W", setup=LATE),
        request("Z", setup="Z" + LATE[1:]),
        request("W", minutes="000", setup=START),
        request("W", version="02"),
        request("W", setup="W" + "e" * 50),
        b"A" + b"x" * 32 + b"0",
        b"A" + b"x" * 32 + b"2",
        b"M0000322800",
        b"M0000192300",
        b"M0000000000",
        b"M00",
        b"E00",
        b"E10",
        b"E21",
        b"E",
        b"Chello",
        b"C\xff",
        b"B001W",
        b"B001Z",
        b"B002W",
        b"K0",
        b"K1",
        b"Q",
        b"",
    ]
)
steps = st.one_of(
    st.tuples(st.just("get"), frames),
    st.tuples(st.just("legal"), st.integers(0, 10**6)),
    st.tuples(st.just("think"), st.integers(0, 10**6)),
    st.tuples(st.just("wait"), st.sampled_from([0.01, 1.0, 6.0, 70.0])),
    st.tuples(st.just("back"), st.integers(1, 3)),
    st.tuples(st.just("end"), st.sampled_from(EndReason)),
    st.tuples(st.just("late"), st.just(0)),
)


def legal_frame(desk: Desk, number: int) -> bytes | None:
    """A MOVE that the other side may make now, captured squares in a random order."""
    game = desk.machine.game
    if desk.machine.state is not State.PLAY or game is None or game.our_turn or not game.board.legal_moves():
        return None
    move = game.board.legal_moves()[number % len(game.board.legal_moves())]
    captured = random.Random(number).sample(move.captured, len(move.captured))
    return f"M0000{move.frm:02}{move.to:02}{len(captured):02}{''.join(f'{n:02}' for n in captured)}".encode()


def step(desk: Desk, what: str, value: object, size: int) -> None:
    """One thing that can happen to a machine."""
    match what, value:
        case "get", bytes(frame):
            stream = frame + b"\0"
            for at in range(0, len(stream), size):
                if not desk.closed:
                    desk.handle(desk.machine.receive(stream[at : at + size], desk.now))
        case "legal", int(number):
            if (move := legal_frame(desk, number)) is not None:
                desk.get(move)
        case "think", int(number) if desk.thought is not None:
            legal = desk.thought.game.legal_moves()
            desk.move(legal[number % len(legal)])
        case "wait", float(seconds):
            desk.wait(seconds)
        case "back", int(number) if desk.machine.state is State.PLAY:
            try:
                desk.handle(desk.machine.take_back(number, Side(number % 2), desk.now))
            except ValueError:
                assert desk.machine.state is State.PLAY
        case "end", EndReason() as reason if not desk.closed:
            desk.handle(desk.machine.end(reason, False, desk.now))
        case "late", _:
            assert desk.machine.moved(-1, None, desk.now) == []


@settings(deadline=None, max_examples=200)
@given(st.lists(steps, max_size=60), st.integers(1, 50))
def test_any_sequence(sequence: list[tuple[str, object]], size: int) -> None:
    desk = Desk(POLICY)
    accepted = 0
    for what, value in sequence:
        if desk.closed:
            break
        before = len(desk.sent)
        step(desk, what, value, size)
        machine = desk.machine
        sent = desk.sent[before:]
        for frame in sent:
            decode(frame)  # nothing malformed ever leaves
        accepted += sum(frame.startswith(b"A") and frame.endswith(b"0") for frame in sent)
        assert (machine.game is not None) is machine.playing
        assert len(desk.records) == accepted - machine.playing, "one record for each game that is over"
        thinks = machine.state is State.PLAY and machine.game is not None and machine.game.our_turn
        assert desk.thought is None or thinks, "a search at the wrong time"
        if machine.state is State.PLAY and machine.game is not None and not machine.game.our_turn:
            assert machine.deadline is not None, "nobody would ever move"
    if not desk.closed:
        desk.handle(desk.machine.receive(b"", desk.now))
    assert len(desk.records) == accepted


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**9))
def test_two_machines_with_bytes_in_any_portions(seed: int) -> None:
    """Four games with take-backs at any time, bytes in portions of any size: both ends agree on every game."""
    rnd = random.Random(seed)
    desks = [Desk(Policy(name="L")), Desk(Policy(name="R"))]
    players = [random_player(seed), random_player(seed + 1)]
    pipes = [b"", b""]  # bytes on the way to each
    late = Position.from_hub(LATE.replace("z", "b"), "international")
    for _ in range(6000):
        here = rnd.randrange(2)
        desk = desks[here]
        if all(each.machine.state is State.IDLE for each in desks) and not any(pipes):
            if len(desk.records) == 4:
                break
            desk.handle(desk.machine.propose(Proposal(late, Side(rnd.randrange(2))), 0.0))
        elif desk.thought is not None and rnd.random() < 0.6:
            desk.move(players[here](desk.thought.game))
        elif rnd.random() < 0.05:
            step(desk, "back", rnd.randrange(1, 5), 1)
        portion, pipes[here] = pipes[here][: (size := rnd.randrange(1, 40))], pipes[here][size:]
        if portion:
            desk.handle(desk.machine.receive(portion, 0.0))
        pipes[1 - here] += desk.take()
    left, right = desks[0].records, desks[1].records
    assert len(left) == len(right) == 4
    for one, other in zip(left, right, strict=True):
        assert (one.white, one.moves, one.result) == (other.white, other.moves, other.result)
        assert one.result != "*"
