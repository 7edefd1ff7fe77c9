"""The ready-made configurations under examples/: what they start starts, what they set exists."""

import json
import re

from engine import PARAMS
from protocol.settings import Settings
from tests.process.peer import ROOT, Peer

EXAMPLES = ROOT / "examples"


def test_gwdgui_starts_damier() -> None:
    engines = json.loads((EXAMPLES / "gwdgui" / "engines.json").read_text())
    assert {engine["kind"] for engine in engines} == {"hub", "dxp"}
    for engine in engines:
        assert engine["executable"] == "damier"
        if engine["kind"] != "hub":
            assert engine["arguments"].startswith("dxp --connect ")
            continue
        with Peer(*engine["arguments"].split()) as peer:
            peer.send("hub")
            peer.expect("wait")
            peer.send(engine["init"])
            assert peer.expect("ready") == ["ready"]


def test_lidraughts_bot_sets_parameters_that_exist() -> None:
    text = (EXAMPLES / "lidraughts-bot" / "engine.yml").read_text()
    section = text.partition("hub_options:\n")[2].partition("\n  silence")[0]
    options = dict(re.findall(r"^    ([a-z-]+): (\S+)", section, re.M))
    settings = Settings(PARAMS.values())
    assert "tt-size" in options
    assert not set(options) - set(settings.params)
    assert all(settings.assign(name, value) for name, value in options.items())
    argument = re.findall(r'engine_argue?ment: "(\w+)"', text)
    assert argument == ["hub", "hub"]
