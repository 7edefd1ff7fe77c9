"""The commands of `damier`, one module each, imported when needed: a GUI waits for the start.

A module has HELP (one line), EXAMPLES (command lines, with a comment each), `add_arguments(parser)` and `run(args)`,
which returns the exit code. USAGE_CODE is the exit code of wrong use if it is not 2; with TAKES_PARAMETERS the engine's
parameters can be given as options and reach `run` as `args.parameters`, pairs of texts.
"""

import argparse
import importlib
from collections.abc import Sequence
from textwrap import indent
from types import ModuleType

NAMES = (
    "hub",
    "hub1",
    "uci",
    "dxp",
    "play",
    "perft",
    "bench",
    "variants",
    "board",
    "eval",
    "pdn",
    "analyse",
    "match",
    "egdb",
    "book",
    "check",
    "ws",
    "completion",
)


def load(name: str) -> ModuleType:
    """The module of a command."""
    return importlib.import_module(f"protocol.commands.{name}")


def declare(parser: argparse.ArgumentParser, module: ModuleType) -> None:
    """Give a parser the arguments, the description and the examples of a command."""
    parser.description = module.HELP
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    module.add_arguments(parser)
    if getattr(module, "TAKES_PARAMETERS", False):
        _add_parameters(parser)
    examples = "examples:\n" + indent(module.EXAMPLES.strip(), "  ")
    parser.epilog = f"{parser.epilog.rstrip()}\n\n{examples}" if parser.epilog else examples


def tree() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """All commands as one parser and each command's own: for completion scripts and manuals, it imports everything."""
    root = argparse.ArgumentParser(prog="damier", description="A draughts engine as a protocol server.")
    subparsers = root.add_subparsers(metavar="COMMAND")
    parsers = {}
    for name in NAMES:
        module = load(name)
        parsers[name] = subparsers.add_parser(name, help=module.HELP)
        declare(parsers[name], module)
    return root, parsers


class Parameter(argparse.Action):
    """A parameter of the engine as an option."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        pairs = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*pairs, (str(option_string)[2:], values)])


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    """All that the command has no option of its own for; `--help` would drown in them."""
    from engine import PARAMS

    taken = {option for action in parser._actions for option in action.option_strings}
    for param in PARAMS.values():
        if f"--{param.name}" not in taken:
            parser.add_argument(
                f"--{param.name}", dest="parameters", default=[], action=Parameter, help=argparse.SUPPRESS
            )
