"""Generations of weights: what has been done, what is next, and the log that keeps it.

A generation of a variant is: games by the weights in use, a fit on all games so far, a gate against the weights in
use. Everything lies in one folder; each step leaves a file when it is whole, and a generation that was broken off goes
on with the first step that has none.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from training.weights import Source, find

Line = dict[str, Any]


def slice_name(generation: int) -> str:
    """The name of a generation's games and files: a, b, ..., z, aa, ..."""
    name = ""
    while generation:
        generation, letter = divmod(generation - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


@dataclass(frozen=True)
class Places:
    """Where the files of a training lie."""

    folder: Path

    @property
    def games(self) -> Path:
        """Records, in a folder for each variant."""
        return self.folder / "games"

    @property
    def log(self) -> Path:
        """One JSON line a finished generation."""
        return self.folder / "generations.jsonl"

    def weights(self, variant: str, generation: int) -> Path:
        """The weights that a generation fitted, accepted or not."""
        return self.folder / "weights" / variant / f"{slice_name(generation)}.weights"

    def fitted(self, variant: str, generation: int) -> Path:
        """What the fit said."""
        return self.weights(variant, generation).with_suffix(".json")

    def losses(self, variant: str, generation: int) -> Path:
        """The losses epoch by epoch."""
        return self.weights(variant, generation).with_suffix(".jsonl")

    def gate(self, variant: str, generation: int) -> Path:
        """Beginning of the names of the match's files."""
        return self.folder / "gates" / f"{variant}-{slice_name(generation)}"


class Log:
    """The finished generations. A line that a kill cut short does not count."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[Line] = []
        whole = 0
        data = path.read_bytes() if path.exists() else b""
        for text in data.splitlines(keepends=True):
            if text.endswith(b"\n"):
                self.lines.append(json.loads(text))
                whole += len(text)
        if whole < len(data):
            os.truncate(path, whole)

    def add(self, line: Line) -> None:
        """Append a line for good."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            print(json.dumps(line), file=file, flush=True)
            os.fsync(file.fileno())
        self.lines.append(line)

    def of(self, variant: str) -> list[Line]:
        """The generations of a variant, oldest first."""
        return [line for line in self.lines if line["variant"] == variant]

    def next_generation(self, variant: str) -> int:
        """Number of the generation to make, from 1 on."""
        return len(self.of(variant)) + 1

    def in_use(self, variant: str, begin: str) -> Source:
        """The weights accepted last, else those that the training began with. Raises WeightsError."""
        accepted = [line for line in self.of(variant) if line["gate"]["accepted"]]
        return find(variant, str(self.path.parent / accepted[-1]["weights"]) if accepted else begin)


def table(lines: Iterable[Line]) -> Table:
    """The generations as people read them."""
    shown = Table("variant", "gen.", "games", "positions", "hours", "loss", "held-out", "gate", "nElo", "", title="")
    for column in shown.columns[1:7]:
        column.justify = "right"
    for line in lines:
        gate, fit = line["gate"], line["fit"]
        nelo = "inf" if gate["nelo"] is None else f"{gate['nelo']:+.0f} ± {gate['nelo_error'] or 0:.0f}"
        shown.add_row(
            line["variant"],
            str(line["generation"]),
            str(line["games"]["games"]),
            str(line["games"]["positions"]),
            f"{sum(line['seconds'].values()) / 3600:.2f}",
            f"{fit['train_loss']:.4f}",
            f"{fit['heldout_loss']:.4f}",
            f"+{gate['wins']} ={gate['draws']} -{gate['losses']}",
            nelo,
            "accepted" if gate["accepted"] else "rejected",
        )
    return shown
