"""DXP over real sockets, with an engine that moves at once or never."""

import random
import time
from dataclasses import replace
from datetime import date

import pytest
import trio

from engine import FormatError, Position, Side, find_variant
from engine.pdn_reader import read_game
from protocol import tcp
from protocol.dxp_actions import GameRecord, Policy, Proposal, Timeouts
from protocol.dxp_match import Match
from protocol.dxp_pdn import to_pdn
from protocol.session_dxp import CALLERS, PAUSE, DxpHost
from tests.protocol.dxp_desk import Desk, random_player, request
from tests.protocol.dxp_wire import Caller, RandomEngine, Table, table

ACCEPT = b"A" + b"damier".ljust(32) + b"0"
NOT_THIS = ACCEPT[:-1] + b"2"
WE_ARE_WHITE = Proposal(Position.start("international"), Side.WHITE)


async def until(condition: object, seconds: float = 30.0) -> None:
    """Wait for a condition."""
    assert callable(condition)
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110 - looks at a thread
            await trio.sleep(0.002)


async def test_accept_and_first_move_come_in_separate_reads() -> None:
    """Checklist 9: pydraughts glues what it reads at once and loses the second message."""
    async with table() as place:
        caller = await place.call()
        assert await caller.ask(request("W")) == ACCEPT
        start = time.perf_counter()
        assert (await caller.get()).startswith(b"M")
        assert time.perf_counter() - start > 0.8 * PAUSE
        assert [chunk.count(b"\0") for chunk in caller.chunks] == [1, 1]


async def play(caller: Caller, desk: Desk) -> None:
    """Play on from the other side until the game has ended, as the desk's player wants it."""
    before = len(desk.records)
    while len(desk.records) == before:
        for frame in desk.sent:
            await caller.send(frame)
        desk.sent.clear()
        if len(desk.records) == before:
            frame = await caller.get()
            assert frame, "connection lost"
            desk.get(frame)


async def propose(caller: Caller, desk: Desk, side: Side = Side.BLACK) -> None:
    """Ask for a game and play it to the end."""
    desk.handle(desk.machine.propose(Proposal(Position.start(desk.machine.rules), side), 0.0))
    await play(caller, desk)


async def test_whole_games_with_changing_colours() -> None:
    async with table(RandomEngine(4)) as place:
        caller = await place.call()
        desk = Desk(player=random_player(2))
        for side in (Side.BLACK, Side.WHITE):
            await propose(caller, desk, side)
    assert [record.white for record in desk.records] == ["damier", "damier"]
    assert all(record.result != "*" for record in desk.records)
    assert len(place.notices) >= 2


async def test_other_side_closes_in_mid_search() -> None:
    """Checklist 8: the search stops and the next caller plays."""
    engine = RandomEngine(endless=True)
    async with table(engine) as place:
        caller = await place.call()
        assert await caller.ask(request("W")) == ACCEPT
        await until(lambda: engine.searching)
        await caller.stream.aclose()
        await until(lambda: not engine.searching)
        engine.endless = False
        caller = await place.call()
        assert await caller.ask(request("W")) == ACCEPT
        assert (await caller.get()).startswith(b"M")


async def test_second_caller_is_refused_and_the_first_plays_on() -> None:
    async with table(RandomEngine(3)) as place:
        first, second = await place.call(), await place.call()
        desk = Desk(player=random_player(1))
        desk.handle(desk.machine.propose(WE_ARE_WHITE, 0.0))
        await first.send(*desk.sent)
        desk.sent.clear()
        desk.get(await first.get())
        assert await second.ask(request("W")) == NOT_THIS
        assert await second.ask(request("Z")) == NOT_THIS
        await play(first, desk)
        assert desk.records[0].result != "*"
        assert await second.ask(request("W")) == NOT_THIS, "the first caller keeps the engine for a while"
        await first.stream.aclose()
        await trio.sleep(0.05)
        assert await second.ask(request("W")) == ACCEPT


async def test_end_of_the_session_is_answered_before_it_closes() -> None:
    async with table() as place:
        caller = await place.call()
        assert await caller.ask(request("Z")) == ACCEPT
        await caller.send(b"E01", b"Cfarewell", b"Cand more")
        assert await caller.get() == b"E01"
        assert await caller.get() == b""


