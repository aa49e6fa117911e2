from __future__ import annotations

import math
import unittest
from datetime import datetime, timezone

from shipping_client.transport.retry import backoff, is_retryable, parse_retry_after

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=timezone.utc).timestamp()


class RetryAfter(unittest.TestCase):
    def test_is_a_number_of_seconds_or_a_date_and_nothing_else(self) -> None:
        for text, seconds in [
            (None, None),
            ("0", 0.0),
            ("5", 5.0),
            ("60", 60.0),
            ("-5", None),
            ("1.5", None),
            ("1e3", None),
            ("5\n", None),
            ("\u0665", None),
            ("", None),
            ("soon", None),
            ("2026", 2026.0),
            ("99999999999999999999", 1e20),
            ("9999999999999999999999999", 1e25),
            ("9" * 5_000, math.inf),
            ("1, 1", 1.0),
            ("60, 1", 60.0),
            ("1, soon", None),
            ("Sat, 21 Nov 2026 12:00:07 GMT", 7.0),
            ("Sat, 21 Nov 2026 11:59:00 GMT", 0.0),
            ("Sat, 21 Xyz 2026 12:00:07 GMT", None),
            ("Sat, 99 Nov 2026 12:00:07 GMT", None),
            ("2026-11-21T12:00:07Z", None),
            ("Sat, 21 Nov 2026 12:00:07 +0100", None),
            ("21 Nov 2026 12:00:07 GMT", None),
        ]:
            with self.subTest(text):
                self.assertEqual(parse_retry_after(text, NOW), seconds)


class Wait(unittest.TestCase):
    def test_is_half_a_second_doubled_each_time_less_up_to_half_of_it(self) -> None:
        for retry, least, most in [(0, 0.25, 0.5), (1, 0.5, 1), (2, 1, 2), (3, 2, 4), (20, 4, 8), (10_000, 4, 8)]:
            with self.subTest(retry):
                self.assertEqual(backoff(retry, None, lambda: 1.0), least)
                self.assertEqual(backoff(retry, None, lambda: 0.0), most)

    def test_is_never_shorter_than_retry_after_and_at_most_a_tenth_longer(self) -> None:
        self.assertEqual(backoff(0, 5.0, lambda: 0.0), 5)
        self.assertEqual(backoff(0, 5.0, lambda: 1.0), 5.5)

    def test_has_no_room_for_more_than_65_s_which_is_the_callers_to_decide(self) -> None:
        self.assertEqual(backoff(0, 65.0, lambda: 0.0), 65)
        self.assertIsNone(backoff(0, 66.0, lambda: 0.0))
        self.assertIsNone(backoff(0, 1e20, lambda: 0.0))

    def test_goes_by_its_own_rule_when_retry_after_is_0(self) -> None:
        self.assertEqual(backoff(0, 0.0, lambda: 0.0), 0.5)


class Retryable(unittest.TestCase):
    def test_is_only_what_was_not_executed_or_is_made_harmless_by_the_key(self) -> None:
        for code in ["internal_error", "service_unavailable", "rate_limited", "idempotency_in_progress"]:
            self.assertTrue(is_retryable(0, code))
        for code in ["carrier_not_configured", "idempotency_conflict", "label_exists", "invalid_request"]:
            self.assertFalse(is_retryable(503, code))
        self.assertEqual([is_retryable(status, None) for status in (403, 429, 500, 502)], [False, False, True, True])

    def test_a_code_that_is_newer_than_the_client_goes_by_its_status(self) -> None:
        self.assertTrue(all(is_retryable(status, "of_tomorrow") for status in (429, 500, 503)))
        self.assertFalse(any(is_retryable(status, "of_tomorrow") for status in (400, 401, 409, 422, 501)))
