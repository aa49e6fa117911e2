from __future__ import annotations

import builtins
import pickle
from typing import Any, get_args

from loopback import LoopbackTest, answer, drop, html, refusal, respond

import shipping_client
from shipping_client import APIConnectionError, InvalidRequestError, ShippingError, UnexpectedAnswerError
from shipping_client.errors import KINDS, class_for


class OverHttp(LoopbackTest):
    def test_each_has_its_class_and_says_what_the_api_says(self) -> None:
        error = self.error_of(self.serve(refusal(409, "label_exists")).account.get)
        self.assertIs(type(error), shipping_client.ConflictError)
        self.assertEqual((error.code, error.status, error.request_id), ("label_exists", 409, "req_1"))
        self.assertEqual((str(error), error.message), ("It is label_exists.",) * 2)

    def test_the_fields_at_fault_are_those_of_the_answer(self) -> None:
        fields = [{"path": "to.country", "message": "must be two letters"}]
        error = self.error_of(self.serve(refusal(422, "invalid_request", fields=fields)).account.get)
        self.assertEqual(error.fields, fields)
        odds: list[Any] = ["x", None, {}]
        for odd in odds:
            error = self.error_of(self.serve(refusal(422, "invalid_request", fields=odd)).account.get)
            self.assertEqual(list(error.fields), [])

    def test_what_is_not_the_apis_has_classes_of_its_own(self) -> None:
        for responder, kind in [
            (html(403), UnexpectedAnswerError),
            (respond(400, "application/json", '{"error":"no"}'), UnexpectedAnswerError),
            (respond(400, "application/json", '{"error":{"code":7}}'), UnexpectedAnswerError),
            (respond(400, "application/json", '{"error":{"code":""}}'), UnexpectedAnswerError),
            (respond(400, "application/json", b"\xff\xfe"), UnexpectedAnswerError),
            (drop, APIConnectionError),
        ]:
            error = self.error_of(self.serve(responder, retries=0).account.get)
            self.assertIs(type(error), kind)
        error = self.error_of(self.serve(respond(403, "text/html", "", {"x-request-id": "req_9"})).account.get)
        self.assertEqual(str(error), "Answered 403 (text/html) without an error object from the API.")
        self.assertEqual((error.request_id, error.retry_after), ("req_9", None))

    def test_says_where_a_redirect_leads_and_what_else_is_not_the_apis(self) -> None:
        leads = ": the base URL redirects to https://x.example/, and redirects are not followed. Correct base_url."
        foreign = " (text/plain) without an error object from the API."
        cut = " (text/plain) with a body that is incomplete or not from the API."
        location = {"location": "https://x.example/"}
        for status, headers, message in [
            (300, location, leads),
            (399, location, leads),
            (302, {}, foreign),
            (400, location, foreign),
            (200, location, cut),
            (299, {}, cut),
        ]:
            error = self.error_of(self.serve(respond(status, "text/plain", "", headers), retries=0).account.get)
            self.assertEqual((error.code, str(error)), ("unexpected_answer", f"Answered {status}{message}"))

    def test_has_the_request_id_of_the_body_rather_than_of_the_headers_and_a_message_in_any_case(self) -> None:
        for refused, request_id, message in [
            (refusal(404, "not_found", {"x-request-id": "req_proxy"}), "req_1", "It is not_found."),
            (answer(404, {"error": {"code": "not_found"}}, {"x-request-id": "req_2"}), "req_2", "not_found"),
        ]:
            error = self.error_of(self.serve(refused).account.get)
            self.assertEqual((error.request_id, str(error)), (request_id, message))

    def test_has_the_retry_after_of_the_answer(self) -> None:
        error = self.error_of(self.serve(refusal(503, "service_unavailable", {"retry-after": "3600"})).account.get)
        self.assertEqual((error.code, error.retry_after), ("service_unavailable", 3600.0))


class Classes(LoopbackTest):
    def test_there_is_one_for_each_code_of_the_document(self) -> None:
        codes = get_args(shipping_client.ErrorCode)
        self.assertGreater(len(codes), 15)
        self.assertEqual([code for code in codes if code not in KINDS], [])

    def test_a_code_that_is_newer_than_the_client_goes_by_its_status(self) -> None:
        for status, name in [
            (400, "InvalidRequestError"),
            (401, "AuthenticationError"),
            (402, "InvalidRequestError"),
            (403, "PermissionDeniedError"),
            (404, "NotFoundError"),
            (409, "ConflictError"),
            (429, "RateLimitError"),
            (500, "ServerError"),
            (599, "ServerError"),
            (302, "ShippingError"),
            (None, "ShippingError"),
        ]:
            self.assertEqual(class_for("of_tomorrow", status).__name__, name)

    def test_none_has_the_name_of_one_of_pythons_own(self) -> None:
        names = [name for name in shipping_client.__all__ if name.endswith("Error")]
        self.assertEqual(len(names), 13)
        self.assertEqual([name for name in names if hasattr(builtins, name)], [])

    def test_an_error_can_be_sent_to_another_process(self) -> None:
        fields: list[shipping_client.FieldError] = [{"path": "x", "message": "y"}]
        error = InvalidRequestError("invalid_request", "No.", status=422, fields=fields, idempotency_key="k")
        copy: ShippingError = pickle.loads(pickle.dumps(error))
        self.assertIs(type(copy), InvalidRequestError)
        self.assertEqual((str(copy), vars(copy)), (str(error), vars(error)))
