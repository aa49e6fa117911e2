from __future__ import annotations

import json
from typing import Any

from ..errors import ShippingError, UnexpectedAnswerError, kind_of
from .attempt import Answer
from .operation import Answers, Outgoing


def good_value(answer: Answer, answers: Answers) -> Any:
    """What a good answer holds; None if it is not the API's, or only a part of it."""
    if answers == "file":
        is_pdf = answer.headers.get("content-type", "").startswith("application/pdf")
        return answer.body if is_pdf else None
    body = _json_in(answer.body)
    if not isinstance(body, dict) or body.get("data") is None:
        return None
    if answers == "data":
        return body["data"]
    cursor = body.get("next_cursor", 0)
    is_page = isinstance(body["data"], list) and (cursor is None or isinstance(cursor, str))
    return {"data": body["data"], "next_cursor": cursor} if is_page else None


def refusal_in(answer: Answer, request: Outgoing) -> tuple[ShippingError, str | None]:
    """The error of an answer that is not good, and its code, None if the answer is not the API's."""
    body = _json_in(answer.body)
    refusal = body.get("error") if isinstance(body, dict) else None
    if not isinstance(refusal, dict):
        refusal = {}
    request_id = _text_in(refusal.get("request_id")) or answer.headers.get("x-request-id")
    code = _text_in(refusal.get("code"))
    if code is None:
        return _unexpected(answer, request, request_id), None
    fields = refusal.get("fields")
    error = kind_of(code, answer.status)(
        code,
        _text_in(refusal.get("message")) or code,
        status=answer.status,
        request_id=request_id,
        fields=fields if isinstance(fields, list) else (),
        idempotency_key=request.idempotency_key,
    )
    return error, code


def _unexpected(answer: Answer, request: Outgoing, request_id: str | None) -> ShippingError:
    kind = answer.headers.get("content-type", "no content type")
    is_good = 200 <= answer.status < 300
    what = "with a body that is incomplete or not from the API" if is_good else "without an error object from the API"
    return UnexpectedAnswerError(
        "unexpected_answer",
        f"Answered {answer.status} ({kind}) {what}.",
        status=answer.status,
        request_id=request_id,
        idempotency_key=request.idempotency_key,
    )


def _json_in(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _text_in(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
