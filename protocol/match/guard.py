"""Kills engines that outlive the process which started them.

A worker that is killed cannot clean up, and an engine that hangs does not notice that its input has ended. Each
worker therefore keeps one small helper process that knows the process groups of its engines through a pipe; when
the pipe closes, for whatever reason, the groups still known are killed. Run as a script, this module is the helper.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading


def kill_group(leader: int, sign: int = getattr(signal, "SIGKILL", signal.SIGTERM)) -> None:
    """Send a signal to a process group by its leader; nothing happens when it is gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError, OSError):
        if hasattr(os, "killpg"):
            os.killpg(leader, sign)
        else:
            os.kill(leader, sign)


class Guard:
    """The helper process of this process, started at the first engine. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None

    def watch(self, leader: int) -> None:
        """Kill this process group when we die."""
        self._tell(b"+%d\n" % leader)

    def release(self, leader: int) -> None:
        """Forget a process group that has ended."""
        self._tell(b"-%d\n" % leader)

    def _tell(self, line: bytes) -> None:
        with self._lock:
            if self._helper is None or self._helper.poll() is not None:
                self._helper = subprocess.Popen(
                    [sys.executable, "-I", "-S", os.path.abspath(__file__)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            assert self._helper.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._helper.stdin.write(line)
                self._helper.stdin.flush()

    def close(self) -> None:
        """End the helper, which kills what is still watched."""
        with self._lock:
            if self._helper is not None:
                assert self._helper.stdin is not None
                with contextlib.suppress(BrokenPipeError):
                    self._helper.stdin.close()
                self._helper.wait()
                self._helper = None


GUARD = Guard()
"""The guard of this process."""


def main() -> int:
    """Follow the pipe until it closes, then kill what is left."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    watched: set[int] = set()
    for line in sys.stdin.buffer:
        leader = int(line[1:])
        if line.startswith(b"+"):
            watched.add(leader)
        else:
            watched.discard(leader)
    for leader in watched:
        kill_group(leader)
    return 0


if __name__ == "__main__":
    sys.exit(main())
