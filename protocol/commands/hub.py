"""`damier hub`: serve the Hub protocol, version 2 on standard input and output."""

import argparse

from protocol import serve
from protocol.hub_server import HubDialect

HELP = "serve the Hub protocol, version 2 on standard input and output"
EXAMPLES = r"""
damier hub                             # what a Hub GUI starts
damier hub --variant=russian --threads=2 --tt-size=24 --log wire.log
printf 'hub\ninit\npos start\nlevel move-time=1\ngo think\n' | (cat; sleep 2; echo quit) | damier hub
"""
TAKES_PARAMETERS = True
add_arguments = serve.add_arguments


def run(args: argparse.Namespace) -> int:
    """Serve one client; returns the exit code."""
    return serve.serve_stdio(HubDialect, args)
