import { type HandMade, handMade, LOST, label, order, refusal, shipment } from "./hand-made.js";
import { judge, pieceOf } from "./judge.js";
import { wrongLimits } from "./rate-limit.js";

const judged = (history: HandMade, limit = 100) => judge(history, { limit }).map(({ rule }) => rule);
const body = { reference: "r" };
const lostFrom = (startS: number): [number, number] => [startS, LOST[1]];

let h: HandMade;
beforeEach(() => {
  h = handMade();
});

describe("idempotency keys", () => {
  test("a request without an answer may have taken the key, and its replay tells what it stands for", () => {
    h.request("POST /orders k", lostFrom(1), { status: 0, body });
    h.request("POST /orders k", [2, 3], { status: 201, replayed: true, data: order("ord_1"), body });
    h.event("order.created", order("ord_1"), 4);
    expect(judged(h)).toEqual([]);
    h.request("POST /orders k", [5, 6], { status: 201, data: order("ord_2"), body });
    expect(judged(h)).toContain("No order explains the answers.");
  });

  test("a failure reserves nothing, and a key that is taken does not fail", () => {
    h.request("POST /labels k", [1, 2], { ...refusal(422, "invalid_request"), body });
    h.request("POST /orders k", [3, 4], { status: 201, data: order("ord_1"), body });
    h.event("order.created", order("ord_1"), 4);
    expect(judged(h)).toEqual([]);
    h.request("POST /orders k", [5, 6], { ...refusal(422, "invalid_request"), body });
    expect(judged(h)).toEqual(["No order explains the answers."]);
  });
});

describe("resources", () => {
  test("a label that is shown as created after it was shown as voided has no order", () => {
    h.request("POST /labels k", [1, 1.5], { status: 201, data: label(), body: { shipment_id: "shp_1" } });
    h.event("label.created", label(), 2);
    h.request("POST /labels/lbl_1/void v", [3, 5], { data: label("t") });
    h.request("GET /labels/lbl_1", [3.5, 4], { data: label() });
    h.request("GET /labels/lbl_1/file", [4.1, 4.2], refusal(409, "label_voided"));
    h.event("label.voided", label("t"), 5);
    expect(judged(h)).toEqual([]);
    h.request("GET /labels/lbl_1", [4.3, 4.5], { data: label() });
    expect(judged(h)).toEqual(["No order explains the answers."]);
    expect(judge(h, { limit: 100 }).map(pieceOf).join()).toContain("then impossible:");
  });

  test("a resource that was answered is never missing", () => {
    h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
    h.event("order.created", order("ord_1"), 2);
    h.request("GET /orders/ord_1", [2, 3], { data: order("ord_1") });
    expect(judged(h)).toEqual([]);
    h.request("GET /orders/ord_1", [4, 5], refusal(404, "not_found"));
    expect(judged(h)).toEqual(["No order explains the answers."]);
  });

  test("a subscription that was answered can be deleted", () => {
    h.request("POST /webhooks k", [1, 2], { status: 201, data: { ...order("whk_1"), object: "webhook", url: "u" } });
    h.request("DELETE /webhooks/whk_1 d", [3, 4], refusal(404, "not_found"));
    expect(judged(h)).toEqual(["No order explains the answers."]);
  });
});

