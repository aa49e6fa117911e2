from __future__ import annotations

import copy
import json
import time
from unittest import mock

from loopback import DRAFT, SHIPMENT, LoopbackTest, drop, half, html, ok, raw, refusal, respond, silence

from shipping_client import APIConnectionError, UnexpectedAnswerError, with_response

REPLAYED = ok(DRAFT, {"idempotency-replayed": "true"})

BUSY = b'{"error":{"code":"service_unavailable","message":"Busy."}}'
TWO_WAITS = raw(
    b"HTTP/1.1 503 Busy\r\nretry-after: 3600\r\nretry-after: 1\r\ncontent-length: %d\r\n\r\n" % len(BUSY) + BUSY
)


class LostAnswer(LoopbackTest):
    def test_is_asked_for_once_more_with_the_same_key_and_the_same_bytes(self) -> None:
        for name, lost in {
            "executed, then dropped": drop,
            "201 cut in the body": half(drop),
            "whole, but half a JSON": respond(201, "application/json", '{"data":{"id":"shp_1",'),
            "whole, but without data": respond(201, "application/json", "{}"),
            "whole, but nested too deep": respond(201, "application/json", '{"data":' + "[" * 100_000),
            "no HTTP at all": raw(b"nonsense\r\n\r\n"),
            "cut between two chunks": raw(b'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"dat\r\n'),
            "headers, then silence": half(silence),
            "silence": silence,
            "503 service_unavailable": refusal(503, "service_unavailable"),
            "HTML 502": html(502),
        }.items():
            with self.subTest(name):
                self.seen.clear()
                shipping = self.serve(lost, REPLAYED, timeout=0.3)
                answer = with_response(shipping.shipments.create, SHIPMENT)
                self.assertEqual(answer.data, DRAFT)
                self.assertEqual((answer.response.status, answer.response.request_id), (201, "req_1"))
                self.assertTrue(answer.response.replayed)
                self.assertEqual(self.keys, [answer.response.idempotency_key] * 2)
                self.assertEqual(self.seen[0].body, self.seen[1].body)

    def test_of_a_pdf_that_was_cut_is_loaded_again(self) -> None:
        # The end marker is in the last 1024 bytes.
        pdf = b"%PDF-1.7\n...\n%%EOF" + b"\n" * 1019
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n"
        for name, cut in {
            "of known length": raw(head + b"content-length: 100\r\n\r\n%PDF-"),
            "of unknown length": raw(head + b"connection: close\r\n\r\n%PDF-1.7"),
            "empty": respond(200, "application/pdf", b""),
            "something else": respond(200, "application/pdf", b"<html>%%EOF"),
            "without its end": respond(200, "application/pdf", pdf + b"\n"),
            "of another type": respond(200, "text/plain", pdf),
        }.items():
            with self.subTest(name):
                self.seen.clear()
                shipping = self.serve(cut, respond(200, "application/pdf", pdf))
                self.assertEqual(shipping.labels.file("lbl_1"), pdf)
                self.assertEqual(len(self.seen), 2)

    def test_is_asked_for_with_what_was_given_at_first(self) -> None:
        given = copy.deepcopy(SHIPMENT)

        def change(_seconds: float) -> None:
            given["reference"] = "changed"

        self.serve(drop, REPLAYED, sleep=change).shipments.create(given)
        self.assertEqual([json.loads(seen.body) for seen in self.seen], [SHIPMENT, SHIPMENT])


