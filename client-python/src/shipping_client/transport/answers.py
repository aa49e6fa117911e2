from __future__ import annotations

import json
from typing import Any

from ..errors import ShippingError, UnexpectedAnswerError, class_for
from ..settings import Settings
from .attempt import Answer
from .operation import Answers, Outgoing
from .retry import parse_retry_after


def read_value(answer: Answer, answers: Answers) -> Any:
    """The value in a successful response; None if the response is incomplete or not from the API."""
    if answers == "file":
        is_pdf = answer.headers.get("content-type", "").startswith("application/pdf")
        return answer.body if is_pdf and _is_whole_pdf(answer.body) else None
    body = _parse_json(answer.body)
    if not isinstance(body, dict) or body.get("data") is None:
        return None
    if answers == "data":
        return body["data"]
    cursor = body.get("next_cursor", 0)
    is_page = isinstance(body["data"], list) and (cursor is None or isinstance(cursor, str))
    return {"data": body["data"], "next_cursor": cursor} if is_page else None


def read_error(answer: Answer, request: Outgoing, settings: Settings) -> tuple[ShippingError, str | None]:
    """The error in any other response. Its code is None if the response is not from the API."""
    body = _parse_json(answer.body)
    refusal = body.get("error") if isinstance(body, dict) else None
    if not isinstance(refusal, dict):
        refusal = {}
    request_id = _non_empty_text(refusal.get("request_id")) or answer.headers.get("x-request-id")
    retry_after = parse_retry_after(answer.headers.get("retry-after"), settings.now())
    code = _non_empty_text(refusal.get("code"))
    if code is None:
        return _unexpected(answer, request, request_id, retry_after), None
    fields = refusal.get("fields")
    error = class_for(code, answer.status)(
        code,
        _non_empty_text(refusal.get("message")) or code,
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
    """Without Content-Length, a connection that is closed too soon looks like the end of the response."""
    return body.startswith(b"%PDF-") and b"%%EOF" in body[-1024:]


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _non_empty_text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
