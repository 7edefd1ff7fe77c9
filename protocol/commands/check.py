"""`damier check -- COMMAND...`: whether an engine keeps to its protocol."""

import argparse

import trio
from rich.console import Console
from rich.table import Table

from protocol.check.run import PROTOCOLS, Outcome, check_all, detect
from protocol.check.subject import CheckFailed

HELP = "check an engine against the Hub or UCI conformance list"
EXAMPLES = """
damier check -- damier hub
damier check --protocol uci -- damier uci
damier check --verbose --timeout 20 -- ./scan hub
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The engine and how to speak with it."""
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the engine and its arguments, behind `--`")
    parser.add_argument("--protocol", choices=("auto", *PROTOCOLS), default="auto", help="default: hub, else uci")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds to wait for an answer (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="show what was exchanged also where all went well")


def run(args: argparse.Namespace) -> int:
    """Print a table and the exchanges of the failed checks; 0 if all passed, 1 if not."""
    return trio.run(_run, args, Console(highlight=False, soft_wrap=True))


async def _run(args: argparse.Namespace, console: Console) -> int:
    protocol = args.protocol
    if protocol == "auto":
        try:
            protocol = await detect(args.command, args.timeout)
        except CheckFailed as failure:
            console.print(f"{args.command[0]}: {failure}", markup=False)
            return 1
    outcomes = await check_all(args.command, protocol, args.timeout, lambda outcome: _show(outcome, args, console))
    table = Table("check", "", "seconds", box=None, pad_edge=False, title=f"{protocol}: {' '.join(args.command)}")
    for outcome in outcomes:
        table.add_row(outcome.title, "passed" if outcome.passed else "FAILED", f"{outcome.seconds:.2f}")
    console.print()
    console.print(table, markup=False)
    failed = sum(not outcome.passed for outcome in outcomes)
    console.print(f"{len(outcomes) - failed} passed, {failed} failed", markup=False)
    return 1 if failed else 0


def _show(outcome: Outcome, args: argparse.Namespace, console: Console) -> None:
    """One line for a check; what was exchanged where it failed."""
    console.print(f"{'passed' if outcome.passed else 'FAILED'}  {outcome.title}", markup=False)
    if not outcome.passed:
        console.print(f"        {outcome.failure}", markup=False)
    if not outcome.passed or args.verbose:
        for line in outcome.record:
            console.print(f"        {line}", markup=False)
