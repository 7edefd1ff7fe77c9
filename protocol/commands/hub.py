"""`damier hub`: serve the Hub protocol, version 2 on standard input and output."""

import argparse

from protocol import serve
from protocol.hub_server import HubDialect

HELP = "serve the Hub protocol, version 2 on standard input and output"
TAKES_PARAMETERS = True
add_arguments = serve.add_arguments


def run(args: argparse.Namespace) -> int:
    """Serve one client; returns the exit code."""
    return serve.serve_stdio(HubDialect, args)
