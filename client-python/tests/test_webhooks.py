from __future__ import annotations

import base64
import hmac
import io
import json
import time
import unittest
from email.message import Message
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from shipping_client import InvalidArgumentError, ShippingError, WebhookVerificationError, test_header, verify_webhook

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "docs/webhook-vectors.json").read_text())
FIRST = VECTORS[0]
SECRET, HEADER, NOW = FIRST["secret"], FIRST["header"], FIRST["now"]
EVENT = base64.b64decode(FIRST["body"])
DIGEST = HEADER[-64:]


class Verify(unittest.TestCase):
    def code_of(self, payload: Any, headers: Any, secret: Any, **options: Any) -> str | None:
        """Returns the error code, or None if the delivery is valid."""
        try:
            verify_webhook(payload, headers, secret, **{"now": lambda: NOW, **options})
        except ShippingError as error:
            self.message = str(error)
            return error.code
        return None

    def test_says_of_each_vector_what_is_to_be_said(self) -> None:
        self.assertGreater(len(VECTORS), 70)
        for vector in VECTORS:
            with self.subTest(vector["name"]):
                body = base64.b64decode(vector["body"])
                code = self.code_of(body, vector["header"], vector["secret"], now=lambda at=vector["now"]: at)
                # Some vectors have a valid signature, but a body that is not JSON.
                self.assertIn(code, [None, "invalid_event"] if vector["valid"] else ["invalid_signature"])

    def test_yields_the_event_from_bytes_and_text(self) -> None:
        payloads: list[Any] = [EVENT, EVENT.decode(), bytearray(EVENT), memoryview(b"x" + EVENT)[1:]]
        for payload in payloads:
            event = verify_webhook(payload, HEADER, SECRET, now=lambda: NOW)
            self.assertEqual(event, json.loads(EVENT))

    def test_takes_the_headers_of_any_framework(self) -> None:
        message = Message()
        message["Service-Signature"] = HEADER
        for headers in [{"service-signature": HEADER}, {"SERVICE-SIGNATURE": HEADER, "x": "y"}, message, HEADER]:
            self.assertIsNone(self.code_of(EVENT, headers, SECRET))
        message["service-signature"] = HEADER
        self.assertEqual(self.code_of(EVENT, message, SECRET), "invalid_signature")
        for wrong in [7, [HEADER], HEADER.encode(), {"service-signature": [HEADER]}, {"service-signature": b"x"}]:
            self.assertEqual(self.code_of(EVENT, wrong, SECRET), "invalid_argument")
        self.assertEqual(self.message, "headers: Service-Signature must be a str, not a bytes.")

    def test_takes_a_byte_order_mark_but_nothing_else_than_an_object(self) -> None:
        marked = b'\xef\xbb\xbf{"id":"evt_1"}'
        self.assertEqual(verify_webhook(marked, test_header(marked, SECRET), SECRET), {"id": "evt_1"})
        for payload in ["null", "5", "[]", '"x"', "NaN", ""]:
            code = self.code_of(payload, test_header(payload, SECRET), SECRET, now=time.time)
            self.assertEqual(code, "invalid_event")

    def test_says_so_if_there_is_no_signature(self) -> None:
        for none in [None, "", {}, {"x": "y"}, {"service-signature": ""}]:
            self.assertEqual(self.code_of(EVENT, none, SECRET), "invalid_signature")
            self.assertEqual(self.message, "The Service-Signature header is missing.")

    def test_says_of_an_empty_body_that_it_was_probably_read_before(self) -> None:
        for empty in ["", b"", bytearray(), memoryview(b"")]:
            self.assertEqual(self.code_of(empty, HEADER, SECRET), "invalid_signature")
            self.assertRegex(self.message, "^The body is empty.* read before")
            self.assertNotIn("secret", self.message)

    def test_a_secret_with_something_beside_it_is_refused_with_the_reason(self) -> None:
        for form in ['"%s"', "'%s'", " %s", "%s\n", "%s\r\n", "%s\\n", "\ufeff%s", "%s\u200b", "%s,", "SECRET=%s"]:
            self.assertEqual(self.code_of(EVENT, HEADER, [form % SECRET]), "invalid_argument")
            self.assertRegex(self.message, "^secret has something beside the whsec_… string, such as quotes")
            with self.assertRaises(InvalidArgumentError):
                test_header(EVENT, form % SECRET)

    def test_tells_a_parsed_body_how_to_stay_raw(self) -> None:
        async def body() -> bytes:
            return EVENT

        other_bodies: list[tuple[object, str]] = [
            (json.loads(EVENT), "The body was parsed before it was verified"),
            ([1], "The body was parsed before it was verified"),
            (None, "The body is None."),
            (body(), "This is a coroutine."),
            (body, "This is a function or a method."),
            (EVENT.decode, "This is a function or a method."),
            (io.BytesIO(EVENT), "This is a stream or a file."),
            (SimpleNamespace(headers={}, body=EVENT), "This is a request, not its body."),
        ]
        for other, said in other_bodies:
            self.assertEqual(self.code_of(other, HEADER, SECRET), "parsed_body")
            self.assertTrue(self.message.startswith(said), self.message)
            for framework in ["Django", "Flask", "FastAPI"]:
                self.assertIn(framework, self.message)

    def test_refuses_a_time_that_is_301_s_away_and_says_so(self) -> None:
        for seconds, where in [(-301, "ahead of"), (301, "behind")]:
            self.assertEqual(self.code_of(EVENT, HEADER, SECRET, now=lambda s=seconds: NOW + s), "invalid_signature")
            self.assertEqual(self.message, f"Signed 301 s {where} this machine's clock.")

    def test_tolerance_0_takes_this_very_second_alone(self) -> None:
        self.assertIsNone(self.code_of(EVENT, HEADER, SECRET, tolerance=0, now=lambda: NOW + 0.999))
        self.assertEqual(self.code_of(EVENT, HEADER, SECRET, tolerance=0, now=lambda: NOW + 1), "invalid_signature")

    def test_a_tolerance_that_would_let_any_time_pass_is_refused(self) -> None:
        for tolerance in [float("nan"), -1, float("inf"), None, "300", True]:
            self.assertEqual(self.code_of(EVENT, HEADER, SECRET, tolerance=tolerance), "invalid_argument")

    def test_any_of_several_signatures_and_secrets_is_enough_while_secrets_change(self) -> None:
        t, wrong = f"t={NOW}", "0" * 64
        for header in [f"{t},v1={wrong},v1={DIGEST}", f"{t},v1={DIGEST},v1={wrong}"]:
            self.assertIsNone(self.code_of(EVENT, header, SECRET))
        self.assertEqual(self.code_of(EVENT, f"{t},v1={wrong},v1={wrong}", SECRET), "invalid_signature")
        for secrets in [["whsec_old", SECRET], [SECRET, "whsec_new"], (SECRET,)]:
            self.assertIsNone(self.code_of(EVENT, HEADER, secrets))
        self.assertEqual(self.code_of(EVENT, HEADER, ["whsec_old", "whsec_new"]), "invalid_signature")

    def test_computes_one_digest_for_each_secret_and_none_for_what_it_refuses_before(self) -> None:
        def header(count: int) -> str:
            return f"t={NOW}" + f",v1={'0' * 64}" * (count - 1) + f",v1={DIGEST}"

        long = b"x" * 262_145
        cases: list[tuple[str | None, int, Any, str, Any, dict[str, Any]]] = [
            (None, 2, EVENT, header(10), ["whsec_old", SECRET], {}),
            ("invalid_signature", 0, EVENT, header(11), SECRET, {}),
            ("invalid_signature", 0, EVENT, header(1), SECRET, {"now": lambda: NOW + 301}),
            ("invalid_signature", 0, long, test_header(long, SECRET, timestamp=NOW), SECRET, {}),
            ("invalid_signature", 0, memoryview(long), header(1), SECRET, {}),
            # These are 262,145 bytes in half as many characters.
            ("invalid_signature", 0, "x" + "é" * 131_072, header(1), SECRET, {}),
            ("invalid_signature", 0, EVENT, header(1), SECRET, {"max_bytes": len(EVENT) - 1}),
            (None, 1, EVENT, header(1), SECRET, {"max_bytes": len(EVENT)}),
        ]
        for code, digests, payload, signature, secret, options in cases:
            with mock.patch.object(hmac, "new", wraps=hmac.new) as new:
                self.assertEqual(self.code_of(payload, signature, secret, **options), code)
                self.assertEqual(new.call_count, digests)
        self.assertEqual(self.code_of(EVENT, HEADER, SECRET, max_bytes=1), "invalid_signature")
        for limit in [0, -1, None, 1.5, "9", True]:
            self.assertEqual(self.code_of(EVENT, HEADER, SECRET, max_bytes=limit), "invalid_argument")

    def test_what_lenient_verifiers_take_is_refused(self) -> None:
        for header in [
            f"t={NOW + 31_536_000},v1={DIGEST}",
            f"t={NOW}junk,v1={DIGEST}",
            f"t=1,t={NOW},v1={DIGEST}",
            f"t={NOW},v1={DIGEST}\n",
            f"t={NOW},v1={DIGEST.upper()}",
        ]:
            self.assertEqual(self.code_of(EVENT, header, SECRET), "invalid_signature")
        halves = {"service-signature": f"t={NOW}", "Service-Signature": f",v1={DIGEST}"}
        self.assertEqual(self.code_of(EVENT, halves, SECRET), "invalid_signature")

    def test_a_lone_surrogate_is_a_character_like_any_other(self) -> None:
        self.assertEqual(self.code_of("\ud800", HEADER, SECRET), "invalid_signature")
        self.assertEqual(self.code_of(EVENT, HEADER, "whsec_\ud800"), "invalid_signature")

    def test_what_is_no_secret_is_refused(self) -> None:
        for secret in ["", "whsec_", SECRET[len("whsec_") :], None, [], [SECRET, ""], [None], SECRET.encode()]:
            self.assertEqual(self.code_of(EVENT, HEADER, secret), "invalid_argument")

    def test_the_classes_tell_a_forgery_from_a_mistake(self) -> None:
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(EVENT, HEADER, "whsec_other", now=lambda: NOW)
        with self.assertRaises(InvalidArgumentError):
            verify_webhook(EVENT, HEADER, "")


