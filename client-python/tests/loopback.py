"""A server on loopback that answers as a test says, or does not answer."""

from __future__ import annotations

import json
import socket
import threading
import unittest
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

from shipping_client import Shipping, ShippingError
from shipping_client.gen.api_types import Address, ShipmentInput

API_KEY = "service_test_4kQz81mWx2LbRt9Yp0VnCs7HdJfGaEu3000000"

ADDRESS: Address = {"name": "A", "street1": "B 1", "city": "Bremen", "postal_code": "28195", "country": "DE"}
SHIPMENT: ShipmentInput = {
    "reference": "PO-1",
    "from": ADDRESS,
    "to": ADDRESS,
    "parcel": {"weight_kg": 1, "length_cm": 2, "width_cm": 3, "height_cm": 4},
}
DRAFT: Any = {"id": "shp_1", "object": "shipment", "status": "draft"}


@dataclass
class Seen:
    """A request as the server received it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    """Gives the first request the first answer, and so on. The last answer is repeated."""

    protocol_version = "HTTP/1.1"
    # Sends head and body in one packet.
    wbufsize = -1
    server: LoopbackServer

    def setup(self) -> None:
        super().setup()
        self.server.opened += 1

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            # Ignored, because the client disconnects in some tests.
            self.close_connection = True

    def answer(self) -> None:
        server = self.server
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with server.lock:
            responder = server.responders[min(len(server.seen), len(server.responders) - 1)]
            server.seen.append(Seen(self.command, self.path, headers, body))
        responder(self)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        pass


Responder = Callable[[Handler], None]


class LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.responders: list[Responder] = []
        self.seen: list[Seen] = []
        self.opened = 0
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class LoopbackTest(unittest.TestCase):
    """A test with its own server. Clients do not sleep; the durations are in `waits`."""

    def setUp(self) -> None:
        self.server = LoopbackServer()
        self.base_url = f"http://127.0.0.1:{self.server.server_port}/api/v1"
        self.waits: list[float] = []
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()

        def stop() -> None:
            self.server.stopped.set()
            self.server.shutdown()
            self.server.server_close()
            thread.join()

        self.addCleanup(stop)

    @property
    def seen(self) -> list[Seen]:
        return self.server.seen

    @property
    def keys(self) -> list[str | None]:
        return [seen.headers.get("idempotency-key") for seen in self.seen]

    @property
    def paths(self) -> list[str]:
        return [seen.path[len("/api/v1") :] for seen in self.seen]

    def serve(self, *responders: Responder, **options: Any) -> Shipping:
        """Creates a client whose requests get these answers."""
        self.server.responders = list(responders)
        given = {"api_key": API_KEY, "base_url": self.base_url, "random": lambda: 0.0, "sleep": self.waits.append}
        client = Shipping(**{**given, **options})
        self.addCleanup(client.close)
        return client

    def error_of(self, method: Callable[..., Any], *args: Any, **options: Any) -> ShippingError:
        with self.assertRaises(ShippingError) as raised:
            method(*args, **options)
        return raised.exception


def respond(status: int, kind: str, body: str | bytes, headers: Mapping[str, str] | None = None) -> Responder:
    data = body.encode() if isinstance(body, str) else body

    def responder(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(data)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)
        handler.wfile.flush()

    return responder


def answer(status: int, body: object, headers: Mapping[str, str] | None = None) -> Responder:
    return respond(status, "application/json", json.dumps(body), {"x-request-id": "req_1", **(headers or {})})


def ok(data: object, headers: Mapping[str, str] | None = None, status: int = 201) -> Responder:
    return answer(status, {"data": data}, headers)


def page(data: list[Any], next_cursor: str | None) -> Responder:
    return answer(200, {"data": data, "next_cursor": next_cursor})


def refusal(status: int, code: str, headers: Mapping[str, str] | None = None, **members: Any) -> Responder:
    error = {"code": code, "message": f"It is {code}.", "request_id": "req_1", **members}
    return answer(status, {"error": error}, headers)


def html(status: int) -> Responder:
    return respond(status, "text/html", "<h1>Bad gateway</h1>")


def drop(handler: Handler) -> None:
    """Closes the connection without an answer, after the request may have been executed."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def silence(handler: Handler) -> None:
    """Leaves the request unanswered until the test ends."""
    handler.server.stopped.wait()
    handler.close_connection = True


def half(end: Responder) -> Responder:
    """Sends the first half of an answer, then calls `end`."""

    def responder(handler: Handler) -> None:
        handler.send_response(201)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "64")
        handler.end_headers()
        handler.wfile.write(b'{"data":{"id":"shp_1",')
        handler.wfile.flush()
        end(handler)

    return responder


def raw(*pieces: bytes, every: float = 0.0) -> Responder:
    """Sends bytes unchanged, with a pause between two pieces, and closes the connection."""

    def responder(handler: Handler) -> None:
        handler.close_connection = True
        for piece in pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()
            if handler.server.stopped.wait(every):
                return

    return responder
