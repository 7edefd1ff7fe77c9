"""`damier variants`: the variants that can be played."""

import argparse
import shutil

from rich.console import Console
from rich.table import Table

from engine import VARIANTS, Engine, Rules

HELP = "list the variants with GameType, board and other names"
EXAMPLES = """
damier variants
damier variants | grep 8x8
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    table = Table("name", "GameType", "board", "starts", "also called", box=None, pad_edge=False)
    for rules in VARIANTS.values():
        table.add_row(rules.name, _gametype(rules), _board(rules), rules.starts.name.lower(), ", ".join(rules.aliases))
    Console(width=max(100, shutil.get_terminal_size().columns), highlight=False).print(table)
    print("\nNAME-losing is the losing game of a variant: russian-losing (also called poddavki), english-losing, ...")
    if slow := [rules.name for rules in VARIANTS.values() if not _is_compiled(rules)]:
        print(f"Not compiled on this machine, some hundred times slower: {', '.join(slow)}")
    return 0


def _is_compiled(rules: Rules) -> bool:
    engine = Engine()
    engine.set_param("variant", rules.name)
    return engine.is_compiled


def _gametype(rules: Rules) -> str:
    return "-" if rules.gametype is None else str(rules.gametype)


def _board(rules: Rules) -> str:
    return f"{rules.columns}x{rules.rows}, {rules.squares} squares"
