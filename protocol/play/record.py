"""Games played in the terminal, as PDN."""

from dataclasses import replace
from datetime import date
from pathlib import Path

from engine import VERSION, Game, Outcome, Side
from engine.pdn_writer import format_game
from engine.pdn_writer import record as pdn_record


def to_pdn(game: Game, human: Side, level: int, end: Outcome | None = None, day: date | None = None) -> str:
    """A game as PDN; `end` is how it ended off the board (resigned, agreed), `day` when it was played (today)."""
    players = {human: ("Human", "human"), human.other: (f"damier {VERSION}, level {level}", "program")}
    tags = {"Event": "Game in the terminal", "Date": (day or date.today()).strftime("%Y.%m.%d")}
    for side, name in ((Side.WHITE, "White"), (Side.BLACK, "Black")):
        tags[name], tags[f"{name}Type"] = players[side]
    pdn = pdn_record(game, tags, end.score if end else None)
    end = end or game.outcome
    if end is not None and pdn.moves:
        pdn.moves[-1] = replace(pdn.moves[-1], comments=(end.reason,))
    return format_game(pdn, rules=game.start.rules)


def append(path: Path, text: str) -> None:
    """Write a game behind those that the file holds. Raises OSError."""
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(text)