async def test_good_bye_when_the_program_ends() -> None:
    async with table(RandomEngine(endless=True)) as place:
        caller = await place.call()
        assert await caller.ask(request("W")) == ACCEPT
        place.host.shut_down()
        assert await caller.get() == b"E01"
        assert await caller.get() == b""


async def test_stream_without_nul_is_cut() -> None:
    async with table() as place:
        caller = await place.call()
        await caller.stream.send_all(b"x" * 5000)
        assert await caller.get() == b""


async def test_caller_that_asks_much_and_never_reads() -> None:
    """Ten thousand take-backs without reading the answers: memory stays bounded, the server lives."""
    async with table() as place:
        caller = await place.call()
        assert await caller.ask(request("Z")) == ACCEPT
        with trio.move_on_after(0.5):
            await caller.stream.send_all(b"B001W\0" * 1_000_000)
        await caller.stream.aclose()
        caller = await place.call()
        await trio.sleep(0.1)
        assert await caller.ask(request("W")) == ACCEPT


async def test_idle_callers_make_room() -> None:
    async with table() as place:
        player = await place.call()
        assert await player.ask(request("Z")) == ACCEPT
        waiting = [await place.call() for _ in range(CALLERS + 10)]
        assert await waiting[-1].ask(request("W")) == NOT_THIS
        assert await waiting[0].get() == b""
        assert (await player.ask(b"M0000322800")).startswith(b"M")