describe("copies", () => {
  const read = (status: string, startS: number) => {
    h.request("GET /shipments/shp_1", [startS, startS + 0.1], { data: shipment(status) });
  };
  beforeEach(() => {
    h.request("POST /shipments s", [0, 0.5], { status: 201, data: shipment(), body });
    h.event("shipment.created", shipment(), 1);
    h.event("label.created", label(), 9);
  });
  const labelled = (startS: number, endS: number) =>
    h.request("POST /labels k", [startS, endS], { status: 201, data: label(), body: { shipment_id: "shp_1" } });

  test("may lag behind a write that took as long as it waits for them, for five seconds", () => {
    labelled(2, 3.5);
    read("draft", 4);
    expect(judged(h)).toEqual([]);
    read("draft", 8.6);
    expect(judged(h)).toEqual(["A copy does not show a write that was answered before."]);
  });

  test("may lag while something is broken, and for five seconds more", () => {
    labelled(2, 2.5);
    h.disturbances.push({ name: "kill", fromMs: 2_400, toMs: 10_000 });
    read("draft", 14);
    expect(judged(h)).toEqual([]);
    read("draft", 15.1);
    expect(judged(h)).toEqual(["A copy does not show a write that was answered before."]);
  });

  test("may lag behind a replay until the first request, which waits for them, is answered", () => {
    h.request("POST /labels k", [2.1, 2.2], {
      status: 201,
      replayed: true,
      data: label(),
      body: { shipment_id: "shp_1" },
    });
    labelled(2, 2.8);
    h.request("GET /shipments/shp_1", [2.3, 2.4], { data: shipment() });
    expect(judged(h)).toEqual([]);
    read("draft", 3);
    expect(judged(h)).toContain("A copy does not show a write that was answered before.");
  });

  test("never go back, and never show what has not happened", () => {
    read("label_created", 1);
    labelled(2, 2.5);
    h.disturbances.push({ name: "kill", fromMs: 2_400, toMs: 10_000 });
    read("draft", 3);
    expect(judged(h)).toEqual(["A copy shows a change that has not happened.", "A copy has gone back."]);
  });

  test("the same holds of tracking", () => {
    labelled(2, 2.5);
    h.request("GET /tracking/TEST1", [3, 4], refusal(404, "not_found"));
    expect(judged(h)).toEqual(["A copy does not show a write that was answered before."]);
  });
});

describe("limit", () => {
  const requests = (count: number, startS: number, answer = {}) => {
    for (let number = 0; number < count; number++) h.request("GET /account", [startS, startS + 1], answer);
  };

  test("a refusal below it is found", () => {
    requests(4, 1);
    requests(1, 63.5, refusal(429, "rate_limited"));
    const rule = "A request was refused although fewer than 4 had been admitted within 61 s.";
    expect(judged(h, 4)).toEqual([rule]);
    expect(wrongLimits(h, 4, 2_000).map((one) => one.rule)).toEqual([rule]);
    expect(wrongLimits(h, 4, 3_000)).toEqual([]);
  });

  test("the last second before a crash of the database may be forgotten, and no more", () => {
    h.disturbances.push({ name: "crash", fromMs: 10_000, toMs: 12_000 });
    requests(4, 9.5);
    requests(4, 15);
    expect(judged(h, 4)).toEqual([]);
    requests(1, 16);
    expect(judged(h, 4)).toEqual(["More than 4 requests were admitted within 60 s."]);
  });
});

describe("events", () => {
  const created = () => h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });

  test("one may arrive twice, with the same body", () => {
    created();
    const arrival = h.event("order.created", order("ord_1"), 3);
    h.arrivals.push({ ...arrival, atMs: 4_000 });
    expect(judged(h)).toEqual([]);
    h.arrivals.push({ ...arrival, atMs: 5_000, text: `${arrival.text} ` });
    expect(judged(h)).toEqual(["An event was sent again with another body."]);
  });

  test("one that came before its request, one with other data, and a second one for the same are found", () => {
    created();
    h.event("order.created", order("ord_1"), 0.5);
    h.arrivals.push({
      ...h.event("order.created", { ...order("ord_1"), status: "new" } as never, 3),
      eventId: "evt_2",
    });
    expect(judged(h)).toEqual(
      expect.arrayContaining([
        "An event came before its change.",
        "An event differs from the resource at its change.",
        "Two events tell the same.",
      ]),
    );
  });
});

describe("answers", () => {
  test("an API key that is not revoked is not refused", () => {
    h.request("GET /account", [1, 2], refusal(401, "unauthorized"));
    expect(judged(h)).toEqual(["An API key was refused that had not been revoked."]);
  });

  test.each([
    ["500", refusal(500, "internal_error")],
    ["an unknown code", refusal(409, "confused")],
    ["a page of a proxy", { status: 502, text: "<html>" }],
  ])("%s is found", (_, answer) => {
    h.request("GET /account", [1, 2], answer);
    expect(judged(h)).toEqual(["An answer is not one of the contract."]);
  });
});
