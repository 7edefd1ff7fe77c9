"""The engine protocols the runner speaks, by name."""

import shlex
import sys
from collections.abc import Sequence

from protocol.match.client import EngineClient
from protocol.match.dxp_client import DxpClient
from protocol.match.hub1_client import Hub1Client
from protocol.match.hub_client import HubClient
from protocol.match.uci_client import UciClient

DXP = "dxp"
CLIENTS: dict[str, type[EngineClient]] = {"hub": HubClient, "hub1": Hub1Client, "uci": UciClient, DXP: DxpClient}


def make_client(protocol: str) -> EngineClient:
    """Return a new conversation in one of `CLIENTS`."""
    return CLIENTS[protocol]()


def pipe_command(address: str, command: Sequence[str], start_timeout: float) -> tuple[str, ...]:
    """The command that connects standard input and output to a DXP program, starting it first if it has one.

    It gives up before the runner does, so that it can still say why.
    """
    patience = max(start_timeout / 2, start_timeout - 3)
    pipe = (sys.executable, "-m", "protocol.cli", "dxp", "--pipe", address, "--patience", f"{patience:g}")
    return (*pipe, "--start", shlex.join(command)) if command else pipe
