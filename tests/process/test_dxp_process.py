"""`damier dxp` as a process of its own, with the real engine."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ACCEPTED = re.compile(rb"Adamier [0-9.a-z]+ +0")
PATIENCE = 20.0  # s that a slow machine may take for anything


def request(colour: str = "W", minutes: str = "001") -> bytes:
    return f"R01{'Tester':32}{colour}{minutes}000A".encode()


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "protocol.cli", "dxp", *options]


@contextmanager
def listening(*options: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server on a free port: the process and the port."""
    with subprocess.Popen(command("--listen", "0", *options), stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
            assert found, line
            yield process, int(found[1])
        finally:
            process.kill()


class Caller:
    """A plain client."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._rest = b""

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, frame: bytes) -> None:
        self.socket.sendall(frame + b"\0")

    def get(self) -> bytes:
        """The next frame, b"" at the end."""
        while b"\0" not in self._rest:
            data = self.socket.recv(4096)
            if not data:
                return b""
            self._rest += data
        frame, _, self._rest = self._rest.partition(b"\0")
        return frame


def test_it_plays_and_ends_with_a_signal() -> None:
    with listening("--depth", "4") as (process, port), Caller(port) as caller:
        caller.send(request("W"))
        assert ACCEPTED.fullmatch(caller.get())
        assert re.fullmatch(rb"M\d{4}3\d2\d00", caller.get())
        process.send_signal(signal.SIGTERM)
        assert caller.get() == b"E01"
        assert caller.get() == b""
        assert process.wait(PATIENCE) == 143


@pytest.mark.compiled
def test_other_side_closes_in_mid_search() -> None:
    """Checklist 8, with a search that would go on for minutes."""
    with listening() as (_, port):
        for _ in range(3):
            with Caller(port) as caller:
                caller.send(request("W", "999"))
                assert ACCEPTED.fullmatch(caller.get())
                time.sleep(0.3)
            with Caller(port) as caller:
                caller.send(request("W", "001"))
                assert ACCEPTED.fullmatch(caller.get())
                caller.send(b"E01")
                while frame := caller.get():
                    assert frame[:1] in (b"M", b"E")


def test_match_of_two_processes_with_pdn(tmp_path: Path) -> None:
    """Two games with a move limit; both sides record the same moves."""
    files = tmp_path / "listener.pdn", tmp_path / "caller.pdn"
    options = ["--depth", "2", "--name"]
    with listening(*options, "L", "--pdn", str(files[0])) as (_, port):
        calling = command("--connect", f"localhost:{port}", *options, "C", "--games", "2", "--moves", "10")
        done = subprocess.run([*calling, "--pdn", str(files[1])], capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode().splitlines()[-1] == "match: 0 won, 2 drawn, 0 lost"
        time.sleep(0.2)
    texts = [re.sub(r"\{[^}]*\}", "", file.read_text(encoding="utf-8")) for file in files]
    moves = [re.findall(r"\d+[-x]\d+", text.replace("1-1", "")) for text in texts]
    assert moves[0] == moves[1]
    assert len(moves[0]) == 40
    assert [re.findall(r'White "(.)"', text) for text in texts] == [["C", "L"]] * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--connect", "localhost:1", "--patience", "0.1"], "cannot connect to localhost:1"),
        (["--listen", "localhost:x"], "not a port"),
        (["--variant=russian"], "10x10"),
        (["--variant=nonsense"], "nonsense"),
        (["--nonsense=1"], "nonsense"),
        (["--games", "0"], "'0' is not a number from 1"),
        (["--games", "1", "--fen", "W:Wxyz:B1"], "xyz"),
        (["--games", "1", "--minutes", "1000"], "1000"),
    ],
)
def test_wrong_use(options: list[str], message: str) -> None:
    done = subprocess.run(command(*options), capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    error = done.stderr.decode()
    assert message in error
    assert error.startswith("damier dxp: ")
    assert len(error.splitlines()) == 1


def test_address_in_use_is_said() -> None:
    with listening() as (_, port):
        done = subprocess.run(command("--listen", str(port)), capture_output=True, timeout=PATIENCE, check=False)
        assert done.returncode == 2
        assert f"cannot listen on 127.0.0.1:{port}" in done.stderr.decode()


def test_other_variants(tmp_path: Path) -> None:
    pdn = tmp_path / "games.pdn"
    with listening("--depth", "1", "--variant", "frisian") as (_, port):
        calling = command("--connect", f"localhost:{port}", "--depth", "1", "--variant=frisian", "--games", "1")
        done = subprocess.run(
            [*calling, "--moves", "5", "--pdn", str(pdn)], capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
    assert '[GameType "40,W,10,10,N2,0"]' in pdn.read_text(encoding="utf-8")
