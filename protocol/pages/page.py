"""Parts of pages that open offline in any browser."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from engine import Position, Rules
from engine.svg import Layout, board_svg, piece_shapes


def resource(name: str) -> str:
    """A file that lies beside this module."""
    return (files(__package__ or "protocol.pages") / name).read_text(encoding="utf-8")


def page(title: str, body: str, script: str = "") -> str:
    """A whole page."""
    tail = f"<script>{script}</script>" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{resource('page.css')}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f"{body}\n{tail}</body></html>\n"
    )


class Markup(str):
    """A text that is HTML already; every other text of a page is escaped."""

    __slots__ = ()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts."""
    cells = "".join(f"<th>{_cell(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def _cell(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)


def data_script(text: str, name: str = "") -> str:
    """JSON for a script of the page, which finds it by its name if it has one."""
    mark = f'id="{name}" ' if name else ""
    return f'<script {mark}type="application/json">' + text.replace("<", "\\u003c") + "</script>"


def piece_symbols() -> str:
    """The four pieces, drawn once for all boards of a page: `#piece-man-w` and so on."""
    names = {"w": "man-w", "b": "man-b", "W": "king-w", "B": "king-b"}
    symbols = "".join(f'<g id="piece-{name}">{piece_shapes(letter)}</g>' for letter, name in names.items())
    return f'<svg width="0" height="0" style="position:absolute"><defs>{symbols}</defs></svg>'


def live_board(rules: Rules, size: int = 420) -> str:
    """An empty board with a place for a piece on every square, for a script to fill."""
    empty = board_svg(Position(rules, rules.starts, 0, 0, 0, 0), size=size)
    layout = Layout(rules, False, True)
    places = []
    for square in range(1, rules.squares + 1):
        x, y = layout.middle(square)
        places.append(f'<use href="" x="{x}" y="{y}"/>')
    return empty.replace("</svg>", "".join(places) + "</svg>")


def step_buttons() -> str:
    """Buttons that walk through a game."""
    buttons = (("first", "|◀"), ("-1", "◀"), ("1", "▶"), ("last", "▶|"))
    return '<p class="keys">' + "".join(f'<button data-step="{s}">{t}</button>' for s, t in buttons) + "</p>"
