from __future__ import annotations

from typing import Any

from loopback import LoopbackTest, page, refusal, respond

from shipping_client import InvalidArgumentError, Page, UnexpectedAnswerError, with_response


def labels(*ids: str) -> list[Any]:
    return [{"id": one} for one in ids]


class List(LoopbackTest):
    def test_is_read_to_its_end_an_empty_page_in_between_goes_on(self) -> None:
        shipping = self.serve(page(labels("a", "b"), "b"), page([], "c"), page(labels("d"), None))
        self.assertEqual([label["id"] for label in shipping.labels.list(limit=2)], ["a", "b", "d"])
        self.assertEqual(self.paths, ["/labels?limit=2", "/labels?limit=2&after=b", "/labels?limit=2&after=c"])

    def test_asks_for_nothing_before_it_is_read_and_for_no_page_that_is_not_wanted(self) -> None:
        listing = self.serve(page(labels("a", "b"), "b")).labels.list()
        self.assertEqual(self.paths, [])
        for label in listing:
            self.assertEqual(label["id"], "a")
            break
        self.assertEqual(self.paths, ["/labels"])

    def test_can_be_read_again(self) -> None:
        listing = self.serve(page(labels("a"), None)).labels.list(after="_")
        self.assertEqual([list(listing), list(listing)], [labels("a")] * 2)
        self.assertEqual(self.paths, ["/labels?after=_"] * 2)

    def test_raises_instead_of_repeating_indefinitely(self) -> None:
        for cursors in [["a", "a"], ["a", "b", "a"], ["_"]]:
            with self.subTest(cursors):
                self.seen.clear()
                shipping = self.serve(*(page(labels(cursor), cursor) for cursor in cursors))
                error = self.error_of(list, shipping.labels.list(after="_"))
                self.assertIsInstance(error, UnexpectedAnswerError)
                self.assertIn("repeats itself", str(error))
                self.assertEqual(len(self.seen), len(cursors))

    def test_retries_a_page_and_not_the_list(self) -> None:
        shipping = self.serve(
            page(labels("a"), "a"),
            refusal(503, "service_unavailable"),
            respond(200, "application/json", '{"data":[{"id":"b"}'),
            page(labels("b"), None),
        )
        self.assertEqual(list(shipping.labels.list()), labels("a", "b"))
        self.assertEqual(self.paths, ["/labels", "/labels?after=a", "/labels?after=a", "/labels?after=a"])

    def test_takes_a_page_only_if_it_has_a_cursor_or_says_that_there_is_none(self) -> None:
        for body in ['{"data":[]}', '{"data":[],"next_cursor":7}', '{"data":{},"next_cursor":null}']:
            shipping = self.serve(respond(200, "application/json", body), retries=0)
            self.assertIsInstance(self.error_of(list, shipping.labels.list()), UnexpectedAnswerError)

    def test_keeps_a_cursor_as_it_is(self) -> None:
        self.serve(page([], None)).labels.list(after="a&b=c é").page()
        self.assertEqual(self.paths, ["/labels?after=a%26b%3Dc+%C3%A9"])


class OnePage(LoopbackTest):
    def test_has_its_data_and_its_cursor(self) -> None:
        shipping = self.serve(page(labels("b"), "b"))
        answer = with_response(shipping.labels.list(limit=5, after="_").page, after="a", limit=None)
        self.assertEqual(answer.data, Page(labels("b"), "b"))
        self.assertEqual((answer.response.status, answer.response.idempotency_key), (200, None))
        self.assertEqual(self.paths, ["/labels?limit=5&after=a"])

    def test_is_what_a_list_is_not_nothing_is_asked_for(self) -> None:
        shipping = self.serve(page([], None))
        with self.assertRaisesRegex(TypeError, "sends a request"):
            with_response(shipping.labels.list)


class ToList(LoopbackTest):
    def test_holds_all_records_of_a_list_that_has_fewer_than_max(self) -> None:
        shipping = self.serve(page(labels("a", "b"), "b"), page([], "c"), page(labels("d"), None))
        self.assertEqual(shipping.labels.list().to_list(max=10_000), labels("a", "b", "d"))
        self.assertEqual(self.paths, ["/labels?limit=100", "/labels?limit=100&after=b", "/labels?limit=100&after=c"])

    def test_ends_at_max_and_asks_for_no_page_beyond_it(self) -> None:
        shipping = self.serve(page(labels("a", "b"), "b"), page(labels("c", "d"), "d"))
        self.assertEqual(shipping.labels.list(limit=2, after="_").to_list(max=3), labels("a", "b", "c"))
        self.assertEqual(self.paths, ["/labels?limit=2&after=_", "/labels?limit=2&after=b"])

    def test_asks_for_no_more_records_than_it_holds(self) -> None:
        shipping = self.serve(page(labels("a", "b"), "b"))
        self.assertEqual(shipping.labels.list(headers={"x-job": "7"}).to_list(max=2), labels("a", "b"))
        self.assertEqual(self.paths, ["/labels?limit=2"])
        self.assertEqual(self.seen[0].headers["x-job"], "7")

    def test_is_refused_without_a_bound(self) -> None:
        listing = self.serve(page(labels("a"), None)).labels.list()
        bounds: list[Any] = [0, -1, 1.5, float("inf"), "5", None, True]
        for bound in bounds:
            error = self.error_of(listing.to_list, max=bound)
            self.assertIsInstance(error, InvalidArgumentError)
            self.assertIn("max", str(error))
        self.assertEqual(self.seen, [])