class NoOtherAttempt(LoopbackTest):
    def test_is_made_where_it_does_not_help(self) -> None:
        for name, answer, code in [
            ("503 carrier_not_configured", refusal(503, "carrier_not_configured"), "carrier_not_configured"),
            ("two Retry-After, one of them long", TWO_WAITS, "service_unavailable"),
            ("HTML 403", html(403), "unexpected_answer"),
            ("307", respond(307, "text/plain", "", {"location": "http://127.0.0.1:1/"}), "unexpected_answer"),
            ("a bare 429", html(429), "unexpected_answer"),
            ("300, although it has data", ok(DRAFT, status=300), "unexpected_answer"),
        ]:
            with self.subTest(name):
                self.seen.clear()
                error = self.error_of(self.serve(answer).shipments.create, SHIPMENT, idempotency_key="order-7")
                self.assertEqual((error.code, error.idempotency_key), (code, "order-7"))
                self.assertEqual(len(self.seen), 1)

    def test_is_made_elsewhere_a_redirect_takes_neither_body_nor_key_along(self) -> None:
        answer = respond(307, "text/plain", "", {"location": f"{self.base_url}/elsewhere"})
        error = self.error_of(self.serve(answer).shipments.create, SHIPMENT)
        self.assertIsInstance(error, UnexpectedAnswerError)
        self.assertEqual(self.paths, ["/shipments"])


class Retries(LoopbackTest):
    def test_end_with_the_last_error_which_says_the_key_to_go_on_with(self) -> None:
        error = self.error_of(self.serve(drop, retries=2).shipments.create, SHIPMENT)
        self.assertIsInstance(error, APIConnectionError)
        self.assertEqual((error.code, self.keys), ("connection_failed", [error.idempotency_key] * 3))
        self.assertIsNotNone(error.__cause__)
        self.assertEqual(self.waits, [0.5, 1.0])

    def test_are_none_with_retries_0(self) -> None:
        error = self.error_of(self.serve(silence, retries=0, timeout=0.05).account.get)
        self.assertEqual((error.code, str(error)), ("timed_out", "No complete response within 0.05 s."))
        self.assertEqual((len(self.seen), self.waits), (1, []))

    def test_give_each_call_a_key_of_its_own_the_callers_wins_and_reads_have_none(self) -> None:
        shipping = self.serve(ok(DRAFT))
        shipping.shipments.create(SHIPMENT)
        shipping.shipments.create(SHIPMENT)
        shipping.shipments.create(SHIPMENT, idempotency_key="order 7")
        shipping.shipments.get("shp_1")
        first, second, third, read = self.keys
        self.assertRegex(first or "", "^[0-9a-f-]{36}$")
        self.assertNotEqual(first, second)
        self.assertEqual([third, read], ["order 7", None])

    def test_wait_for_retry_after_and_never_less(self) -> None:
        limited = refusal(429, "rate_limited", {"retry-after": "7"})
        self.serve(limited, ok({}, status=200)).account.get()
        self.assertEqual(self.waits, [7.0])

    def test_do_not_wait_for_more_than_a_minute(self) -> None:
        shipping = self.serve(refusal(503, "service_unavailable", {"retry-after": "3600"}))
        error = self.error_of(shipping.account.get)
        self.assertEqual((error.code, error.status, len(self.seen)), ("service_unavailable", 503, 1))

    def test_end_at_the_deadline_without_a_wait_that_would_outlast_it(self) -> None:
        error = self.error_of(self.serve(refusal(503, "service_unavailable"), deadline=1.2).account.get)
        self.assertEqual((error.code, self.waits), ("service_unavailable", [0.5, 1.0]))
        self.seen.clear()
        begun = time.monotonic()
        error = self.error_of(self.serve(silence, deadline=60).account.get, deadline=0.1)
        self.assertEqual((error.code, len(self.seen)), ("timed_out", 1))
        self.assertLess(time.monotonic() - begun, 5)

    def test_count_what_attempts_and_waits_took_until_the_deadline(self) -> None:
        for deadline, waits in [(1.2, [0.5]), (0.5, [])]:
            with self.subTest(deadline), mock.patch.object(time, "monotonic", lambda: 100 + sum(self.waits)):
                self.waits.clear()
                self.error_of(self.serve(refusal(503, "service_unavailable"), deadline=deadline).account.get)
                self.assertEqual(self.waits, waits)
