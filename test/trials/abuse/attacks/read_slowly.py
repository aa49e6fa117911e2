"""Sends requests and hardly reads the answers, with segments of the size that they have on the internet.

On loopback, a segment is 64 KiB, and the kernel keeps several megabytes of each answer itself: a server would not notice
that nobody reads. Node can set neither the size of a segment nor that of the receive buffer.

The first line of standard input is a JSON object: `host`, `port`, `requests` (texts, sent in turn), `connections` (at any
time) and `bytes_per_second` (read on each). Prints a line for each thing that happens, until standard input ends.
"""

import json
import select
import socket
import sys
import time

SEGMENT_BYTES = 1_400
BUFFER_BYTES = 4_096
TICK_SECONDS = 0.25
# A response that has been read completely keeps nothing busy. One that has not begun may wait for its turn.
IDLE_SECONDS = 5
WAIT_SECONDS = 30


class Reader:
    """One connection with one request."""

    def __init__(self, address, request):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
        self.socket.settimeout(TICK_SECONDS)
        self.socket.connect(address)
        self.socket.sendall(request.encode())
        self.socket.setblocking(False)
        self.status = None
        self.read_at = time.monotonic()

    def read(self, most):
        """Reads up to `most` bytes; says whether the connection is of any more use, and how it has ended."""
        try:
            some = self.socket.recv(most)
        except BlockingIOError:
            most_seconds = WAIT_SECONDS if self.status is None else IDLE_SECONDS
            return "idle" if time.monotonic() - self.read_at > most_seconds else None
        except OSError:
            return "reset"
        if not some:
            return "closed"
        if self.status is None:
            self.status = some[9:12].decode("latin-1")
            print(self.status, flush=True)
        self.read_at = time.monotonic()
        return None


def main():
    wanted = json.loads(sys.stdin.readline())
    address = (wanted["host"], wanted["port"])
    most = max(1, int(wanted["bytes_per_second"] * TICK_SECONDS))
    readers = []
    turn = 0
    while True:
        while len(readers) < wanted["connections"]:
            request = wanted["requests"][turn % len(wanted["requests"])]
            turn += 1
            try:
                readers.append(Reader(address, request))
            except OSError:
                print("refused", flush=True)
                break
        for reader in list(readers):
            ended = reader.read(most)
            if ended:
                print(ended, flush=True)
                reader.socket.close()
                readers.remove(reader)
        ended, _, _ = select.select([sys.stdin], [], [], TICK_SECONDS)
        if ended:
            return


main()