@pytest.mark.parametrize("callers", [50])
async def test_game_goes_on_under_stalled_flooding_and_cut_connections(callers: int) -> None:
    """Issue 7: fifty others stall, flood or cut while a game is on; it loses no message and hardly any time."""
    async with table(RandomEngine(7)) as place:
        caller = await place.call()
        desk = Desk(player=random_player(8))
        delays: list[float] = []

        async def disturb(number: int) -> None:
            rnd = random.Random(number)
            while True:
                try:
                    other = await place.call()
                    match number % 5:
                        case 0:  # stall
                            await other.send(request("W")[:20])
                            await trio.sleep(rnd.random())
                        case 1:  # flood with nonsense
                            await other.stream.send_all(rnd.randbytes(1000) * 100)
                        case 2:  # flood with messages
                            await other.stream.send_all((request("W") + b"\0M0000322800\0B001W\0E00\0") * 500)
                        case 3:  # cut in the middle of a message
                            await other.stream.send_all(request("Z")[:30])
                            await trio.aclose_forcefully(other.stream)
                        case 4:  # ask again and again
                            for _ in range(100):
                                assert await other.ask(request("W")) in (NOT_THIS, b"")
                                await trio.sleep(0.01)
                    await trio.aclose_forcefully(other.stream)
                except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                    pass
                await trio.sleep(0.01)

        async with trio.open_nursery() as nursery:
            desk.handle(desk.machine.propose(replace(WE_ARE_WHITE, moves=12), 0.0))
            await caller.send(*desk.sent)
            desk.sent.clear()
            desk.get(await caller.get())
            for number in range(callers):
                nursery.start_soon(disturb, number)
            while not desk.records:
                for frame in desk.sent:
                    await caller.send(frame)
                desk.sent.clear()
                start = time.perf_counter()
                desk.get(await caller.get())
                delays.append(time.perf_counter() - start)
            nursery.cancel_scope.cancel()
        assert desk.records[0].result != "*"
        assert len(delays) == 13
        assert sorted(delays)[len(delays) // 2] < 5


async def connected(table_: Table, match: Match | None, policy: Policy) -> tuple[DxpHost, list[GameRecord]]:
    """Call a table with a host of our own and play until the connection ends."""
    records: list[GameRecord] = []
    host = DxpHost(RandomEngine(9), table_.host.rules, policy, match=match, on_game=records.append)
    await host.call(await trio.open_tcp_stream("127.0.0.1", table_.port))
    return host, records


@pytest.mark.parametrize("caller_asks", [True, False])
@pytest.mark.parametrize("variant", ["international", "frisian"])
async def test_match_in_all_combinations_of_roles(caller_asks: bool, variant: str) -> None:
    """Server or client as the initiator: four games from two openings, colours changing."""
    rules = find_variant(variant)
    openings = [Position.start(rules), Position.from_fen("B:W31-50:B1-20", rules)]
    match = Match(4, openings, Side.BLACK, 1, 0)
    async with table(RandomEngine(5), Policy(name="T"), None if caller_asks else match, variant) as place:
        host, records = await connected(place, match if caller_asks else None, Policy(name="C"))
        assert not host.failed
    assert [record.white for record in records] == (["T", "C"] * 2 if caller_asks else ["C", "T"] * 2)
    assert [record.start for record in records] == [openings[0]] * 2 + [openings[1]] * 2
    assert match.over
    assert str(match.score).count("0 without") == 0
    assert match.score.won + match.score.drawn + match.score.lost == 4


async def test_match_that_is_refused_has_failed() -> None:
    async with table() as place:
        player = await place.call()
        assert await player.ask(request("Z")) == ACCEPT
        host, records = await connected(place, Match(2, [Position.start("international")]), Policy())
    assert host.failed
    assert records == []


async def test_match_waits_for_somebody_who_plays() -> None:
    """A port scan does not end the match of a listener."""
    match = Match(1, [Position.start("international")], minutes=1)
    async with table(RandomEngine(6), match=match) as place:
        scan = await place.call()
        assert (await scan.get()).startswith(b"R01damier")
        await scan.stream.aclose()
        await trio.sleep(0.05)
        await connected(place, None, Policy())
    assert match.over


async def test_silence_is_timed() -> None:
    policy = Policy(timeouts=Timeouts(idle=0.2))
    async with table(policy=policy) as place:
        caller = await place.call()
        start = time.perf_counter()
        assert await caller.get() == b""
        assert time.perf_counter() - start > 0.15


async def test_clock_reaches_the_engine() -> None:
    engine = RandomEngine()
    async with table(engine) as place:
        caller = await place.call()
        await caller.ask(request("W", minutes="003", moves="040"))
        await caller.get()
    assert engine.limits[0].moves == 40
    assert engine.limits[0].time == pytest.approx(180, abs=1)


async def test_two_hosts_at_once() -> None:
    """bugs.json I02: no state is shared, an address in use is said."""
    async with table(RandomEngine(1)) as one, table(RandomEngine(2), variant="frisian") as two:
        for place in (one, two):
            assert await (await place.call()).ask(request("W")) == ACCEPT
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{one.port}: .*in use"):
            await tcp.listen("127.0.0.1", one.port)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("27531", "127.0.0.1", 27531),
        ("0", "127.0.0.1", 0),
        (":4000", "127.0.0.1", 4000),
        ("example.org", "example.org", 27531),
        ("0.0.0.0:1", "0.0.0.0", 1),
        ("[::1]:99", "::1", 99),
        ("[::1]", "::1", 27531),
        ("::1", "::1", 27531),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert tcp.address(text, 27531) == (host, port)


@pytest.mark.parametrize("text", ["localhost:x", "70000", "[::1]:-1"])
def test_bad_addresses(text: str) -> None:
    with pytest.raises(FormatError, match="port"):
        tcp.address(text, 27531)


async def test_nobody_listens() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = int(listeners[0].socket.getsockname()[1])
    await listeners[0].aclose()
    with pytest.raises(OSError, match=f"cannot connect to 127.0.0.1:{port}"):
        await tcp.connect("127.0.0.1", port, 0.6)


def test_game_as_pdn() -> None:
    """Tags, result, the time of each move and a start position other than the normal one."""
    desk = Desk(player=random_player(1))
    desk.get(
        request(
            "W",
            minutes="010",
            moves="030",
            setup="Z" + "".join({27: "z", 32: "w", 49: "w"}.get(n, "e") for n in range(1, 51)),
        )
    )
    desk.now += 2.5
    desk.get(b"M000027380132")
    desk.get(b"E10")
    text = to_pdn(desk.records[0], 3, date(2030, 1, 2))
    game = read_game(text)
    assert game.tags == {
        "Event": "DXP",
        "Site": "?",
        "Date": "2030.01.02",
        "Round": "3",
        "White": "damier",
        "Black": "Tester",
        "Result": "2-0",
        "GameType": "20,W,10,10,N2,0",
        "SetUp": "1",
        "FEN": "B:W32,49:B27",
        "PlyCount": "2",
        "TimeControl": "30/600",
        "Termination": "Tester resigns",
    }
    assert game.moves[0].text == "27x38"
    assert game.moves[0].comments == ("2.50s",)
