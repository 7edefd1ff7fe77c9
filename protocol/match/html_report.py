"""The result of a match as one HTML page: cross table, Elo with error bars, every game on a board."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from engine import Game, Position, Rules
from engine.notation import format_move
from protocol.match.record import GameRecord
from protocol.match.report import cross_table, meeting_lines
from protocol.match.schedule import Format
from protocol.match.statistics import Sprt, elo
from protocol.match.tables import Tally
from protocol.pages.page import Markup, data_script, live_board, page, piece_symbols, resource, step_buttons, table

MAX_GAMES = 2000  # on the page; the PDN file has them all
_WIDTH, _ROW, _NAME, _VALUE = 720, 28, 170, 130


def html_report(
    tally: Tally,
    records: Sequence[GameRecord],
    rules: Rules,
    *,
    title: str,
    kind: Format,
    sprt: Sprt | None = None,
    byes: Mapping[str, float] | None = None,
    pdn: Path | None = None,
) -> str:
    """The page. `pdn` is linked by its name alone, as the page lies beside it."""
    rows = cross_table(tally, byes)
    facts = f"{kind}, {rules.title}, {tally.games} games, {tally.plies} plies, {tally.seconds:.0f} s of play"
    parts = [
        f'<p class="muted">{escape(facts)}</p>',
        piece_symbols(),
        "<h2>Table</h2>",
        table(rows[0], rows[1:]),
        "<h2>Elo</h2>",
        _elo_plot(tally, byes),
        "<h2>Meetings</h2>",
    ]
    parts += [
        "<pre>" + escape("\n".join(meeting_lines(meeting, sprt))) + "</pre>" for meeting in tally.meetings.values()
    ]
    parts.append("<h2>Games</h2>")
    if pdn is not None:
        parts.append(f'<p>All games as PDN: <a href="{escape(pdn.name, quote=True)}">{escape(pdn.name)}</a></p>')
    shown = sorted(records, key=lambda record: record.key)[:MAX_GAMES]
    if len(shown) < len(records):
        parts.append(f'<p class="muted">The first {MAX_GAMES} of {len(records)} games.</p>')
    parts += [_viewer(rules), _games(shown), _data(shown, rules)]
    return page(title, "\n".join(parts), resource("match.js"))


def _elo_plot(tally: Tally, byes: Mapping[str, float] | None) -> str:
    """Elo of each engine against its opponents, with 95 % intervals where they are finite."""
    rows = [(row.engine, elo(row.count.sample())) for row in tally.standings(byes) if row.count.games]
    finite = [(e.value, e.error if math.isfinite(e.error) else 0.0) for _, e in rows if math.isfinite(e.value)]
    reach = max([10.0, *(abs(value) + error for value, error in finite)])
    middle = _NAME + (_WIDTH - _NAME - _VALUE) / 2
    scale = (_WIDTH - _NAME - _VALUE) / 2 / reach
    height = _ROW * len(rows) + 24
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" font-family="sans-serif" '
        f'font-size="14"><title>Elo with 95 % intervals</title>'
    ]
    for value in (-reach, -reach / 2, 0, reach / 2, reach):
        x = middle + value * scale
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 20}" stroke="#d9cbb3"/>'
            f'<text x="{x:.1f}" y="{height - 5}" font-size="11" text-anchor="middle" fill="#7b6f62">{value:.0f}</text>'
        )
    for index, (name, estimate) in enumerate(rows):
        y = _ROW * index + _ROW / 2
        parts.append(f'<text x="0" y="{y + 5}">{escape(name[:24])}</text>')
        parts.append(f'<text x="{_WIDTH}" y="{y + 5}" text-anchor="end">{escape(str(estimate))}</text>')
        if not math.isfinite(estimate.value):
            continue
        x = middle + estimate.value * scale
        if math.isfinite(estimate.error):
            bar = estimate.error * scale
            ends = f'x1="{x - bar:.1f}" x2="{x + bar:.1f}" y1="{y}" y2="{y}"'
            parts.append(f'<line {ends} stroke="#5b4632" stroke-width="3"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="#2f6db5"/>')
    return "".join(parts) + "</svg>"


def _viewer(rules: Rules) -> str:
    return (
        f'<div id="viewer"><h3></h3><div class="game"><div class="board">{live_board(rules)}{step_buttons()}</div>'
        '<div class="side"><p class="now"></p><div class="moves"></div></div></div></div>'
    )


def _games(records: Sequence[GameRecord]) -> str:
    rows = [
        [
            Markup(f'<a href="#viewer" data-game="{index}">{record.pair}.{record.game}</a>'),
            record.white,
            record.black,
            record.result,
            str(record.plies),
            str(record.opening),
            str(record.termination),
            f"{record.fault}: {record.reason}" if record.fault else record.reason,
        ]
        for index, record in enumerate(records)
    ]
    return table(["game", "White", "Black", "result", "plies", "opening", "end", "reason"], rows)


def _data(records: Sequence[GameRecord], rules: Rules) -> str:
    """The games for the script: start position, moves as (text, Hub notation, 1 for a promotion)."""
    items = []
    for record in records:
        game = Game(Position.from_fen(record.fen, rules))
        moves: list[list[object]] = []
        for played in record.moves:
            legal = game.legal_moves()
            move = next(move for move in legal if move.hub() == played.move)
            text = format_move(move, game.position, legal)
            moves.append([text, move.hub(), 1] if move.promotes else [text, move.hub()])
            game.play(move)
        title = f"{record.pair}.{record.game} {record.white} – {record.black} {record.result}"
        start = game.start
        items.append(
            {
                "title": title,
                "end": record.reason,
                "start": start.hub()[1:],
                "first": int(start.turn is not rules.starts),
                "moves": moves,
            }
        )
    text = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
    return data_script(text, "games")
