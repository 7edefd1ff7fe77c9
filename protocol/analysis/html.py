"""The report of an analysis as one HTML file with boards and score graphs."""

import json
from collections.abc import Iterable, Sequence
from html import escape

from engine import Position
from engine.notation import parse_move
from engine.paths import first_path
from engine.svg import GREEN, RED, Arrow, board_svg
from protocol.analysis.judge import MARK_NAMES, chances, words
from protocol.analysis.records import Entry
from protocol.analysis.run import Analysed
from protocol.pages.page import Markup, data_script, live_board, page, piece_symbols, resource, step_buttons, table

GRAPH_WIDTH, GRAPH_HEIGHT = 720, 160
COLOURS = {"??": "#c8372d", "?": "#d2691e", "?!": "#c9a414"}
DIAGRAMS = 12  # mistakes of a game that are drawn


def report(games: Sequence[Analysed], analyst: str, settings: str) -> str:
    """The page. Games without entries are left out."""
    shown = [game for game in games if game.entries]
    intro = f'<p class="muted">{escape(analyst)}, {escape(settings)}. Scores in men; marks by expected points lost.</p>'
    body = [intro, piece_symbols()]
    if len(shown) > 1:
        body.append(_contents(shown))
    body += [_section(game) for game in shown]
    return page("Analysis", "\n".join(body), resource("analysis.js"))


def _title(game: Analysed) -> str:
    pdn = game.pdn
    white, black = pdn.tag("White"), pdn.tag("Black")
    if not white and not black:
        return f"Game {pdn.number}" if pdn.moves else f"Position {pdn.number}"
    return f"{pdn.number}. {white or '?'} – {black or '?'}"


def _contents(games: Sequence[Analysed]) -> str:
    rows = []
    for game in games:
        marks = game.marks()
        counts = [str(marks.count(sign)) for sign in ("?!", "?", "??")]
        link = Markup(f'<a href="#game-{game.pdn.number}">{escape(_title(game))}</a>')
        rules = game.done.rules
        rows.append([link, rules.title if rules else "", game.done.result(game.pdn), str(len(game.entries)), *counts])
    return table(["game", "variant", "result", "positions", "?!", "?", "??"], rows)


def _section(game: Analysed) -> str:
    pdn = game.pdn
    number = pdn.number
    first = game.entries[0]
    assert game.done.rules is not None
    position = Position.from_fen(first.fen, game.done.rules)
    about = [pdn.tag(name) for name in ("Event", "Site", "Date", "Round")]
    facts = ", ".join([game.done.rules.title, *filter(None, about), f"result {game.done.result(pdn)}"])
    parts = [
        f'<section id="game-{number}" data-game="{number}"><h2>{escape(_title(game))}</h2>',
        f'<p class="muted">{escape(facts)}</p>',
    ]
    if len(game.entries) > 1:
        parts.append(_graph(game))
    parts.append('<div class="game"><div class="board">')
    parts.append(live_board(position.rules))
    if len(game.entries) > 1:
        parts.append(step_buttons())
    parts.append('</div><div class="side"><p class="now"></p>')
    parts.append(_moves(game) if len(game.entries) > 1 else _lines(first))
    parts.append("</div></div>")
    parts.append(_mistakes(game))
    parts.append(data_script(_data(game)) + "</section>")
    return "\n".join(parts)


def _x(index: int, count: int) -> float:
    return round(30 + (GRAPH_WIDTH - 40) * index / max(1, count - 1), 1)


def _y(white: float) -> float:
    return round(10 + (GRAPH_HEIGHT - 20) * (1 - white), 1)


def _graph(game: Analysed) -> str:
    """White's expected points over the game, with a dot for every mark."""
    count = len(game.entries)
    points = [(_x(i, count), _y(chances(entry.white_score))) for i, entry in enumerate(game.entries)]
    line = " ".join(f"{x},{y}" for x, y in points)
    floor = _y(0)
    grid = "".join(
        f'<line x1="30" x2="{GRAPH_WIDTH - 10}" y1="{_y(v)}" y2="{_y(v)}" stroke="#d9cbb3"/>'
        f'<text x="26" y="{_y(v) + 4}" font-size="11" text-anchor="end" fill="#7b6f62">{v:g}</text>'
        for v in (0, 0.5, 1)
    )
    hits = "".join(
        f'<rect data-ply="{i}" x="{x - 340 / count}" y="0" width="{680 / count}" height="{GRAPH_HEIGHT}" '
        f'fill="transparent"><title>{escape(_note(game, i))}</title></rect>'
        for i, (x, _) in enumerate(points)
    )
    dots = "".join(
        f'<circle data-ply="{i + 1}" cx="{points[i + 1][0]}" cy="{points[i + 1][1]}" r="5" fill="{COLOURS[sign]}"/>'
        for i, sign in enumerate(game.marks())
        if sign
    )
    return (
        f'<svg class="graph" viewBox="0 0 {GRAPH_WIDTH} {GRAPH_HEIGHT}" width="{GRAPH_WIDTH}" height="{GRAPH_HEIGHT}" '
        f'role="img" font-family="sans-serif"><title>White\'s expected points</title>'
        f'<rect width="{GRAPH_WIDTH}" height="{GRAPH_HEIGHT}" fill="#fff"/>{grid}'
        f'<polygon points="30,{floor} {line} {points[-1][0]},{floor}" fill="#a67c52" opacity="0.25"/>'
        f'<polyline points="{line}" fill="none" stroke="#5b4632" stroke-width="2"/>'
        f'<line class="cursor" x1="30" x2="30" y1="5" y2="{GRAPH_HEIGHT - 5}" stroke="#2f6db5"/>{hits}{dots}</svg>'
    )


