"""The engine protocols the runner speaks, by name."""

from protocol.match.client import EngineClient
from protocol.match.hub_client import HubClient

CLIENTS: dict[str, type[EngineClient]] = {"hub": HubClient}


def make_client(protocol: str) -> EngineClient:
    """Return a new conversation in one of `CLIENTS`."""
    return CLIENTS[protocol]()
