"""`damier ws` as a process: it says where it listens, and leaves when told to."""

import signal

from tests.process.peer import Peer


def test_it_listens_and_leaves() -> None:
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        with Peer("ws", "--listen", "0", "--variant=russian") as peer:
            line = peer.expect("listening on ws://127.0.0.1:")[-1]
            assert int(line.rpartition(":")[2]) > 0
            peer.process.send_signal(number)
            assert peer.ended() == (code, "")


def test_wrong_use_is_one_line() -> None:
    for arguments in (
        ["--listen", "no.such.host.invalid"],
        ["--listen", "192.0.2.1:8080"],  # an address that no machine has
        ["--listen", "localhost:x"],
        ["--listen", "99999"],
        ["--colour=red"],
        ["--threads=many"],
        ["--limit", "x"],
    ):
        with Peer("ws", *arguments) as peer:
            code, errors = peer.ended()
        assert code == 2
        assert errors.count("\n") == 1
