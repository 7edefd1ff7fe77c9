"""The result of a match in words and as data."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protocol.match.record import Termination
from protocol.match.schedule import Format
from protocol.match.statistics import (
    Decision,
    Estimate,
    Sample,
    Sprt,
    elo,
    likelihood_of_superiority,
    normalized_elo,
)
from protocol.match.tables import Count, Meeting, Tally

MOST_OPENINGS = 40
"""More openings than this are not listed in the text."""


def meeting_lines(meeting: Meeting, sprt: Sprt | None = None) -> list[str]:
    """What a meeting of two engines shows, seen from the first."""
    total, games, pairs = meeting.total, meeting.total.sample(), meeting.pentanomial()
    used = pairs if pairs.size else games
    lines = [
        f"{meeting.first} v {meeting.second}: {total.points:g}/{total.games} ({total}), "
        f"draws {_percent(total.draws, total.games)}",
        f"  Elo {elo(games)} by games, {elo(pairs)} by pairs",
        f"  nElo {normalized_elo(games)} by games, {normalized_elo(pairs)} by pairs; "
        f"LOS {100 * likelihood_of_superiority(used):.1f} %",
        f"  pairs LL LD DD/WL WD WW: {' '.join(map(str, meeting.pairs))}{_pairs_ratio(meeting.pairs)}",
        f"  as White {meeting.as_white}, as Black {meeting.as_black}",
    ]
    if sprt is not None:
        lines.append(f"  {sprt_line(sprt, pairs)}")
    return lines


def sprt_line(sprt: Sprt, pairs: Sample) -> str:
    """The state of a sequential test."""
    decision = sprt.decide(pairs)
    word = {Decision.CONTINUE: "goes on", Decision.ACCEPT_H0: "H0 accepted", Decision.ACCEPT_H1: "H1 accepted"}
    return (
        f"SPRT {sprt.model} [{sprt.elo0:g}, {sprt.elo1:g}] alpha {sprt.alpha:g} beta {sprt.beta:g}: "
        f"LLR {sprt.llr(pairs):.3f} ({sprt.lower:.3f}, {sprt.upper:.3f}), {word[decision]}"
    )


def cross_table(tally: Tally, byes: Mapping[str, float] | None = None) -> list[list[str]]:
    """Rows of the cross table, the heading first: place, engine, games, points, %, Elo, one column an opponent."""
    standings = tally.standings(byes)
    head = ["", "engine", "games", "points", "%", "Elo", "+-", "tie-break", "faults"]
    rows = [[*head, *(str(row.place) for row in standings)]]
    for row in standings:
        estimate = elo(row.count.sample())
        cells = []
        for other in standings:
            count = tally.against(row.engine, other.engine)
            cells.append("*" if other is row else f"{count.points:g}/{count.games}" if count.games else "")
        rows.append(
            [
                str(row.place),
                row.engine,
                str(row.count.games),
                f"{row.points:g}",
                _percent(row.count.points, row.count.games).removesuffix(" %"),
                f"{estimate.value:.1f}",
                f"{estimate.error:.1f}",
                f"{row.tie_break:g}",
                str(row.faults),
                *cells,
            ]
        )
    return rows


def text_report(
    tally: Tally, *, title: str, kind: Format, sprt: Sprt | None = None, byes: Mapping[str, float] | None = None
) -> str:
    """The whole report as plain text."""
    lines = [title, "=" * len(title), ""]
    rows = cross_table(tally, byes)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[1] = row[1].ljust(widths[1])
        lines.append("  ".join(cells).rstrip())
    lines += ["", f"{kind}, {tally.games} games, {tally.plies} plies, {tally.seconds:.0f} s of play", ""]
    for meeting in tally.meetings.values():
        lines += [*meeting_lines(meeting, sprt), ""]
    lines.append("ends: " + _counts(tally.terminations))
    for engine, faults in tally.faults.items():
        if faults:
            lines.append(f"faults of {engine}: {_counts(faults)}")
    if len(tally.meetings) == 1:
        (meeting,) = tally.meetings.values()
        if len(meeting.openings) <= MOST_OPENINGS:
            lines += ["", f"openings ({meeting.first}):"]
            lines += [f"  {index:>6}: {count}" for index, count in sorted(meeting.openings.items())]
        else:
            lines.append(f"openings: {len(meeting.openings)} different ones, each listed in a report FILE.json")
    return "\n".join(lines) + "\n"


def data_report(
    tally: Tally, *, title: str, kind: Format, sprt: Sprt | None = None, byes: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The whole report as plain data; infinite numbers are null."""
    meetings = []
    for meeting in tally.meetings.values():
        games, pairs = meeting.total.sample(), meeting.pentanomial()
        values: dict[str, Any] = {
            "first": meeting.first,
            "second": meeting.second,
            "games": _count(meeting.total),
            "as_white": _count(meeting.as_white),
            "as_black": _count(meeting.as_black),
            "pairs": list(meeting.pairs),
            "openings": {str(index): _count(count) for index, count in sorted(meeting.openings.items())},
        }
        for name, sample in (("trinomial", games), ("pentanomial", pairs)):
            values[name] = {
                "elo": _estimate(elo(sample)),
                "nelo": _estimate(normalized_elo(sample)),
                "los": likelihood_of_superiority(sample),
            }
        if sprt is not None:
            values["sprt"] = {"llr": sprt.llr(pairs), "decision": str(sprt.decide(pairs))}
        meetings.append(values)
    return {
        "title": title,
        "format": str(kind),
        "games": tally.games,
        "plies": tally.plies,
        "seconds": round(tally.seconds, 3),
        "terminations": {str(name): number for name, number in tally.terminations.items()},
        "faults": {
            engine: {str(name): number for name, number in faults.items()} for engine, faults in tally.faults.items()
        },
        "standings": [
            {
                "place": row.place,
                "engine": row.engine,
                "points": row.points,
                "tie_break": row.tie_break,
                "games": _count(row.count),
            }
            for row in tally.standings(byes)
        ],
        "meetings": meetings,
    }


def write_report(path: Path, text: str, data: Mapping[str, Any]) -> None:
    """Write the report, as JSON where the name ends in `.json`; readers never see half of it."""
    content = json.dumps(data, indent=1) + "\n" if path.suffix == ".json" else text
    replace_file(path, content.encode())


def replace_file(path: Path, data: bytes) -> None:
    """Write a file under another name and put it in its place."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _pairs_ratio(pairs: list[int]) -> str:
    lost, won = pairs[0] + pairs[1], pairs[3] + pairs[4]
    return f", pairs won to lost {won / lost:.2f}" if lost else ""


def _counts(numbers: Mapping[Termination, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(numbers.items())) or "none"


def _count(count: Count) -> dict[str, float]:
    return {"wins": count.wins, "draws": count.draws, "losses": count.losses, "points": count.points}


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {
        name: value if math.isfinite(value) else None
        for name, value in (("value", estimate.value), ("error", estimate.error))
    }
