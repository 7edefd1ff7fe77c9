"""The engine protocols the runner speaks, by name."""

from protocol.match.client import EngineClient
from protocol.match.hub1_client import Hub1Client
from protocol.match.hub_client import HubClient
from protocol.match.uci_client import UciClient

CLIENTS: dict[str, type[EngineClient]] = {"hub": HubClient, "hub1": Hub1Client, "uci": UciClient}


def make_client(protocol: str) -> EngineClient:
    """Return a new conversation in one of `CLIENTS`."""
    return CLIENTS[protocol]()
