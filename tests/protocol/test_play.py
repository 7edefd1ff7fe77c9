"""`damier play`: what each line does, with an opponent that plays the first legal move."""

from datetime import date
from pathlib import Path

import pytest

from engine import (
    VARIANTS,
    Engine,
    Game,
    IllegalMoveError,
    Move,
    MoveError,
    Outcome,
    Position,
    Report,
    Result,
    Side,
    find_variant,
)
from engine.counters import Pattern
from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from protocol.play.board import draw
from protocol.play.opponent import Opponent
from protocol.play.record import to_pdn
from protocol.play.session import Refusal, Screen, Session, read_move, read_seconds
from protocol.play.words import MATERIAL, describe_counter, describe_end


class FirstMove(Opponent):
    """Plays the first legal move; agrees to draws when told so."""

    agrees = False

    def __init__(self) -> None:
        super().__init__(Engine(), 1.0)

    def reply(self, game: Game) -> Move:
        return game.legal_moves()[0]

    def advise(self, game: Game) -> Result:
        move = game.legal_moves()[-1]
        return Result(move, None, Report(1, 1, 1.0, 12, 1, 0.1, (move,)))

    def accepts_draw(self, game: Game) -> bool:
        return self.agrees


class Paper(Screen):
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.boards: list[tuple[Position, bool, Move | None]] = []

    def say(self, text: str) -> None:
        self.texts.append(text)

    def board(self, position: Position, flipped: bool, last: Move | None) -> None:
        self.boards.append((position, flipped, last))


class Table:
    """A session with its screen."""

    def __init__(self, variant: str, side: Side = Side.WHITE, fen: str = "", archive: Path | None = None) -> None:
        rules = find_variant(variant)
        start = Position.from_fen(fen, rules) if fen else Position.start(rules)
        self.paper = Paper()
        self.opponent = FirstMove()
        self.session = Session(start, side, self.opponent, self.paper, archive)
        self.session.begin()

    def type(self, *lines: str) -> list[str]:
        """Type lines; what is said to them."""
        before = len(self.paper.texts)
        for line in lines:
            assert self.session.answer(line)
        return self.paper.texts[before:]

    @property
    def played(self) -> list[str]:
        return [move.hub() for move in self.session.game.moves]


def test_a_move_is_answered_and_shown_from_the_players_side() -> None:
    table = Table("russian")
    assert table.paper.texts[0].startswith("Russian draughts. You are White; the engine plays at level 20 of 20, 1 s")
    said = table.type("c3-d4")
    assert said == ["The engine plays b6-a5"]
    position, flipped, last = table.paper.boards[-1]
    assert position == table.session.game.position
    assert not flipped
    assert last == table.session.game.moves[1]


def test_the_engine_begins_when_the_player_is_second() -> None:
    table = Table("russian", Side.BLACK)
    assert table.paper.texts[1].startswith("The engine plays ")
    assert table.paper.boards[-1][1]
    assert len(table.played) == 1


@pytest.mark.parametrize(
    ("variant", "fen", "text", "hub"),
    [
        ("russian", "", "c3d4", "22-18"),
        ("russian", "", "C3 - D4", "22-18"),
        ("russian", "", "b4", None),  # a3 or c3 go there
        ("russian", "", "h4", "24-20"),
        ("russian", "", "a3", "21-17"),
        ("international", "", "32-28", "32-28"),
        ("international", "", "3228", "32-28"),
        ("international", "", "35", "35-30"),
        ("international", "", "32", None),
        ("thai", "", "5-9", None),
        ("english", "B:W22:B18,1", "25", "18x25x22"),
        ("russian", "W:Wc1:Bd2,d4,f4,f2", "c1:e3", None),
        ("russian", "W:Wa1:Bb2,d4,d6,f6", "a1:c3:e5:g7", "29x8x11x18x25"),
    ],
)
def test_moves_in_short(variant: str, fen: str, text: str, hub: str | None) -> None:
    rules = find_variant(variant)
    game = Game(Position.from_fen(fen, rules) if fen else Position.start(rules))
    if hub is None:
        with pytest.raises(IllegalMoveError):
            read_move(text, game)
    else:
        assert hub in [move.hub() for move in game.legal_moves()]
        assert read_move(text, game).hub() == hub


