"""
HTTP connections with a time limit for a whole attempt. The timeout of a socket would start again with each byte.
Connections stay open for the next request. Threads can share them; child processes get their own.
"""

from __future__ import annotations

import io
import os
import selectors
import socket
import ssl
import time
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

MAX_IDLE = 16


class Clock:
    """The time limit of one attempt."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left. Raises TimeoutError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        return left


class _TimedReader(io.RawIOBase):
    """The raw stream that `http.client` reads: each read gets the time that is left."""

    def __init__(self, sock: socket.socket, clock: Clock) -> None:
        self._sock = sock
        self._clock = clock
        # Keeps the socket open until the response is read, although `http.client` may close it earlier.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._clock.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedSocket:
    """The part of a socket that an HTTPResponse uses."""

    def __init__(self, sock: socket.socket, clock: Clock) -> None:
        self._reader = _TimedReader(sock, clock)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._reader)


class Connection(HTTPConnection):
    """One connection to the API. `clock` belongs to the attempt that uses it."""

    sock: Any

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None) -> None:
        parts = urlsplit(base_url)
        self._ssl_context = ssl_context if parts.scheme == "https" else None
        self.default_port = 443 if self._ssl_context else 80
        super().__init__(parts.hostname or "", parts.port)
        self.clock = Clock(0)

    def connect(self) -> None:
        sock = self._open_socket()
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._ssl_context:
                sock.settimeout(self.clock.left())
                sock = self._ssl_context.wrap_socket(sock, server_hostname=self.host)
        except BaseException:
            sock.close()
            raise
        self.sock = sock

    def _open_socket(self) -> socket.socket:
        """Connects to the first address of the host that accepts a connection."""
        failure: OSError | None = None
        for family, kind, protocol, _name, address in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(self.clock.left())
                sock.connect(address)
                return sock
            except OSError as error:
                sock.close()
                failure = error
            except BaseException:
                sock.close()
                raise
        raise failure or OSError("The host has no address.")

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        self.sock.settimeout(self.clock.left())
        super().send(data)

    def response_class(self, sock: Any, *args: Any, **options: Any) -> HTTPResponse:  # type: ignore[override]
        timed: Any = _TimedSocket(sock, self.clock)
        return HTTPResponse(timed, *args, **options)

    def is_stale(self) -> bool:
        """Whether the server has closed the connection, or has sent something unexpected."""
        if self.sock is None:
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self.sock, selectors.EVENT_READ)
            return bool(selector.select(0))


class Connections:
    """The idle connections of a client."""

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None) -> None:
        self._base_url = base_url
        self._ssl_context = ssl_context
        self._idle: list[Connection] = []
        self._process = os.getpid()

    def take(self, clock: Clock) -> Connection:
        """An idle connection, or a new one that opens when it is used."""
        if self._process != os.getpid():
            # After a fork, the parent uses these connections too, so responses would mix. Closing them here leaves them open there.
            self.close()
            self._process = os.getpid()
        connection = self._usable() or Connection(self._base_url, self._context())
        connection.clock = clock
        return connection

    def give_back(self, connection: Connection) -> None:
        """Keeps a connection whose response was read completely, unless the response has closed it."""
        if connection.sock is None or len(self._idle) >= MAX_IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _usable(self) -> Connection | None:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if not connection.is_stale():
                return connection
            connection.close()

    def _context(self) -> ssl.SSLContext | None:
        if self._ssl_context is None and self._base_url.startswith("https:"):
            # Loading the certificates takes milliseconds, so do it once.
            self._ssl_context = ssl.create_default_context()
        return self._ssl_context
