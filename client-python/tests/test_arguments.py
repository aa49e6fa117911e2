from __future__ import annotations

import json
import os
import pickle
import traceback
from decimal import Decimal
from typing import Any, Callable
from unittest import mock

from loopback import API_KEY, DRAFT, SHIPMENT, LoopbackTest, drop, ok, refusal

from shipping_client import InvalidArgumentError, Shipping, __version__

CIRCULAR: dict[str, Any] = {}
CIRCULAR["self"] = CIRCULAR


class Refused(LoopbackTest):
    """Arguments that are refused before a request is sent."""

    def refuses(self, named: str, method: Any, *args: Any, **options: Any) -> None:
        with self.subTest(args=repr(args)[:80], options=repr(options)[:80]):
            error = self.error_of(method, *args, **options)
            self.assertIsInstance(error, InvalidArgumentError)
            self.assertEqual(error.code, "invalid_argument")
            self.assertIn(named, str(error))
            self.assertEqual(self.seen, [])

    def test_an_idempotency_key_that_would_arrive_changed(self) -> None:
        create = self.serve(ok({})).shipments.create
        for key in ["€", "a\nb", " a ", "a ", " a", "", "a" * 129, "é", "\0", "a\n", 7]:
            self.refuses("idempotency_key", create, SHIPMENT, idempotency_key=key)

    def test_an_id_that_is_another_path(self) -> None:
        void = self.serve(ok({})).labels.void
        ids: list[Any] = ["", ".", "..", "%2e", "%2E%2e", ".%2e", "\ud800", None, 7, {}]
        for given in ids:
            self.refuses("is not a valid ID", void, given)

    def test_an_input_that_is_no_json_object(self) -> None:
        create = self.serve(ok({})).shipments.create
        nan = float("nan")
        inputs: list[Any] = [None, [], "{}", {"reference": {1}}, {"weight": nan}, {"reference": "\ud800"}, CIRCULAR]
        for given in inputs:
            self.refuses("The input", create, given)
        self.refuses("Send numbers as int or float", create, {"weight": Decimal("1.5")})

    def test_options_of_a_call_that_are_not_what_they_should_be(self) -> None:
        get = self.serve(ok({})).account.get
        for seconds in [0, -1, float("nan"), float("inf"), 86_401, "5", True]:
            self.refuses("timeout", get, timeout=seconds)
            self.refuses("deadline", get, deadline=seconds)
        for retries in [-1, 1.5, "3", True]:
            self.refuses("retries", get, retries=retries)

    def test_headers_that_the_client_sets_itself_or_that_are_none(self) -> None:
        get = self.serve(ok({})).account.get
        for name in ["Authorization", "idempotency-key", "Host", "content-length", "transfer-encoding", "x y", "", 7]:
            self.refuses("headers", get, headers={name: "x"})
        for value in ["a\nb", "a\r\nx: y", " a", "a ", "", "é", None, 7]:
            self.refuses("headers: x-job must", get, headers={"X-Job": value})
        self.refuses("twice", get, headers={"x-job": "1", "X-Job": "2"})
        self.refuses("mapping", get, headers=[("x-job", "1")])

    def test_an_option_that_there_is_not_as_python_refuses_it(self) -> None:
        shipping: Any = self.serve(ok({}))
        calls: list[tuple[Callable[[], Any], str]] = [
            (lambda: shipping.account.get(timout=5), "timout"),
            (lambda: shipping.account.get(idempotency_key="x"), "idempotency_key"),
            (lambda: shipping.orders.list().page(max=5), "max"),
        ]
        for call, name in calls:
            with self.assertRaisesRegex(TypeError, f"unexpected keyword argument '{name}'"):
                call()
        self.assertEqual(self.seen, [])