def test_what_cannot_be_played_is_said_and_changes_nothing() -> None:
    table = Table("russian")
    assert table.type("c3-c4") == ["c4 is not a playable square at column 4: 'c3-c4'"]
    assert table.type("c3-e5") == ["illegal move: 'c3-e5'"]
    assert table.type("c5") == ["no legal move to or from there: 'c5'"]
    assert table.type("b4") == ["ambiguous, it may be a3-b4, c3-b4: 'b4'"]
    assert table.type("frob") == ["'frob' is neither a move nor a command; help lists the commands"]
    assert table.type("c3-") == ["not a move: 'c3-'"]
    assert table.type("", "   ") == []
    assert table.played == []


def test_a_due_capture_is_named() -> None:
    table = Table("russian", fen="W:Wc3,a1:Bd4,h8")
    assert table.type("a1-b2") == ["illegal move; you must capture: c3:e5: 'a1-b2'"]


def test_undo_takes_back_a_pair() -> None:
    table = Table("russian")
    assert table.type("undo") == ["there is no move of yours to take back"]
    table.type("c3-d4", "undo")
    assert table.played == []
    table = Table("russian", Side.BLACK)
    assert table.type("undo") == ["there is no move of yours to take back"]
    first = table.played
    table.type(str(table.session.game.legal_moves()[0]), "undo")
    assert table.played == first


def test_a_finished_game_can_be_taken_back_and_left() -> None:
    table = Table("russian", fen="W:Wc3,a1:Bd4")
    assert table.type("c3:e5") == ["White wins: Black has no piece (no pieces)."]
    assert table.session.ended == Outcome(Side.WHITE, "no pieces")
    for line in ("e5-f6", "resign", "draw", "hint"):
        assert table.type(line) == ["the game is over; undo, new or quit"]
    table.type("undo")
    assert table.session.ended is None
    table.type("c3:e5", "new")
    assert table.played == []
    assert not table.session.answer("quit")


def test_resigning_and_taking_it_back() -> None:
    table = Table("russian")
    assert table.type("c3-d4", "resign")[-1] == "Black wins: White resigned."
    table.type("undo")
    assert table.session.ended is None
    assert len(table.played) == 2


def test_draws_by_agreement_and_by_claim() -> None:
    table = Table("russian")
    assert table.type("draw") == ["The engine declines."]
    table.opponent.agrees = True
    assert table.type("draw") == ["Draw: agreed."]
    claims = find_variant("russian").with_options({"draw-mode": "claim", "move-limit": 2})
    table = Table("russian")
    table.session.start = Position.start(claims)
    table.type("new")
    assert table.type("c3-d4")[-1] == "You may claim a draw (move-limit): type draw."
    assert table.type("draw") == ["Draw: 1 moves of each side (rule move-limit)."]


def test_settings() -> None:
    table = Table("russian")
    assert table.type("level 3", "level") == ["Level 3 of 20"] * 2
    for text in ("0", "21", "x", "-1", "1.5"):
        assert table.type(f"level {text}") == ["a level is a number from 1 to 20"]
    assert table.opponent.strength == 3
    assert table.type("time 0.5", "TIME") == ["0.5 s a move"] * 2
    for text in ("0", "nan", "inf", "-1", "x"):
        assert table.type(f"time {text}") == ["a time is a number of seconds from 0.01 to 3600"]
    assert table.type("flip") == []
    assert table.paper.boards[-1][1]
    assert table.type("new red") == ["new, new white or new black"]
    table.type("new black")
    assert table.session.human is Side.BLACK
    assert table.type("fen") == [table.session.game.position.fen()]
    assert table.type("hint")[0].endswith("(+0.12 for you)")
    with pytest.raises(Refusal):
        read_seconds("soon")


def test_help_knows_every_command() -> None:
    table = Table("international")
    said = table.type("help")
    assert "32-28" in said[0] or "-" in said[0]
    for name in ("moves", "hint", "undo", "level", "time", "flip", "draw", "resign", "new", "save", "fen", "quit"):
        assert any(line.split()[0] == name and len(line.split()) > 1 for line in said[1:])
    names = table.type("moves")[0]
    assert names.startswith("9 moves: ")
    assert "32-28" in names


def read_back(path: Path) -> list[tuple[list[str], str]]:
    """Moves and result of each game of a file; every one must replay whole."""
    found = []
    for game in read_games(path):
        done = replay(game)
        assert not game.errors
        assert done.complete
        assert done.game is not None
        found.append(([move.hub() for move in done.game.moves], done.result(game)))
    return found


