"""The command `damier`: without a command it serves the protocol that the first line speaks."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from engine.errors import DamierError
from engine.version import VERSION
from protocol import commands

SERVE = "serve"  # what `damier` alone does


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    usage_code = 2  # exit code of wrong use

    def error(self, message: str) -> NoReturn:
        self.exit(self.usage_code, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 2 for wrong use, 128 + n after signal n."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or (arguments[0].startswith("-") and not {"-h", "--help", "--version"} & set(arguments)):
        name = SERVE
    elif arguments[0] in commands.NAMES:
        name = arguments.pop(0)
    else:
        return _top_level(arguments)
    module = commands.load(name)
    parser = _Parser(prog="damier" if name == SERVE else f"damier {name}")
    parser.usage_code = getattr(module, "USAGE_CODE", _Parser.usage_code)
    commands.declare(parser, module)
    if getattr(module, "TAKES_PARAMETERS", False):
        parsed, rest = parser.parse_known_args(arguments)
        parsed.parameters = [*parsed.parameters, *_parameters(rest, parser)]
    else:
        parsed = parser.parse_args(arguments)
    try:
        return int(module.run(parsed))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (DamierError, OSError) as error:
        parser.error(" ".join(str(error).split()))


def _parameters(words: Sequence[str], parser: _Parser) -> list[tuple[str, str]]:
    """What looks like a parameter that nobody knows: the engine says so."""
    pairs = []
    for word in words:
        name, sign, value = word.partition("=")
        if not name.startswith("--") or not sign:
            parser.error(f"unrecognized argument: {word}")
        pairs.append((name[2:], value))
    return pairs


def _top_level(arguments: Sequence[str]) -> int:
    asked = {"-h", "--help"} & set(arguments)
    lines = [f"  {name:<11}{commands.load(name).HELP}" for name in commands.NAMES] if asked else []
    parser = _Parser(
        prog="damier",
        usage="damier [COMMAND] [OPTION...]",
        description="A draughts engine as a protocol server. Without a command it serves Hub, Hub version 1 or the UCI "
        "dialect on standard input and output, as the first line decides.",
        epilog="\n".join(["commands:", *lines, "", "damier COMMAND --help tells more, with examples."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"damier {VERSION}")
    parser.add_argument("command", nargs="?")
    parsed, _ = parser.parse_known_args(arguments)
    parser.error(f"unknown command {parsed.command!r}; damier --help lists them")


if __name__ == "__main__":
    sys.exit(main())
