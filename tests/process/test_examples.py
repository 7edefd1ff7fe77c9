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


def test_hub_gui_sets_parameters_that_exist() -> None:
    settings = Settings(PARAMS.values())
    pairs = re.findall(r"^(\S+) = (\S+)$", (EXAMPLES / "hub-gui" / "engine.ini").read_text(), re.M)
    assert len(pairs) >= 3
    assert all(settings.assign(name, value) for name, value in pairs)
    command = re.findall(r"^engine-command = \S+/damier (\w+)$", (EXAMPLES / "hub-gui" / "hub.ini").read_text(), re.M)
    assert command == ["hub"]


def test_joclyboard_gets_its_move() -> None:
    """What app/joclyboard-engines.js of JoclyBoard sends for a move, and the pattern that it looks for."""
    details = (EXAMPLES / "joclyboard" / "details.yml").read_text()
    arguments = re.findall(r'^args: \["(\w+)"\]', details, re.M)
    with Peer(*arguments) as peer:
        peer.send("start")
        peer.send("move 32-28")
        peer.send("level 0 5000 0")
        peer.send("go")
        lines = peer.expect("move ")
    found = [match for line in lines if (match := re.search(r"move\s+(\S+)", line))]
    assert len(found) == 1
    assert re.fullmatch(r"\d+-\d+", found[0][1])
