"""`damier hub1`: serve the Hub protocol, version 1 on standard input and output."""

import argparse

from protocol import serve
from protocol.hub1_server import Hub1Dialect

HELP = "serve the Hub protocol, version 1 on standard input and output"
EXAMPLES = """
damier hub1                            # for Hub 1.0, JoclyBoard and other programs of 2015
damier hub1 --variant=frisian --log wire.log
"""
TAKES_PARAMETERS = True
add_arguments = serve.add_arguments


def run(args: argparse.Namespace) -> int:
    """Serve one client; returns the exit code."""
    return serve.serve_stdio(Hub1Dialect, args)