class Header(unittest.TestCase):
    def test_is_signed_as_the_platform_does(self) -> None:
        signed = [one for one in VECTORS if one["valid"] and one["header"].count(",v1=") == 1]
        self.assertGreater(len(signed), 10)
        for vector in signed:
            timestamp = int(vector["header"][2:].split(",")[0])
            header = test_header(base64.b64decode(vector["body"]), vector["secret"], timestamp=timestamp)
            self.assertEqual(header, vector["header"])

    def test_is_signed_at_any_time_that_the_header_has_room_for(self) -> None:
        for at in [0, 10**12 - 1]:
            verify_webhook("{}", test_header("{}", SECRET, timestamp=at), SECRET, now=partial(float, at))

    def test_is_signed_now_unless_a_time_is_given(self) -> None:
        verify_webhook("{}", test_header("{}", SECRET), SECRET, tolerance=5)
        with self.assertRaises(WebhookVerificationError):
            verify_webhook("{}", test_header("{}", SECRET, timestamp=int(time.time()) - 400), SECRET)

    def test_refuses_what_it_cannot_sign(self) -> None:
        refused: list[tuple[Any, Any, Any]] = [
            ({"id": "evt_1"}, SECRET, 1),
            ("{}", "secret", 1),
            ("{}", SECRET, -1),
            ("{}", SECRET, 10**12),
            ("{}", SECRET, 1.5),
            ("{}", SECRET, True),
        ]
        for payload, secret, timestamp in refused:
            with self.assertRaises(InvalidArgumentError):
                test_header(payload, secret, timestamp=timestamp)

    def test_is_not_taken_for_a_test_by_pytest(self) -> None:
        self.assertIs(getattr(test_header, "__test__", None), False)
