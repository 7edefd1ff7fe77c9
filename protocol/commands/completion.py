"""`damier completion SHELL`: completion of commands, options, variants and file names."""

import argparse
from pathlib import Path

from engine import PARAMS, VARIANTS
from protocol import commands

HELP = "print a completion script for a shell"
EXAMPLES = """
damier completion bash > ~/.local/share/bash-completion/completions/damier
damier completion zsh > ~/.zfunc/_damier       # ~/.zfunc or another folder of $fpath
damier completion fish > ~/.config/fish/completions/damier.fish
"""
SHELLS = ("bash", "zsh", "fish")
FOLDERS = ("DIR", "D")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which shell."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    root, parsers = commands.tree()
    for parser in parsers.values():
        _teach(parser, shtab.FILE, shtab.DIRECTORY)
    print(shtab.complete(root, args.shell))
    return 0


def _teach(parser: argparse.ArgumentParser, file: object, folder: object) -> None:
    """Say which arguments are variants, files and folders, and what parameters there are."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in set(action.choices.values()):
                _teach(inner, file, folder)
        elif isinstance(action, commands.Parameter):
            param = PARAMS[action.option_strings[0][2:]]
            action.help = param.help
            action.choices = ("true", "false") if param.type == "bool" else param.values or None
        elif action.dest == "variant":
            action.choices = tuple(VARIANTS)
        elif action.type is Path or str(action.metavar).startswith("FILE"):
            action.complete = folder if action.metavar in FOLDERS else file  # type: ignore[attr-defined]
