"""PDN out (pdn.md section 9)."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from engine.fen import format_fen
from engine.game import Game
from engine.move import Move
from engine.notation import format_move
from engine.pdn import SEVEN_TAGS, UNKNOWN, PdnGame, PdnMove
from engine.pdn_lexer import escape
from engine.pdn_replay import Replay, replay
from engine.pdn_results import RESULTS, plain, written
from engine.pdn_results import UNKNOWN as NO_RESULT
from engine.position import Position
from engine.rules import Rules
from engine.types import Side

Notation = Literal["pdn", "short", "path", "hub", "numeric", "coordinate"]

# Tags behind the seven, in this order; others follow as they come.
_ORDER = (
    "GameType", "Variant", "SetUp", "FEN", "PlyCount", "WhiteType", "BlackType", "WhiteRating", "BlackRating",
    "TimeControl", "Termination", "Annotator",
)  # fmt: skip
_UNKNOWN_MOVE = "--"  # `...` would read as a part of the move number
_ROUND = str.maketrans("{}", "()")  # braces cannot stand in a comment
_WORD = re.compile(r"(?:\[%[^\[\]]*+\]|\S)+")  # commands stay whole


def format_game(
    game: PdnGame,
    *,
    rules: Rules | None = None,
    notation: Notation = "pdn",
    strict: bool = False,
    white_first: bool = False,
    width: int = 80,
    done: Replay | None = None,
) -> str:
    """A game as PDN text that ends with an empty line.

    Moves that can be replayed are written anew in the `notation` of the variant, others as they were. `strict` ends
    the game with `*` instead of its result, as PDN 3.0 demands and older readers do not expect. `white_first` writes
    English results White's points first. `done` saves replaying (with variations).
    """
    done = replay(game, rules, variations=True) if done is None else done
    result = written(done.result(game, white_first=white_first), done.rules, white_first=white_first)
    tags = _tags(game, done, result, notation)
    lines = [f'[{name} "{escape(value)}"]' for name, value in tags.items()]
    words = list(_Moves(game, done, notation).words())
    end = NO_RESULT if strict else result
    words.append(end if plain(end) in RESULTS else NO_RESULT)
    return "\n".join(lines) + "\n\n" + _wrap(words, width) + "\n\n"


def record(game: Game, tags: Mapping[str, str] | None = None, result: str | None = None) -> PdnGame:
    """A played game as PDN: its moves, its variant, its start and (White's points first) its result."""
    rules = game.start.rules
    outcome = game.outcome
    score = result if result is not None else outcome.score if outcome else NO_RESULT
    found = PdnGame(tags=dict(tags or {}))
    found.tags["Result"] = written(score, rules)
    found.tags |= variant_tags(rules)
    if game.start != Position.start(rules):
        found.tags |= {"SetUp": "1", "FEN": format_fen(game.start)}
    position = game.start
    for move in game.moves:
        found.moves.append(PdnMove(format_move(move, position)))
        position = position.play(move)
    found.tags["PlyCount"] = str(len(game.moves))
    found.terminator = found.tags["Result"]
    return found


def variant_tags(rules: Rules) -> dict[str, str]:
    """GameType in full, with a Variant tag where the number alone does not name the rules."""
    tags = {"GameType": rules.gametype_tag}
    if rules.gametype is None:
        tags["Variant"] = rules.name
    return tags


def _tags(game: PdnGame, done: Replay, result: str, notation: Notation) -> dict[str, str]:
    """Tags in the order of the standard; unknown ones keep their order behind it."""
    given = dict(game.tags)
    if done.rules is not None and (done.plies or not game.moves):
        given |= variant_tags(done.rules)
        if notation in ("hub", "numeric") and done.rules.algebraic:
            given["GameType"] = re.sub(r",A.", ",N2", given["GameType"])
        if "FEN" in given and done.known and done.game is not None and not _has_setups(game):
            given["FEN"] = format_fen(done.game.start)
    if plain(result) != plain(game.result) or "Result" in given:
        given["Result"] = result
    tags = {name: given.pop(name, "?") for name in SEVEN_TAGS}
    if tags["Result"] == "?":
        tags["Result"] = result
    tags |= {name: given.pop(name) for name in _ORDER if name in given}
    return tags | given


def _has_setups(game: PdnGame) -> bool:
    return any(step.setup for step in game.moves)


class _Moves:
    """The words of a game's moves; a word never breaks over lines, a comment may."""

    def __init__(self, game: PdnGame, done: Replay, notation: Notation) -> None:
        self.game = game
        self.done = done
        self.notation = notation
        rules = done.rules
        self.first = rules.starts if rules else Side.WHITE

    def words(self) -> Iterable[str]:
        turn = self.first
        if self.done.reading is not None and self.done.reading.starts is not None:
            turn = self.done.reading.starts
        if fen := re.match(r"\s*([WB])", self.game.tag("FEN")):
            turn = Side.BLACK if fen[1] == "B" else Side.WHITE
        for comment in self.game.comments:
            yield from _comment(comment)
        yield from self.line(self.game.moves, turn, 1)

    def line(self, line: list[PdnMove], turn: Side, number: int) -> Iterable[str]:
        """A line of play; `number` is that of the move to come."""
        resumed = True  # the next move needs its number
        for step in line:
            for comment in step.before:
                yield from _comment(comment)
                resumed = True
            known = self.done.known.get(id(step))
            if known is not None:
                turn = known[0].turn
                if known[1] is None:  # written with the step before
                    yield from (word for comment in step.comments for word in _comment(comment))
                    continue
            if not step.text:
                yield f'/FEN "{step.setup}"/'
                if side := re.match(r"\s*([WB])", step.setup):
                    turn = Side.BLACK if side[1] == "B" else Side.WHITE
                resumed = True
            else:
                text = self.text(step, known)
                if turn is self.first:
                    text = f"{number}. {text}"
                elif resumed:
                    text = f"{number}... {text}"
                resumed = False
                yield text + step.strength
            yield from (f"${nag}" for nag in step.nags)
            for comment in step.comments:
                yield from _comment(comment)
                resumed = True
            for variation in step.variations:
                words = list(self.line(variation, turn, number))
                words[0] = "(" + words[0]
                words[-1] += ")"
                yield from words
                resumed = True
            if step.text:
                number += turn is not self.first
                turn = turn.other

    def text(self, step: PdnMove, known: tuple[Position, Move | None] | None) -> str:
        """A move in the notation that was asked for, as it was read if it is not known."""
        if known is not None and known[1] is not None:
            return move_text(known[1], known[0], self.notation)
        if step.text == UNKNOWN:
            return _UNKNOWN_MOVE
        text = step.text
        if text.isdigit():
            text = "-".join(re.findall("..", text))
        return re.sub(r"\b0+(?=[1-9])", "", text)


def move_text(move: Move, position: Position, notation: Notation = "pdn") -> str:
    """A move as PDN in one of the notations; `numeric` is PDN with Hub numbers for letters, and `hub` names the
    captured squares by the numbers that the file's GameType and FEN have."""
    if notation != "numeric" or not position.rules.algebraic:
        style = "pdn" if notation == "numeric" else notation
        return format_move(move, position, style=style, numbering="top" if position.rules.algebraic else "pdn")
    text = format_move(move, position, style="pdn")
    sign = "x" if move.captured else "-"
    return sign.join(str(position.rules.parse_square(name)) for name in re.split("[-x:]", text))


def _comment(text: str) -> list[str]:
    """A comment as words; lines never begin with a bracket or a percent sign inside it."""
    words: list[str] = []
    for word in _WORD.findall("{" + text.translate(_ROUND) + "}"):
        if words and word[0] in "[%":
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def _wrap(words: list[str], width: int) -> str:
    """Words in lines of at most `width` columns, where they fit."""
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])