def _number(game: Analysed, entry: Entry) -> str:
    """Move number of the move played in a position, `17.` or `17...`."""
    rules = game.done.rules
    assert rules is not None
    first = game.entries[0]
    ply = entry.ply - first.ply + (first.side is not rules.starts)
    return f"{ply // 2 + 1}." if ply % 2 == 0 else f"{ply // 2 + 1}..."


def _moves(game: Analysed) -> str:
    """The moves with their marks and scores, each a handle for the board."""
    marks = game.marks()
    parts = ['<div class="moves"><span data-ply="0">start</span>']
    for index, entry in enumerate(game.entries[:-1]):
        sign = marks[index]
        style = f' class="{MARK_NAMES[sign]}"' if sign else ""
        number = _number(game, entry)
        shown = f"<i>{number}</i>" if not number.endswith("...") or index == 0 else ""
        tip = escape(words(game.entries[index + 1].white_score), quote=True)
        move = f'<span data-ply="{index + 1}"{style} title="{tip}">{escape(entry.played + sign)}</span>'
        parts.append(f"<em>{shown}{move}</em>")
    return " ".join(parts) + "</div>"


def _lines(entry: Entry) -> str:
    """The lines of a single position."""
    rows = [[words(line.score), str(line.depth), " ".join(line.pv)] for line in entry.lines]
    return table(["score", "depth", "line"], rows) if rows else f"<p>{escape(entry.over or 'no legal move')}</p>"


def _note(game: Analysed, index: int) -> str:
    """What is said about a position."""
    entry = game.entries[index]
    parts = []
    if index:
        before = game.entries[index - 1]
        sign = game.marks()[index - 1]
        parts.append(f"{_number(game, before)} {before.played}{sign}")
        if sign and before.lines:
            parts.append(f"better {' '.join(before.lines[0].pv[:6])} ({words(before.lines[0].score)})")
    if entry.over:
        parts.append(f"over: {entry.over}")
    elif entry.lines:
        line = entry.lines[0]
        side = "White" if entry.turn == "W" else "Black"
        parts.append(f"{side} to move: {words(line.score)} at depth {line.depth}: {' '.join(line.pv[:8])}")
    return "; ".join(parts)


def _data(game: Analysed) -> str:
    """What the script needs, one item a position."""
    rules = game.done.rules
    assert rules is not None
    count = len(game.entries)
    items = [
        {"board": Position.from_fen(entry.fen, rules).hub()[1:], "note": _note(game, i), "x": _x(i, count)}
        for i, entry in enumerate(game.entries)
    ]
    return json.dumps(items, ensure_ascii=False, separators=(",", ":"))


def _mistakes(game: Analysed) -> str:
    """Diagrams of the costliest moves: what was played in red, what was better in green."""
    losses = game.losses()
    marks = game.marks()
    worst = sorted((i for i, sign in enumerate(marks) if sign), key=lambda i: -(losses[i] or 0))[:DIAGRAMS]
    if not worst:
        return ""
    return '<h3>Turning points</h3><div class="faults">' + "".join(_figures(game, sorted(worst))) + "</div>"


def _figures(game: Analysed, indices: Iterable[int]) -> Iterable[str]:
    rules = game.done.rules
    assert rules is not None
    marks = game.marks()
    for index in indices:
        entry = game.entries[index]
        position = Position.from_fen(entry.fen, rules)
        arrows = []
        for text, colour in ((entry.played, RED), (entry.lines[0].pv[0] if entry.lines else "", GREEN)):
            if text:
                arrows.append(_coloured(position, text, colour))
        picture = board_svg(position, size=250, arrows=arrows)
        better = " ".join(entry.lines[0].pv[:6]) if entry.lines else ""
        score = words(entry.lines[0].score) if entry.lines else ""
        move = f"{_number(game, entry)} {escape(entry.played + marks[index])}"
        after = game.entries[index + 1]
        got = words(-after.score if after.turn != entry.turn else after.score)
        yield (
            f"<figure>{picture}<figcaption><b class='{MARK_NAMES[marks[index]]}'>{move}</b> ({got}); "
            f"better {escape(better)} ({score})</figcaption></figure>"
        )


def _coloured(position: Position, text: str, colour: str) -> Arrow:
    return Arrow(first_path(position, parse_move(text, position, prefer="path")), colour)
