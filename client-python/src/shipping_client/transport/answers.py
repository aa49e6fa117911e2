from __future__ import annotations

import json
from typing import Any

from ..errors import ShippingError, UnexpectedAnswerError, kind_of
from ..settings import Settings
from .attempt import Answer
from .operation import Answers, Outgoing
from .retry import seconds_of


def good_value(answer: Answer, answers: Answers) -> Any:
    """What a good answer holds; None if it is not the API's, or only a part of it."""
    if answers == "file":
        is_pdf = answer.headers.get("content-type", "").startswith("application/pdf")
        return answer.body if is_pdf and _is_whole_pdf(answer.body) else None
    body = _json_in(answer.body)
    if not isinstance(body, dict) or body.get("data") is None:
        return None
    if answers == "data":
        return body["data"]
    cursor = body.get("next_cursor", 0)
    is_page = isinstance(body["data"], list) and (cursor is None or isinstance(cursor, str))
    return {"data": body["data"], "next_cursor": cursor} if is_page else None


def refusal_in(answer: Answer, request: Outgoing, settings: Settings) -> tuple[ShippingError, str | None]:
    """The error of an answer that is not good, and its code, None if the answer is not the API's."""
    body = _json_in(answer.body)
    refusal = body.get("error") if isinstance(body, dict) else None
    if not isinstance(refusal, dict):
        refusal = {}
    request_id = _text_in(refusal.get("request_id")) or answer.headers.get("x-request-id")
    retry_after = seconds_of(answer.headers.get("retry-after"), settings.now())
    code = _text_in(refusal.get("code"))
    if code is None:
        return _unexpected(answer, request, request_id, retry_after), None
    fields = refusal.get("fields")
    error = kind_of(code, answer.status)(
        code,
        _text_in(refusal.get("message")) or code,
        status=answer.status,
        request_id=request_id,
        fields=fields if isinstance(fields, list) else (),
        idempotency_key=request.idempotency_key,
        retry_after=retry_after,
    )
    return error, code


def _unexpected(answer: Answer, request: Outgoing, request_id: str | None, retry_after: float | None) -> ShippingError:
    return UnexpectedAnswerError(
        "unexpected_answer",
        f"Answered {answer.status}{_what_is_wrong(answer)}",
        status=answer.status,
        request_id=request_id,
        idempotency_key=request.idempotency_key,
        retry_after=retry_after,
    )


def _what_is_wrong(answer: Answer) -> str:
    location = answer.headers.get("location")
    if 300 <= answer.status < 400 and location is not None:
        return f": the base URL redirects to {location}, and redirects are not followed. Correct base_url."
    kind = answer.headers.get("content-type", "no content type")
    if 200 <= answer.status < 300:
        return f" ({kind}) with a body that is incomplete or not from the API."
    return f" ({kind}) without an error object from the API."


def _is_whole_pdf(body: bytes) -> bool:
    """A connection that is closed too soon looks like the end of an answer without a length."""
    return body.startswith(b"%PDF-") and b"%%EOF" in body[-1024:]


def _json_in(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _text_in(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
