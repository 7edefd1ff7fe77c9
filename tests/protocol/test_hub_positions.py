"""The Hub server: positions, variants, and what clients mean by numbers (hub.md), on the machine alone."""

import re
from pathlib import Path

import pytest

from engine import Game, Move, Position, find_variant
from tests.protocol.driver import Driver, hub

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
START8 = "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"


def moves_of(answer: list[str]) -> set[str]:
    assert len(answer) == 1
    found = re.fullmatch(r'legal moves="?([^"]*)"?', answer[0])
    assert found is not None
    return set(found[1].split())


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
