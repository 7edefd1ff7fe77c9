"""What the runner knows of an engine before it starts it. Plain data that travels to other machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.match.clock import TimeControl


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One engine of a match. Times in seconds."""

    name: str
    command: tuple[str, ...]
    directory: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    protocol: str = "hub"
    options: Mapping[str, str] = field(default_factory=dict)
    control: TimeControl = field(default_factory=TimeControl)
    margin: float = 0.05
    start_timeout: float = 10.0
