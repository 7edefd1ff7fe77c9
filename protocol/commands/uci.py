"""`damier uci`: serve the UCI dialect on standard input and output."""

import argparse

from protocol import serve
from protocol.uci_server import UciDialect

HELP = "serve the UCI dialect on standard input and output"
EXAMPLES = r"""
damier uci                             # what a UCI program starts
damier uci --variant=english --log wire.log
printf 'position startpos\nd\nperft 5\nquit\n' | damier uci
"""
TAKES_PARAMETERS = True
add_arguments = serve.add_arguments


def run(args: argparse.Namespace) -> int:
    """Serve one client; returns the exit code."""
    return serve.serve_stdio(UciDialect, args)
