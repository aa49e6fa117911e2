from __future__ import annotations

import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from loopback import DRAFT, SHIPMENT, Handler, LoopbackTest, half, html, ok, raw, refusal, respond, silence

from shipping_client import APIConnectionError, ShipmentInput, UnexpectedAnswerError
from shipping_client.transport import attempt


class Open(LoopbackTest):
    def test_connections_are_used_again_and_not_more_than_are_needed(self) -> None:
        shipping = self.serve(ok({}), html(403), refusal(404, "not_found"), respond(403, "text/html", "x" * 100_000))
        for _ in range(30):
            self.error_of(shipping.account.get) if self.seen else shipping.account.get()
        self.assertEqual(self.server.opened, 1)

    def test_one_that_the_server_closed_while_it_was_idle_costs_nothing(self) -> None:
        closed = threading.Event()

        def answer_and_close(handler: Handler) -> None:
            ok(DRAFT)(handler)
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            closed.set()

        shipping = self.serve(answer_and_close, retries=0)
        for _ in range(20):
            closed.clear()
            self.assertEqual(shipping.shipments.get("shp_1"), DRAFT)
            self.assertTrue(closed.wait(5))

    def test_one_whose_server_says_that_it_closes_is_read_to_its_end(self) -> None:
        shipping = self.serve(ok(DRAFT, {"connection": "close"}), retries=0)
        for _ in range(3):
            self.assertEqual(shipping.shipments.get("shp_1"), DRAFT)
        self.assertEqual(self.server.opened, 3)

    def test_one_that_failed_is_not_used_again(self) -> None:
        shipping = self.serve(silence, half(silence), ok(DRAFT), retries=0, timeout=0.1)
        for _ in range(2):
            self.assertIsInstance(self.error_of(shipping.account.get), APIConnectionError)
        self.assertEqual(shipping.shipments.get("shp_1"), DRAFT)
        self.assertEqual(self.server.opened, 3)

    def test_what_nobody_asked_for_is_no_answer_to_the_next_request(self) -> None:
        stray = b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n"
        first = stray + b'{"data":{"id":"one"}}'[:20]
        good = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 21\r\n\r\n"
        sent = threading.Event()

        def twice(handler: Handler) -> None:
            raw(good + b'{"data":{"id":"one"}}')(handler)
            handler.close_connection = False
            handler.wfile.write(first)
            handler.wfile.flush()
            sent.set()

        shipping = self.serve(twice, ok(DRAFT), retries=0)
        self.assertEqual(shipping.labels.get("one"), {"id": "one"})
        self.assertTrue(sent.wait(5))
        self.assertEqual(shipping.shipments.get("shp_1"), DRAFT)

    def test_ones_are_closed_with_the_client_which_can_still_be_used(self) -> None:
        with self.serve(ok(DRAFT)) as shipping:
            shipping.shipments.get("shp_1")
        shipping.shipments.get("shp_1")
        self.assertEqual(self.server.opened, 2)

    def test_ones_are_not_shared_by_processes(self) -> None:
        shipping = self.serve(ok(DRAFT))
        shipping.shipments.get("shp_1")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if shipping.shipments.get("shp_1") == DRAFT else 1
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        shipping.shipments.get("shp_1")
        # One connection belongs to the parent, and one to the child.
        self.assertEqual(self.server.opened, 2)

    def test_ones_are_shared_by_threads_each_gets_its_own_answer(self) -> None:
        def echo(handler: Handler) -> None:
            ok({"id": handler.path.rsplit("/", 1)[1]})(handler)

        shipping = self.serve(echo)
        ids = [f"lbl_{number}" for number in range(200)]
        with ThreadPoolExecutor(8) as pool:
            labels = list(pool.map(lambda one: shipping.labels.get(one), ids))
        self.assertEqual([label["id"] for label in labels], ids)
        self.assertLessEqual(self.server.opened, 8)

    def test_ones_stay_open_up_to_16(self) -> None:
        together = threading.Barrier(20)

        def answer_together(handler: Handler) -> None:
            together.wait(5)
            ok(DRAFT)(handler)

        shipping = self.serve(answer_together)
        with ThreadPoolExecutor(20) as pool:
            for _ in range(2):
                list(pool.map(shipping.shipments.get, ["shp_1"] * 20))
        self.assertEqual(self.server.opened, 20 + 4)


class Timeout(LoopbackTest):
    def test_holds_for_the_whole_answer_and_not_for_each_of_its_bytes(self) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
        for name, trickle in {
            "head": raw(*(bytes([byte]) for byte in head), every=0.05),
            "body": raw(head + b"content-length: 100\r\n\r\n", *[b"x"] * 100, every=0.05),
            "chunks": raw(head + b"transfer-encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n"] * 100, every=0.05),
            "without a length": raw(head + b"\r\n", *[b"x"] * 100, every=0.05),
        }.items():
            with self.subTest(name):
                begun = time.monotonic()
                error = self.error_of(self.serve(trickle, retries=0, timeout=0.3).account.get)
                self.assertEqual(error.code, "timed_out")
                self.assertLess(time.monotonic() - begun, 1)

    def test_holds_for_a_server_that_accepts_and_reads_nothing(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1"
            shipping = self.serve(base_url=url, retries=0, timeout=0.2)
            huge: ShipmentInput = {**SHIPMENT, "reference": "x" * 10_000_000}
            for call in [lambda: shipping.account.get(), lambda: shipping.shipments.create(huge)]:
                self.assertEqual(self.error_of(call).code, "timed_out")

    def test_holds_for_a_host_that_does_not_answer_at_all(self) -> None:
        with ExitStack() as stack:
            listener = stack.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            # Once the backlog is full, the system ignores further connections.
            for _ in range(4):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(listener.getsockname())
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1"
            begun = time.monotonic()
            error = self.error_of(self.serve(base_url=url, retries=0, timeout=0.2).account.get)
            self.assertEqual(error.code, "timed_out")
            self.assertLess(time.monotonic() - begun, 5)


class Answer(LoopbackTest):
    def test_is_bounded(self) -> None:
        endless = raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n\r\n", *[b"x" * 1_000_000] * 40)
        error = self.error_of(self.serve(endless).labels.file, "lbl_1")
        self.assertIsInstance(error, UnexpectedAnswerError)
        self.assertEqual(str(error), f"Answered 200 with more than {attempt.MAX_ANSWER_BYTES} bytes.")
        self.assertEqual(len(self.seen), 1)

    def test_is_heard_if_it_comes_before_the_request_was_read(self) -> None:
        def refuse_early(listener: socket.socket) -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                body = b'{"error":{"code":"payload_too_large","message":"Too large.","request_id":"req_1"}}'
                connection.sendall(b"HTTP/1.1 413 X\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            thread = threading.Thread(target=refuse_early, args=[listener])
            thread.start()
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1"
            shipping = self.serve(base_url=url, retries=0)
            error = self.error_of(shipping.shipments.create, {**SHIPMENT, "reference": "x" * 5_000_000})
            self.assertEqual((error.code, error.status), ("payload_too_large", 413))
            thread.join()

    def test_to_a_host_that_is_none_is_a_failed_connection(self) -> None:
        for host in ["127.0.0.1:1", "a..b", "no-such-host.invalid", "[::1]:1"]:
            shipping = self.serve(base_url=f"http://{host}/api/v1", allow_http=True, retries=0)
            self.assertEqual(self.error_of(shipping.account.get).code, "connection_failed", host)
