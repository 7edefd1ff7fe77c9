"""Pages that open offline in any browser: styles, and graphs as SVG."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files


def resource(name: str) -> str:
    """A file that lies beside this module."""
    return (files(__package__ or "protocol.analysis") / name).read_text(encoding="utf-8")


def page(title: str, body: str, script: str = "") -> str:
    """A whole page."""
    tail = f"<script>{script}</script>" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{resource('report.css')}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f"{body}\n{tail}</body></html>\n"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts; cells that begin with `<` are markup."""
    cells = "".join(f"<th>{_cell(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def _cell(text: str) -> str:
    return text if text.startswith("<") else escape(text)
