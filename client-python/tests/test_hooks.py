from __future__ import annotations

from loopback import API_KEY, DRAFT, SHIPMENT, LoopbackTest, drop, ok, refusal

from shipping_client import RequestInfo, ResponseInfo


class Hooks(LoopbackTest):
    def test_are_told_of_each_attempt_and_how_it_ended(self) -> None:
        requests: list[RequestInfo] = []
        responses: list[ResponseInfo] = []
        shipping = self.serve(
            drop,
            refusal(503, "service_unavailable"),
            ok(DRAFT),
            on_request=requests.append,
            on_response=responses.append,
        )
        shipping.shipments.create(SHIPMENT)
        url = f"{self.base_url}/shipments"
        self.assertEqual(requests, [RequestInfo("POST", url, number) for number in (1, 2, 3)])
        self.assertEqual(
            [(one.method, one.url, one.attempt) for one in responses], [("POST", url, n) for n in (1, 2, 3)]
        )
        self.assertEqual(
            [(one.status, one.request_id, one.code) for one in responses],
            [(None, None, "connection_failed"), (503, "req_1", "service_unavailable"), (201, "req_1", None)],
        )
        self.assertTrue(all(0 < one.seconds < 20 for one in responses))
        self.assertNotIn(API_KEY, repr(requests) + repr(responses))

    def test_cannot_break_a_call(self) -> None:
        def fail(_info: RequestInfo) -> None:
            raise ValueError("The log is full.")

        self.assertEqual(self.serve(ok(DRAFT), on_request=fail, on_response=fail).shipments.create(SHIPMENT), DRAFT)

    def test_that_stop_the_program_do_so(self) -> None:
        def stop(_info: RequestInfo) -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.serve(ok(DRAFT), on_request=stop).account.get()
        self.assertEqual(self.seen, [])
