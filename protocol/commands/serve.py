"""`damier` alone: serve the text protocol that the first line speaks on standard input and output."""

import argparse

from protocol import serve
from protocol.auto import AutoDialect

HELP = "serve the text protocol that the first line speaks on standard input and output"
EXAMPLES = """
damier                                 # what a GUI starts; the first line it sends chooses the protocol
damier --variant=russian --tt-size=24  # other values to begin with
damier --log wire.log                  # and a record of every line, for bug reports
"""
TAKES_PARAMETERS = True
add_arguments = serve.add_arguments


def run(args: argparse.Namespace) -> int:
    """Serve one client; returns the exit code."""
    return serve.serve_stdio(AutoDialect, args)
