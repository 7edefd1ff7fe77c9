"""What the score of a position is made of, part by part, for people.

Everything is in centi-men as White sees it. The parts of a trained evaluation are not yet rounded, so their sum may
differ from the score by a fraction; what few pieces are worth less against a king stands in `subdued`.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.geometry import layout
from engine.moves import hot_module, is_wide, load
from engine.pattern_groups import states
from engine.pattern_weights import FEATURES, UNIT, Weights
from engine.position import Position
from engine.rules import Objective, Rules
from engine.types import Side

WHOLE = 256  # as the evaluation counts phases


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its name, what was counted (White's minus Black's), and what that is worth."""

    name: str
    count: float
    score: float


@dataclass(frozen=True, slots=True)
class GroupPart:
    """A group of squares: what White's men there are worth to White, and those of the turned board to Black."""

    squares: tuple[int, ...]
    white: float
    black: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score and its parts. `pieces`: by square, by how much the score would change without the piece there."""

    trained: bool
    opening: float  # 0 to 1: how much the opening's weights count
    parts: tuple[Part, ...]
    groups: tuple[GroupPart, ...]
    pieces: dict[int, int]
    sum: float
    white: int  # the score as White sees it
    score: int  # for the side to move

    @property
    def subdued(self) -> float:
        """What is taken from the sum because few pieces rarely catch a king, and by rounding and bounds."""
        return self.white - self.sum


def explain(position: Position, weights: Weights | None) -> Explanation:
    """The parts of a position's score by trained weights, or by the hand-made figures."""
    wide = is_wide(position.rules)
    board = hot_module("board", wide).Board(position.rules)
    evaluation = hot_module("evaluate", wide).Evaluation(position.rules)
    evaluation.use(weights)

    def white(position: Position) -> int:
        load(board, position)
        score = int(evaluation.of(board))
        return score if position.turn is Side.WHITE else -score

    whole = white(position)
    pieces = {square: whole - white(_without(position, square)) for square in position.pieces()}
    parts, groups, opening = _hand_made(position) if weights is None else _trained(position, weights)
    total = sum(part.score for part in parts) + sum(group.white - group.black for group in groups)
    score = whole if position.turn is Side.WHITE else -whole
    return Explanation(weights is not None, opening, parts, groups, pieces, total, whole, score)


def _without(position: Position, square: int) -> Position:
    rest = ~(1 << square - 1)
    return replace(
        position,
        white_men=position.white_men & rest,
        white_kings=position.white_kings & rest,
        black_men=position.black_men & rest,
        black_kings=position.black_kings & rest,
        king_runs=((0, 0), (0, 0)),
    )


def _trained(position: Position, weights: Weights) -> tuple[tuple[Part, ...], tuple[GroupPart, ...], float]:
    rules, header = position.rules, weights.header
    wide = is_wide(rules)
    board, patterns = hot_module("board", wide).Board(rules), hot_module("patterns", wide).Patterns(rules)
    patterns.use(weights)
    load(board, position)
    seen = array("i", bytes(8 * len(header.groups)))
    counts = array("i", bytes(4 * len(header.features)))
    patterns.trace(array("Q", board.words()), array("B", [int(position.turn)]), seen, counts)
    share = WHOLE * (len(position.pieces()) - header.few) // (header.many - header.few)
    opening = max(0, min(WHOLE, share)) / WHOLE

    def worth(at: int) -> float:
        return (opening * weights.values[at] + (1 - opening) * weights.values[at + 1]) / UNIT

    groups, at = [], 0
    for i, squares in enumerate(header.groups):
        groups.append(GroupPart(squares, worth(at + 2 * seen[2 * i]), worth(at + 2 * seen[2 * i + 1])))
        at += 2 * states(squares)
    worths = [counts[i] * worth(at + 2 * i) for i in range(len(counts))]
    parts = [Part(name, counts[i], worths[i]) for i, name in enumerate(FEATURES)]
    parts.append(Part("squares of kings", sum(counts[len(FEATURES) :]), sum(worths[len(FEATURES) :])))
    return tuple(parts), tuple(groups), opening


def _hand_made(position: Position) -> tuple[tuple[Part, ...], tuple[GroupPart, ...], float]:
    rules = position.rules
    module = hot_module("evaluate", is_wide(rules))
    last = rules.rows - 1
    factor = module.RUNNER if rules.objective is Objective.BREAKTHROUGH else 1
    taken = set(position.pieces())
    place = layout(rules)

    # a black piece's square comes with a minus
    def row(square: int) -> int:
        line = rules.coordinates(abs(square))[1]
        return line if square > 0 else last - line

    def advance(square: int) -> float:
        return float(factor * module.ADVANCE[(last - row(square)) * (len(module.ADVANCE) - 1) // last])

    def central(square: int) -> float:
        return float(place.centre >> place.bit[abs(square) - 1] & 1)

    def free(square: int) -> float:
        column, line = rules.coordinates(abs(square))
        steps = ((0, 1), (0, -1), (1, 0), (-1, 0)) if rules.all_squares else ((1, 1), (1, -1), (-1, 1), (-1, -1))
        near = (rules.square_at(column + x, line + y) for x, y in steps)
        return float(sum(other is not None and other not in taken for other in near))

    def on_road(square: int) -> float:
        return float(place.road >> place.bit[abs(square) - 1] & 1)

    king = float(module.FLYING_KING if rules.flying else module.SHORT_KING)
    men, kings = (position.white_men, position.black_men), (position.white_kings, position.black_kings)
    rows: list[tuple[str, tuple[int, int], float, Callable[[int], float]]] = [
        ("men", men, float(module.MAN), lambda _: 1.0),
        ("kings", kings, king, lambda _: 1.0),
        ("advance", men, 1.0, advance),
        ("home row", men, float(module.HOME), lambda square: float(row(square) == last)),
        ("centre", men, float(module.CENTRE), central),
        ("king steps", kings, float(module.STEP), free),
        ("kings in the centre", kings, float(module.KING_CENTRE), central),
        ("kings on the main road", kings, float(module.KING_ROAD), on_road),
    ]
    parts = []
    for name, boards, weight, count in rows:
        own = sum(count(square) for square in _squares(boards[0], rules))
        enemy = sum(count(-square) for square in _squares(boards[1], rules))
        parts.append(Part(name, own - enemy, weight * (own - enemy)))
    turn = 1 if position.turn is Side.WHITE else -1
    parts.append(Part("turn", turn, float(module.TURN * turn)))
    sign = -1 if rules.objective is Objective.LOSE else 1
    return tuple(replace(part, score=sign * part.score) for part in parts), (), 1.0


def _squares(board: int, rules: Rules) -> list[int]:
    return [square for square in range(1, rules.squares + 1) if board >> square - 1 & 1]