class OfTheClient(LoopbackTest):
    def test_each_is_checked_and_named(self) -> None:
        refused: dict[str, list[Any]] = {
            "api_key": ["", "a b", "a\n", "schlüssel", None],
            "base_url": ["", None, "/api/v1", "ftp://api.example.com", "https://user:secret@api.example.com/api/v1"],
            "allow_http": ["yes"],
            "timeout": [0],
            "retries": [-1],
            "deadline": ["5"],
            "on_request": ["log"],
            "on_response": [7],
            "ssl_context": [True],
        }
        for end in ["/api/v1?x=1", "/api/v1#x", ":99999/api/v1", "/\r\nx: y"]:
            refused["base_url"].append(f"https://api.example.com{end}")
        refused["base_url"] += ["https:///api/v1", "https://[::1/api/v1", "http://api.example.com/api/v1"]
        for name, values in refused.items():
            for value in values:
                given: Any = {"api_key": API_KEY, "base_url": self.base_url, name: value}
                with self.subTest(f"{name}={value!r}"), self.assertRaisesRegex(InvalidArgumentError, name):
                    Shipping(**given)

    def test_http_is_only_for_loopback_unless_the_client_is_told_otherwise(self) -> None:
        for host in ["localhost:8080", "LOCALHOST", "127.0.0.1:1", "127.9.8.7", "[::1]:8080"]:
            Shipping(API_KEY, f"http://{host}/api/v1")
        for host in ["api.example.com", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "[::2]"]:
            with self.assertRaisesRegex(InvalidArgumentError, "base_url must be https.*pass allow_http"):
                Shipping(API_KEY, f"http://{host}/api/v1")
            Shipping(API_KEY, f"http://{host}/api/v1", allow_http=True)
            Shipping(API_KEY, f"https://{host}/api/v1")

    def test_a_key_that_is_missing_is_said_to_be(self) -> None:
        for missing in [None, ""]:
            given: Any = missing
            with self.assertRaises(InvalidArgumentError) as raised:
                Shipping(api_key=given, base_url=self.base_url)
            self.assertEqual(str(raised.exception), f"api_key is missing: it is {missing!r}.")

    def test_key_and_base_url_are_the_environments_unless_they_are_given(self) -> None:
        self.serve(ok({}, status=200))
        with mock.patch.dict(os.environ, {"SHIPPING_KEY": API_KEY, "SHIPPING_URL": f"{self.base_url}/"}):
            with Shipping() as shipping:
                shipping.account.get()
            with Shipping(api_key="service_test_other") as shipping:
                shipping.account.get()
            # The caller meant to set the key, and the environment's key may belong to another account.
            for option in ("api_key", "base_url"):
                given: Any = {option: None}
                with self.assertRaisesRegex(InvalidArgumentError, option):
                    Shipping(**given)
        self.assertEqual(self.paths, ["/account", "/account"])
        bearers = [seen.headers["authorization"] for seen in self.seen]
        self.assertEqual(bearers, [f"Bearer {API_KEY}", "Bearer service_test_other"])

    def test_all_that_is_missing_is_told_at_once(self) -> None:
        for environment, message in [
            ({}, "Missing: api_key or SHIPPING_KEY, and base_url or SHIPPING_URL."),
            ({"SHIPPING_KEY": API_KEY}, "Missing: base_url or SHIPPING_URL."),
            ({"SHIPPING_KEY": "", "SHIPPING_URL": self.base_url}, "Missing: api_key or SHIPPING_KEY."),
            ({"SHIPPING_KEY": f"{API_KEY}\n", "SHIPPING_URL": self.base_url}, "SHIPPING_KEY must be an API key"),
            ({"SHIPPING_KEY": API_KEY, "SHIPPING_URL": "127.0.0.1"}, "SHIPPING_URL must be an http or https URL"),
        ]:
            with mock.patch.dict(os.environ, environment, clear=True):
                error = self.error_of(Shipping)
            self.assertIn(message, str(error))
            self.assertNotIn(API_KEY, repr(error))


class TakenAsTheyAre(LoopbackTest):
    def test_keys_of_1_and_128_characters_with_spaces_inside(self) -> None:
        shipping = self.serve(ok(DRAFT))
        for key in ["a", "~", "order 7 / label", "a" * 128]:
            shipping.shipments.create(SHIPMENT, idempotency_key=key)
            self.assertEqual(self.keys[-1], key)

    def test_an_id_stays_one_segment(self) -> None:
        shipping = self.serve(ok({}))
        for given, path in [
            ("a/b", "/labels/a%2Fb"),
            ("%2e%2e/x", "/labels/%252e%252e%2Fx"),
            ("a?b#c", "/labels/a%3Fb%23c"),
            ("...", "/labels/..."),
            ("é", "/labels/%C3%A9"),
        ]:
            shipping.labels.get(given)
            self.assertEqual(self.paths[-1], path)

    def test_none_where_an_option_is_not_given(self) -> None:
        options: Any = {"idempotency_key": None, "timeout": None, "retries": None, "deadline": None, "headers": None}
        self.serve(ok(DRAFT)).shipments.create(SHIPMENT, **options)
        self.assertEqual(json.loads(self.seen[0].body), SHIPMENT)

    def test_text_beyond_ascii_in_utf_8(self) -> None:
        self.serve(ok(DRAFT)).shipments.create({**SHIPMENT, "reference": "Größe 8, 東京"})
        self.assertIn("Größe 8, 東京".encode(), self.seen[0].body)

    def test_headers_of_one_call_beside_the_clients_own(self) -> None:
        self.serve(ok({})).account.get(headers={"Traceparent": "00-1", "x-job": "a b"})
        headers = self.seen[0].headers
        self.assertEqual((headers["traceparent"], headers["x-job"]), ("00-1", "a b"))
        self.assertRegex(headers["user-agent"], rf"^shipping-client-python/{__version__} Python/3\.")
        self.assertEqual((headers["accept"], "content-type" in headers), ("application/json, application/pdf", False))


class ApiKey(LoopbackTest):
    def test_goes_out_as_bearer_and_shows_nowhere_else(self) -> None:
        shipping = self.serve(ok({}, status=200))
        shipping.account.get()
        self.assertEqual(self.seen[0].headers["authorization"], f"Bearer {API_KEY}")
        shown = [repr(shipping), str(shipping), repr(vars(shipping)), repr(vars(shipping.account))]
        self.assertNotIn(API_KEY, "".join(shown))
        with self.assertRaises((TypeError, AttributeError, pickle.PicklingError)):
            pickle.dumps(shipping)

    def test_is_in_no_error(self) -> None:
        for responder in [drop, refusal(401, "unauthorized")]:
            error = self.error_of(self.serve(responder, retries=0).shipments.create, SHIPMENT)
            shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            self.assertNotIn(API_KEY, shown + repr(error) + repr(vars(error)))
