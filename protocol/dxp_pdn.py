"""Games over DXP as PDN."""

from dataclasses import replace
from datetime import date

from engine import Game
from engine.pdn_writer import format_game
from engine.pdn_writer import record as pdn_record
from protocol.dxp_actions import GameRecord


def write_game(record: GameRecord, path: str, number: int = 1) -> None:
    """Append a game to a PDN file. Raises OSError."""
    with open(path, "a", encoding="utf-8", newline="\n") as file:
        file.write(to_pdn(record, number))


def to_pdn(record: GameRecord, number: int = 1, day: date | None = None) -> str:
    """The text of a game; `number` is its round, `day` when it was played (today)."""
    game = Game(record.start)
    for move in record.moves:
        game.play(move)
    seconds = round(60 * record.minutes)
    tags = {
        "Event": "DXP",
        "Date": (day or date.today()).strftime("%Y.%m.%d"),
        "Round": str(number),
        "White": record.white,
        "Black": record.black,
        "TimeControl": f"{record.move_limit}/{seconds}" if record.move_limit else str(seconds),
        "Termination": record.termination,
    }
    pdn = pdn_record(game, tags, record.result)
    pdn.moves = [
        replace(move, comments=(f"{used:.2f}s",)) for move, used in zip(pdn.moves, record.seconds, strict=True)
    ]
    return format_game(pdn, rules=record.start.rules)
