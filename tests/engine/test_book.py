"""Opening books: the file, damage, the choice of moves, and when the engine plays from one."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import VARIANTS, BookError, Engine, Game, Limits, Mode, Position, Result
from engine.book import FOLDER, Book, BookMove, pack, packaged_book, position_key
from engine.hub_position import parse_hub_position

SIX = ("russian", "brazilian", "english", "italian", "pool", "international")


def book_of(variant: str, scores: Sequence[int], plies: int = 1) -> bytes:
    """A book whose positions up to `plies` plies from the start give their moves the scores in turn."""
    entries, level = {}, [Position.start(variant)]
    for _ in range(plies):
        for position in level:
            moves = zip(position.legal_moves(), scores, strict=False)
            entries[position_key(position)] = [BookMove(move, score) for move, score in moves]
        level = [position.play(move) for position in level for move in position.legal_moves()]
    return pack(variant, entries, {"command": "by hand"})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A Russian book of two plies, in which moves score 10, 8, 6, -50 from the first one on."""
    path = tmp_path / "own.book"
    path.write_bytes(book_of("russian", (10, 8, 6, -50), 2))
    return path


def player(file: Path | None = None, variant: str = "russian", **params: object) -> Engine:
    """An engine with a small table."""
    engine = Engine()
    values = {"variant": variant, "tt-size": 12, "bb-size": 0, "book-file": str(file or "")}
    for name, value in (values | params).items():
        engine.set_param(name.replace("_", "-"), value)
    engine.seed_book(1)
    return engine


def think(engine: Engine, game: Game | None = None, mode: Mode = "think", limits: Limits | None = None) -> Result:
    """A small search of a game, by default at its start."""
    return engine.search(game or Game(Position.start(engine.rules)), limits or Limits(nodes=200), mode)


def from_book(result: Result) -> bool:
    assert result.report is not None
    return result.report.book


# ---------------------------------------------------------------------- the file
def test_what_is_packed_is_read() -> None:
    start = Position.start("international")
    moves = start.legal_moves()
    game = Game(start)
    for text in ("32-28", "19-23"):
        game.play(text)
    entries = {
        position_key(start): [BookMove(move, score) for score, move in enumerate(moves, -3)],
        position_key(game.position): [BookMove(game.legal_moves()[0], -10000)],
    }
    book = Book(pack("international", entries, {"command": "x"}), "international")
    assert (len(book), book.header["moves"], book.header["command"]) == (2, len(moves) + 1, "x")
    assert book.moves(start) == tuple(sorted(entries[position_key(start)], key=lambda one: -one.score))
    (capture,) = book.moves(game.position)
    assert (capture.move.hub(), capture.score) == ("28x19x23", -10000)
    assert book.moves(start.play(moves[0])) == ()


def test_keys_stay_what_they_are() -> None:
    assert position_key(Position.start("russian")) == 2582101674415249753
    kings = "W" + "e" * 32 + "Webew" + "e" * 13
    rules = VARIANTS["frisian"]
    assert position_key(parse_hub_position(kings, rules)) == 9459255385308368487
    assert position_key(parse_hub_position(kings, rules, "W33=2")) == 7346791860576681509


def test_every_damaged_byte_is_noticed() -> None:
    data = book_of("russian", (10, 8))
    assert len(Book(data, "russian")) == 1
    for place in range(len(data)):
        with pytest.raises(BookError):
            Book(data[:place] + bytes((data[place] ^ 0x41,)) + data[place + 1 :], "russian")
        with pytest.raises(BookError):
            Book(data[:place], "russian")


def test_parts_that_do_not_fit_are_noticed() -> None:
    data = pack("russian", {}, {"positions": 7})
    with pytest.raises(BookError, match="do not fit"):
        Book(data, "russian")


def test_a_book_of_another_variant_is_refused(file: Path) -> None:
    with pytest.raises(BookError, match=r"own\.book: a book of russian, not of pool"):
        Book.load(file, "pool")
    with pytest.raises(BookError, match="No such file"):
        Book.load(file.with_name("none"), "pool")


