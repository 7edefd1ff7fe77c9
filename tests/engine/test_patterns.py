"""The trained evaluation: symmetry, the same integers as a slow reading of its definition, and files that are bad."""

import random
from array import array
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from engine import VARIANTS, Engine, Game, Limits, Position, Rules, Side, WeightsError, find_variant
from engine import pattern_weights as files
from engine.moves import hot_module, is_wide, load
from engine.pattern_groups import groups, look, states, turned
from engine.rules import Objective
from tests.engine.positions import positions

FEW, MANY = 4, 20


@cache
def some_weights(rules: Rules) -> files.Weights:
    """Random weights."""
    header = files.Header(files.family(rules), groups(rules), files.features(rules), FEW, MANY)
    numbers = random.Random(7)
    some = array("h", (numbers.randint(-3000, 3000) for _ in range(6007)))  # again and again: there are many weights
    size = files.size_of(header.groups, rules)
    values = (some * (size // len(some) + 1))[:size]
    return files.parse(files.to_bytes(header, values), rules)


def score(position: Position, weights: files.Weights | None) -> int:
    """What the evaluation says, for the side to move."""
    wide = is_wide(position.rules)
    board = hot_module("board", wide).Board(position.rules)
    evaluation = hot_module("evaluate", wide).Evaluation(position.rules)
    evaluation.use(weights)
    load(board, position)
    return int(evaluation.of(board))


def mirrored(position: Position) -> Position:
    """The board turned round and the colours changed."""
    n = position.rules.squares

    def turn(squares: int) -> int:
        return sum(1 << n - 1 - i for i in range(n) if squares >> i & 1)

    return Position(
        position.rules,
        Side.BLACK if position.turn is Side.WHITE else Side.WHITE,
        turn(position.black_men), turn(position.black_kings), turn(position.white_men), turn(position.white_kings),
    )  # fmt: skip


def slow_score(position: Position, weights: files.Weights) -> int:
    """White's score before bounds and scaling, read square by square from the definition."""
    rules, values = position.rules, weights.values
    men = {0: position.white_men, 1: position.black_men}
    kings = {0: position.white_kings, 1: position.black_kings}
    taken = men[0] | men[1] | kings[0] | kings[1]

    def has(board: int, square: int | None) -> bool:
        return square is not None and bool(board >> square - 1 & 1)

    def free(square: int, down: tuple[int, ...]) -> int:
        column, row = rules.coordinates(square)
        if rules.all_squares:
            steps = [(0, d) for d in down] + [(-1, 0), (1, 0)]
        else:
            steps = [(side, d) for d in down for side in (-1, 1)]
        places = [rules.square_at(column + x, row + y) for x, y in steps]
        return sum(place is not None and not has(taken, place) for place in places)

    def squares(board: int) -> list[int]:
        return [square for square in range(1, rules.squares + 1) if has(board, square)]

    found = [0, 0]
    for side, sign in ((0, 1), (1, -1)):
        own, enemy = men[side], men[1 - side]
        at = 0
        for group in weights.header.groups:
            seen = group if side == 0 else turned(rules, group)
            state = sum(3**i * (has(own, s) + 2 * has(enemy, s)) for i, s in enumerate(seen))
            for phase in (0, 1):
                found[phase] += sign * values[at + 2 * state + phase]
            at += 2 * states(group)
        left = sum(2 * rules.coordinates(s)[0] < rules.columns for s in squares(own))
        count = len(squares(kings[side]))
        numbers = [
            len(squares(own)),
            int(count > 0),
            count - (count > 0),
            sum(free(s, (-1, 1)) for s in squares(kings[side])),
            sum(free(s, (-1,) if side == 0 else (1,)) for s in squares(own)),
            abs(2 * left - len(squares(own))),
            int(position.turn == side),
        ]
        places = range(1, rules.squares + 1)
        numbers += [int(has(kings[side], square)) for square in (places if side == 0 else reversed(places))]
        for i, number in enumerate(numbers):
            for phase in (0, 1):
                found[phase] += sign * number * values[at + 2 * i + phase]
    share = max(0, min(256, 256 * (taken.bit_count() - FEW) // (MANY - FEW)))
    total = found[0] * share + found[1] * (256 - share)
    return abs(total) // (256 * files.UNIT) * (1 if total >= 0 else -1)


@settings(deadline=None)
@given(positions())
def test_the_mirror_image_has_the_opposite_score(position: Position) -> None:
    weights = some_weights(position.rules)
    assert score(position, weights) == score(mirrored(position), weights)


@settings(deadline=None)
@given(positions(legal=True))
def test_integers_are_those_of_the_definition(position: Position) -> None:
    weights = some_weights(position.rules)
    expected = slow_score(position, weights)
    got = score(position, weights) * (1 if position.turn is Side.WHITE else -1)
    rules, white_wins = position.rules, expected > 0
    if rules.flying and not rules.lands_behind and rules.objective is not Objective.LOSE:
        strong = position.white_men | position.white_kings
        caught = position.black_kings
        if not white_wins:
            strong, caught = position.black_men | position.black_kings, position.white_kings
        if caught and strong.bit_count() <= 4:  # few pieces rarely catch a flying king
            share = 2 if strong.bit_count() == 4 else 4
            expected = abs(expected) // share * (1 if white_wins else -1)
    assert got == max(-7900, min(7900, expected))


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=lambda rules: rules.name)
def test_groups_cover_every_pair_of_neighbours_and_are_read_without_loss(rules: Rules) -> None:
    covered: set[tuple[int, int]] = set()
    for group in groups(rules):
        for seen in (group, turned(rules, group)):
            covered |= {(a, b) for a in seen for b in seen}
            how = look(rules, seen)
            assert sum(how.digits) == sum(3**i for i in range(len(seen))) * 2 ** (len(seen) - 1)
    for square in range(1, rules.squares + 1):
        column, row = rules.coordinates(square)
        steps = ((1, 0), (0, 1)) if rules.all_squares else ((1, 1), (-1, 1))
        for x, y in steps:
            other = rules.square_at(column + x, row + y)
            assert other is None or (square, other) in covered


def test_weights_decide_what_the_engine_plays_and_can_be_switched_off(tmp_path: Path) -> None:
    rules = find_variant("russian")
    weights = some_weights(rules)
    files.write(tmp_path / files.file_name(rules), weights.header, weights.values)

    def nodes(**values: str) -> int:
        engine = Engine()
        for name, value in {"variant": "russian", "bb-size": 0, "book": False, "tt-size": 12, **values}.items():
            engine.set_param(name.replace("_", "-"), value)
        engine.prepare()
        report = engine.search(Game(Position.start(rules)), Limits(depth=6)).report
        assert report is not None
        return report.nodes

    trained = nodes(weights_path=str(tmp_path))
    assert trained == nodes(weights_path=str(tmp_path / "russian.weights"))
    assert trained != nodes(evaluation="hand-made", weights_path=str(tmp_path))


def spoilt(kind: str, rules: Rules) -> bytes:
    weights = some_weights(rules)
    data = files.to_bytes(weights.header, weights.values)
    header = weights.header
    match kind:
        case "damaged":
            return data[:5000] + bytes([data[5000] ^ 1]) + data[5001:]
        case "torn":
            return data[:-100]
        case "empty":
            return b""
        case "other kind":
            return b"GIF89a" + data
        case "other features":
            other = files.Header(header.variant, header.groups, ("men",), FEW, MANY)
        case "other groups":
            other = files.Header(header.variant, ((1, 1),), header.features, FEW, MANY)
        case "square off the board":
            other = files.Header(header.variant, ((1, 99),), header.features, FEW, MANY)
        case "short":
            other = header
            return files.to_bytes(other, weights.values[:-2])
    return files.to_bytes(other, weights.values)


@pytest.mark.parametrize(
    "kind",
    ["damaged", "torn", "empty", "other kind", "other features", "other groups", "square off the board", "short"],
)
def test_a_bad_file_is_told_once_and_the_hand_made_evaluation_plays(kind: str, tmp_path: Path) -> None:
    rules = find_variant("russian")
    (tmp_path / "russian.weights").write_bytes(spoilt(kind, rules))
    engine = Engine()
    engine.set_param("variant", "russian")
    engine.set_param("bb-size", 0)
    engine.set_param("weights-path", str(tmp_path))
    engine.set_param("book", False)
    engine.prepare()
    engine.prepare()
    problems = engine.take_problems()
    assert len(problems) == 1
    assert f"{tmp_path / 'russian.weights'}: " in problems[0]
    assert engine.search(Game(Position.start(rules)), Limits(depth=2)).move is not None


def test_weights_of_another_variant_and_missing_files_are_refused(tmp_path: Path) -> None:
    russian = some_weights(find_variant("russian"))
    file = tmp_path / "english.weights"
    files.write(file, russian.header, russian.values)
    with pytest.raises(WeightsError, match="weights of russian, not of english"):
        files.load(file, find_variant("english"))
    with pytest.raises(WeightsError, match="No such file"):
        files.load(tmp_path / "none", find_variant("english"))


def test_variants_of_equal_movement_share_a_file() -> None:
    assert files.file_name(find_variant("portuguese")) == "spanish.weights"
    claimed = find_variant("russian").with_options({"draw-mode": "claim", "r5-r6": "replace"})
    assert files.file_name(claimed) == "russian.weights"


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=lambda rules: rules.name)
def test_a_file_keeps_what_was_written(rules: Rules) -> None:
    numbers = random.Random(3)
    header = files.Header(files.family(rules), groups(rules)[:1], files.features(rules), 0, 9, {"seed": 1})
    values = [numbers.choice((0, 0, 0, -32768, 32767)) for _ in range(files.size_of(header.groups, rules))]
    got = files.parse(files.to_bytes(header, values), rules)
    assert (got.header, list(got.values)) == (header, values)
