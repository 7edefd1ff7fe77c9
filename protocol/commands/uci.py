"""`damier uci`: serve the UCI dialect on standard input and output."""

import argparse

from protocol import serve
from protocol.uci_server import UciDialect

HELP = "serve the UCI dialect on standard input and output"
TAKES_PARAMETERS = True
add_arguments = serve.add_arguments


def run(args: argparse.Namespace) -> int:
    """Serve one client; returns the exit code."""
    return serve.serve_stdio(UciDialect, args)