def test_every_game_is_archived_once(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    table = Table("english", Side.BLACK, archive=file)
    table.type("11-15")
    one = table.played
    table.type("new")  # broken off
    table.type("new", "new")  # not begun
    table.type("11-16", "resign")
    two = table.played
    table.session.close()
    assert read_back(file) == [(one, "*"), (two, "1-0")]
    table.type("undo", "9-13")
    three = table.played
    table.session.close()
    assert read_back(file)[2:] == [(three, "*")]


def test_saving(tmp_path: Path) -> None:
    table = Table("turkish")
    table.type("a3-a4")
    file = tmp_path / "my games.pdn"
    assert table.type(f"save {file}") == [f"The game stands in {file}"]
    assert read_back(file) == [(table.played, "*")]
    assert table.type("save") == ["save FILE"]
    assert table.type(f"save {tmp_path}")[0].startswith("not saved: ")


def test_a_game_that_cannot_be_archived_is_shown(tmp_path: Path) -> None:
    table = Table("russian", archive=tmp_path / "gone" / "games.pdn")
    table.type("c3-d4")
    with pytest.raises(FileNotFoundError):
        table.session.close()
    assert "1. c3-d4" in table.paper.texts[-1]


def test_pdn_says_who_played() -> None:
    game = Game(Position.start("frisian"))
    game.play("32-28")
    text = to_pdn(game, Side.BLACK, 7, Outcome(Side.WHITE, "resigned"), date(2026, 11, 30))
    assert '[White "damier ' in text
    assert ', level 7"]' in text
    assert '[BlackType "human"]' in text
    assert '[Date "2026.11.30"]' in text
    assert "1. 32-28 {resigned} 2-0" in text or "1. 32-28 {resigned} 1-0" in text


def test_board_without_colours() -> None:
    game = Game(Position.start("russian"))
    move = game.play("c3-d4")
    lines = draw(game.position, marked=(move.frm, move.to), colours=False).plain.splitlines()
    assert lines[0] == " 8     b     b     b     b "
    assert lines[4] == " 4     .    [w]    .     . "
    assert lines[5] == " 3  w    [.]    w     w    "
    assert lines[8] == "    a  b  c  d  e  f  g  h "
    turned = draw(game.position, flipped=True, colours=False).plain.splitlines()
    assert turned[0].startswith(" 1 ")
    assert turned[8] == "    h  g  f  e  d  c  b  a "


def test_board_with_numbers() -> None:
    lines = draw(Position.start("international"), colours=False).plain.splitlines()
    assert lines[0] == "      b1        b2        b3        b4        b5  "
    assert lines[9].startswith(" w46 ")
    assert " .30 " in lines[5]
    assert draw(Position.start("thai"), colours=False).plain.splitlines()[-1].strip().endswith("1")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_square_of_every_board_is_named_once(variant: str) -> None:
    rules = VARIANTS[variant]
    for colours in (False, True):
        text = draw(Position.start(rules), colours=colours).plain
        assert len({len(line) for line in text.splitlines()}) == 1
        if not rules.algebraic:
            digits = "".join(c if c.isdigit() else " " for c in text).split()
            assert sorted(map(int, digits)) == list(range(1, rules.squares + 1))


def test_ends_in_words() -> None:
    russian, losing = find_variant("russian"), find_variant("russian-losing")
    assert describe_end(Outcome(Side.BLACK, "blocked"), russian) == "Black wins: White has no legal move (blocked)."
    assert describe_end(Outcome(Side.BLACK, "no pieces"), losing) == "Black wins: Black has no piece (no pieces)."
    assert describe_end(Outcome(None, "repetition"), russian) == "Draw: the position stood there 3 times (repetition)."
    assert (
        describe_end(Outcome(None, "r5"), russian)
        == "Draw: 15 moves of each side without a capture or a move of a man (rule r5)."
    )
    assert (
        describe_end(Outcome(Side.WHITE, "king"), find_variant("breakthrough")) == "White wins: the first king (king)."
    )
    assert set(MATERIAL) == set(Pattern)
    texts = {describe_counter(counter) for rules in VARIANTS.values() for counter in rules.counters}
    assert "one piece each" in texts
    assert all(texts)


def test_a_text_that_is_no_move() -> None:
    with pytest.raises(MoveError):
        read_move("e2-e4-", Game(Position.start("russian")))
