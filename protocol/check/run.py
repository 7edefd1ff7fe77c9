"""Runs the checks of a protocol, each with a fresh engine."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import trio

from protocol.check import checks_hub, checks_hub1, checks_uci
from protocol.check.subject import CheckFailed, Subject, running

Check = Callable[[Subject], Awaitable[None]]

PROTOCOLS: dict[str, tuple[Check, ...]] = {
    "hub": checks_hub.CHECKS,
    "hub1": checks_hub1.CHECKS,
    "uci": checks_uci.CHECKS,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one check went."""

    title: str
    failure: str  # empty: passed
    seconds: float
    record: tuple[str, ...]  # lines exchanged

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not self.failure


async def detect(command: Sequence[str], patience: float) -> str:
    """The protocol that an engine answers to: `hub` or `uci`. Raises CheckFailed, OSError."""
    for protocol, question, sign in (("hub", "hub", r"wait$"), ("uci", "uci", r"uciok$")):
        async with running(command, patience) as subject:
            try:
                await subject.send(question)
                await subject.expect(sign, min(patience, 5.0))
            except CheckFailed:
                continue
            return protocol
    raise CheckFailed("it answers neither `hub` nor `uci`")


async def check_all(
    command: Sequence[str], protocol: str, patience: float, on_outcome: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run every check of a protocol. Raises OSError if the engine cannot be started."""
    outcomes = []
    for check in PROTOCOLS[protocol]:
        outcome = await _run(check, command, patience)
        on_outcome(outcome)
        outcomes.append(outcome)
    return outcomes


async def _run(check: Check, command: Sequence[str], patience: float) -> Outcome:
    begun = time.perf_counter()
    failure = ""
    async with running(command, patience) as subject:
        try:
            with trio.fail_after(20 * patience):
                await check(subject)
        except CheckFailed as error:
            failure = str(error)
        except trio.TooSlowError:
            failure = "the check took too long"
    title = (check.__doc__ or "").strip()
    return Outcome(title, failure, time.perf_counter() - begun, tuple(subject.record))