def test_moves_that_are_not_legal_are_not_given() -> None:
    start = Position.start("russian")
    other = start.play(start.legal_moves()[0]).legal_moves()[0]
    right = BookMove(start.legal_moves()[0], 1)
    book = Book(pack("russian", {position_key(start): [BookMove(other, 5), right]}, {}), "russian")
    assert book.moves(start) == (right,)


# ---------------------------------------------------------------------- play
def test_the_answer_names_score_line_and_source(file: Path) -> None:
    result = think(player(file, book_margin=0))
    report = result.report
    assert report is not None
    assert (report.book, report.depth, report.nodes, report.score) == (True, 1, 0, 10)
    assert result.move == report.pv[0]
    assert result.ponder == report.pv[1]  # the book ends behind it
    assert len(report.pv) == 2


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"book_margin": 0}, {10}),
        ({"book_margin": 2}, {10, 8}),
        ({"book_margin": 4}, {10, 8, 6}),
        ({"book_margin": 100}, {10, 8, 6, -50}),
        ({"book_margin": 100, "book_ply": 0}, {10}),
    ],
)
def test_margin_and_plies_bound_the_choice(file: Path, params: dict[str, object], expected: set[int]) -> None:
    engine = player(file, "russian", **params)
    reports = [think(engine).report for _ in range(80)]
    assert {report.score for report in reports if report} == expected


def test_plies_are_counted_from_the_start_of_the_game(file: Path) -> None:
    engine = player(file, book_margin=100, book_ply=1)
    game = Game(Position.start("russian"))
    game.play(game.legal_moves()[0])
    assert {think(engine, game).report.score for _ in range(40)} == {10}  # type: ignore[union-attr]


def test_choices_differ_unless_they_are_seeded(file: Path) -> None:
    engine = player(file)
    lines = []
    for seed in (5, 5, 6):
        engine.seed_book(seed)
        lines.append([think(engine).move for _ in range(30)])
    assert lines[0] == lines[1] != lines[2]
    assert Engine()._shelf.chance.getstate() != Engine()._shelf.chance.getstate()


@pytest.mark.parametrize(
    ("params", "mode", "limits"),
    [
        ({}, "analyze", Limits(nodes=200)),
        ({}, "ponder", Limits(nodes=200)),
        ({}, "think", Limits(nodes=200, infinite=True)),
        ({"book": False}, "think", Limits(nodes=200)),
        ({"multi_pv": 2}, "think", Limits(nodes=200)),
        ({"strength": 19}, "think", Limits(nodes=200)),
    ],
)
def test_where_no_book_is_played(file: Path, params: dict[str, object], mode: Mode, limits: Limits) -> None:
    assert from_book(think(player(file)))
    assert not from_book(think(player(file, "russian", **params), mode=mode, limits=limits))


def test_other_rules_of_movement_play_without_the_book(tmp_path: Path) -> None:
    file = tmp_path / "english.book"
    file.write_bytes(book_of("english", (3, 2)))
    assert from_book(think(player(file, "english")))
    assert not from_book(think(player(file, "english", mandatory_capture=False)))


def test_draw_rules_leave_the_book_in_use(file: Path) -> None:
    assert from_book(think(player(file, repetition=5, draw_mode="claim")))


def test_search_moves_bound_the_choice(file: Path) -> None:
    engine = player(file, book_margin=0)
    moves = Position.start("russian").legal_moves()
    limited = think(engine, limits=Limits(nodes=200, search_moves=moves[2:]))
    assert from_book(limited)
    assert limited.move == moves[2]
    outside = think(engine, limits=Limits(nodes=200, search_moves=moves[5:]))
    assert not from_book(outside)
    assert outside.move in moves[5:]


def test_positions_are_found_however_they_came_about(tmp_path: Path) -> None:
    orders = [("c3-d4", "b6-a5", "g3-f4", "f6-g5"), ("g3-f4", "f6-g5", "c3-d4", "b6-a5")]
    games = []
    for order in orders:
        game = Game(Position.start("russian"))
        for text in order:
            game.play(text)
        games.append(game)
    assert games[0].position == games[1].position
    set_up = Game(Position.from_fen(games[0].position.fen(), "russian"))
    move = games[0].legal_moves()[0]
    entries = {position_key(games[0].position): [BookMove(move, 3)]}
    file = tmp_path / "one.book"
    file.write_bytes(pack("russian", entries, {}))
    engine = player(file)
    assert not from_book(think(engine))
    for game in (*games, set_up):
        assert from_book(result := think(engine, game))
        assert result.move == move


def test_a_position_that_comes_back_is_left_to_the_search(tmp_path: Path) -> None:
    game = Game(Position.from_fen("W:WKa1:BKb8", "russian"))
    entries = {position_key(game.position): [BookMove(game.legal_moves()[0], 0)]}
    file = tmp_path / "kings.book"
    file.write_bytes(pack("russian", entries, {}))
    engine = player(file)
    assert game.occurrences == 1
    assert from_book(think(engine, game))
    for text in ("a1-b2", "b8-a7", "b2-a1", "a7-b8"):
        game.play(text)
    assert game.occurrences == 2
    assert not from_book(think(engine, game))


def test_a_damaged_book_is_told_once_and_left_out(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-20] ^= 1
    file.write_bytes(data)
    engine = player(file)
    assert not from_book(think(engine))
    engine.prepare()
    (problem,) = engine.take_problems()
    assert "own.book" in problem
    assert "damaged" in problem
    engine.set_param("book", False)
    engine.prepare()
    engine.set_param("book", True)
    engine.prepare()
    assert engine.take_problems() == []
    engine.set_param("book-file", "")
    engine.prepare()
    assert engine.take_problems() == []


def test_a_variant_change_changes_the_book(file: Path) -> None:
    engine = player(file)
    assert from_book(think(engine))
    engine.set_param("variant", "pool")
    assert not from_book(think(engine))
    assert engine.take_problems() == [f"opening book {file}: a book of russian, not of pool"]
    engine.set_param("variant", "russian")
    assert from_book(think(engine))


# ---------------------------------------------------------------------- the books that come with damier
def test_books_are_those_of_the_main_variants() -> None:
    assert {path.stem for path in FOLDER.glob("*.book")} == set(SIX)
    for name in set(VARIANTS) - set(SIX):
        engine = player(variant=name)
        assert not from_book(think(engine))
        assert engine.take_problems() == []
    assert not from_book(think(player(variant="russian-losing")))


@pytest.mark.parametrize("variant", SIX)
def test_every_move_of_a_book_is_legal_and_every_position_can_be_reached(variant: str) -> None:
    book = Book.load(packaged_book(variant), variant)
    start = Position.start(variant)
    seen, todo, moves = {position_key(start)}, [start], 0
    while todo:
        position = todo.pop()
        found = book.moves(position)
        moves += len(found)
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        assert all(one.score >= found[0].score - 100 for one in found)
        for one in found:
            after = position.play(one.move)
            key = position_key(after)
            if key not in seen and book.moves(after):
                seen.add(key)
                todo.append(after)
    assert (len(seen), moves) == (len(book), book.header["moves"])
    assert len(book.line(start)) >= 6


@pytest.mark.parametrize("variant", SIX)
def test_games_from_a_book_differ(variant: str) -> None:
    engine = player(variant=variant)
    openings = set()
    for seed in range(100):
        engine.seed_book(seed)
        game = Game(Position.start(variant))
        while from_book(result := think(engine, game, limits=Limits(nodes=1))):
            assert result.move is not None
            game.play(result.move)
        openings.add(tuple(game.moves))
    assert len(openings) >= 50


@pytest.mark.parametrize("variant", SIX)
def test_a_book_says_how_it_was_made(variant: str) -> None:
    header = Book.load(packaged_book(variant), variant).header
    assert header["command"].startswith(f"python scripts/build_book.py --variant {variant} ")
    assert json.dumps(header)
    assert header["command"] in (FOLDER / "README.md").read_text(encoding="utf-8")
