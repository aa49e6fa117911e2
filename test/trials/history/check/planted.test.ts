import { type HandMade, handMade, LOST, label, order, refusal, shipment } from "./hand-made.js";
import { judge } from "./judge.js";

const LIMIT = 6;
const body = { reference: "r" };
const rulesIn = (history: HandMade) => judge(history, { limit: LIMIT }).map(({ rule }) => rule);

/** Bugs that services could have, each with a history that shows it and one that does not. */
const bugs: Record<string, { history: (h: HandMade, isPlanted: boolean) => void; rule: string }> = {
  "a replay that ignores the path": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
      h.event("order.created", order("ord_1"), 3);
      const replay = { status: 201, replayed: true, data: order("ord_1"), body };
      h.request("POST /shipments k", [3, 4], {
        body,
        ...(isPlanted ? replay : refusal(409, "idempotency_conflict")),
      });
    },
  },
  "a list that skips one at a page's edge": {
    rule: "A list misses a record that existed before it was asked for.",
    history(h, isPlanted) {
      const orders = [1, 2, 3, 4].map((number) => order(`ord_${number}`, `r${number}`));
      for (const [at, data] of orders.entries()) {
        h.request(`POST /orders k${at}`, [1, 2], { status: 201, data, body: { reference: data.reference } });
        h.event("order.created", data, 3);
      }
      h.page("/orders?limit=2", [3, 4], orders.slice(0, 2), "ord_2");
      h.page("/orders?limit=2&after=ord_2", [4, 5], isPlanted ? orders.slice(3) : orders.slice(2), null);
    },
  },
  "an event lost between commit and relay": {
    rule: "An event is missing.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
      if (!isPlanted) h.event("order.created", order("ord_1"), 3);
    },
  },
  "a stale copy read as fresh": {
    rule: "A copy does not show a write that was answered before.",
    history(h, isPlanted) {
      labelled(h);
      h.request("GET /shipments/shp_1", [5, 6], { data: shipment(isPlanted ? "draft" : "label_created") });
    },
  },
  "a limit per gateway instead of per key": {
    rule: `More than ${LIMIT} requests were admitted within 60 s.`,
    history(h, isPlanted) {
      for (let gateway = 0; gateway < 2; gateway++) {
        for (let number = 0; number < LIMIT; number++) {
          const isOver = !isPlanted && gateway * LIMIT + number >= LIMIT;
          h.request("GET /account", [1 + gateway, 3], { gateway, ...(isOver ? refusal(429, "rate_limited") : {}) });
        }
      }
    },
  },
  "a claim taken twice": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 4], { status: 201, data: order("ord_1"), body });
      const again = isPlanted ? { data: order("ord_2") } : { data: order("ord_1"), replayed: true };
      h.request("POST /orders k", [2, 3], { status: 201, body, ...again });
      for (const id of isPlanted ? ["ord_1", "ord_2"] : ["ord_1"]) h.event("order.created", order(id), 5);
    },
  },
  "a label on a voided shipment": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      labelled(h);
      h.request("POST /labels/lbl_1/void v", [5, 6], { data: label("t") });
      h.event("label.voided", label("t"), 6);
      const second = { ...label(), id: "lbl_2" };
      const body = { shipment_id: "shp_1" };
      if (isPlanted) h.event("label.created", second, 8);
      h.request("POST /labels k2", [7, 8], {
        body,
        ...(isPlanted ? { status: 201, data: second } : refusal(409, "shipment_voided")),
      });
    },
  },
  "a cached revocation": {
    rule: "A revoked API key was accepted.",
    history(h, isPlanted) {
      h.request("GET /account", [1, 2]);
      h.revocations.push({ apiKey: "key", startMs: 2_000, endMs: 3_000 });
      h.request("GET /account", [2.5, 3.5]);
      h.request("GET /account", [3.1, 4], isPlanted ? {} : refusal(401, "unauthorized"));
    },
  },
  "a taken key that is refused": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      // A failure reserves nothing, and a request without an answer may have taken the key.
      h.request("POST /labels k", [0, 1], { ...refusal(422, "invalid_request"), body });
      h.request("POST /orders k", [1, LOST], { status: 0, body });
      h.request("POST /orders k", [2, 3], { status: 201, replayed: true, data: order("ord_1"), body });
      h.event("order.created", order("ord_1"), 4);
      const answer = isPlanted
        ? refusal(422, "invalid_request")
        : { status: 201, replayed: true, data: order("ord_1") };
      h.request("POST /orders k", [5, 6], { ...answer, body });
    },
  },
  "a subscription that is gone after it was answered": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      h.request("POST /webhooks k", [1, 2], { status: 201, data: { ...order("whk_1"), object: "webhook", url: "u" } });
      if (isPlanted) h.request("DELETE /webhooks/whk_1 d", [3, 4], refusal(404, "not_found"));
    },
  },
  "a label that is created again after it was voided": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      labelled(h);
      h.request("POST /labels/lbl_1/void v", [5, 8], { data: label("t") });
      h.request("GET /labels/lbl_1", [5.5, 6], { data: label() });
      h.request("GET /labels/lbl_1/file", [6.1, 6.2], refusal(409, "label_voided"));
      h.event("label.voided", label("t"), 8);
      h.request("GET /labels/lbl_1", [6.3, 6.5], { data: label(isPlanted ? undefined : "t") });
    },
  },
  "a copy that stays behind once its write waits no longer": {
    rule: "A copy does not show a write that was answered before.",
    history(h, isPlanted) {
      labelled(h, 5);
      // The label took longer than it waits for copies: they may lag for five seconds.
      h.request("GET /tracking/TEST1", [6, 7], refusal(404, "not_found"));
      h.request("GET /shipments/shp_1", [10.5, 11], { data: shipment(isPlanted ? "draft" : "label_created") });
    },
  },
  "a copy that stays behind after a fault": {
    rule: "A copy does not show a write that was answered before.",
    history(h, isPlanted) {
      labelled(h);
      h.disturbances.push({ name: "kill", fromMs: 3_400, toMs: 10_000 });
      h.request("GET /shipments/shp_1", [isPlanted ? 15.1 : 14, 16], { data: shipment() });
    },
  },
  "a copy that goes back": {
    rule: "A copy has gone back.",
    history(h, isPlanted) {
      labelled(h);
      h.disturbances.push({ name: "kill", fromMs: 3_400, toMs: 10_000 });
      h.request("GET /shipments/shp_1", [4, 5], { data: shipment(isPlanted ? "label_created" : "draft") });
      h.request("GET /shipments/shp_1", [6, 7], { data: shipment() });
    },
  },
  "a limit that refuses too early": {
    rule: `A request was refused although fewer than ${LIMIT} had been admitted within 61 s.`,
    history(h, isPlanted) {
      for (let number = isPlanted ? 1 : 0; number < LIMIT; number++) h.request("GET /account", [3, 4]);
      h.request("GET /account", [63.5, 64], refusal(429, "rate_limited"));
    },
  },
  "a limit that forgets more than the last second before a crash": {
    rule: `More than ${LIMIT} requests were admitted within 60 s.`,
    history(h, isPlanted) {
      h.disturbances.push({ name: "crash", fromMs: 10_000, toMs: 12_000 });
      for (let number = 0; number < LIMIT; number++) h.request("GET /account", [9.5, 10]);
      for (let number = isPlanted ? -1 : 0; number < LIMIT; number++) h.request("GET /account", [15, 16]);
    },
  },
  "an event that is sent again with another body": {
    rule: "An event was sent again with another body.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
      const arrival = h.event("order.created", order("ord_1"), 3);
      h.arrivals.push({ ...arrival, atMs: 5_000, text: arrival.text + (isPlanted ? " " : "") });
    },
  },
  "an event that comes before its change": {
    rule: "An event came before its change.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
      h.event("order.created", order("ord_1"), isPlanted ? 0.5 : 1.5);
    },
  },
  "an event that differs from its resource": {
    rule: "An event differs from the resource at its change.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
      h.event("order.created", order("ord_1", isPlanted ? "other" : "r"), 3);
    },
  },
  "two events for one change": {
    rule: "Two events tell the same.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body });
      const arrival = h.event("order.created", order("ord_1"), 3);
      if (isPlanted) h.arrivals.push({ ...arrival, eventId: "evt_2" });
    },
  },
  "a valid API key that is refused": {
    rule: "An API key was refused that had not been revoked.",
    history(h, isPlanted) {
      h.request("GET /account", [1, 2], isPlanted ? refusal(401, "unauthorized") : {});
    },
  },
  "an error of no contract": {
    rule: "An answer is not one of the contract.",
    history(h, isPlanted) {
      h.request("GET /account", [1, 2], isPlanted ? refusal(409, "confused") : refusal(404, "not_found"));
    },
  },
  "a page of a proxy": {
    rule: "An answer is not one of the contract.",
    history(h, isPlanted) {
      h.request("GET /account", [1, 2], isPlanted ? { status: 502, text: "<html>" } : {});
    },
  },
};

/** A shipment with a label, which took until `endS`. */
function labelled(h: HandMade, endS = 3.5) {
  h.request("POST /shipments s", [1, 2], { status: 201, data: shipment(), body });
  h.request("POST /labels k", [3, endS], { status: 201, data: label(), body: { shipment_id: "shp_1" } });
  h.event("shipment.created", shipment(), 4);
  h.event("label.created", label(), 4);
}

describe("judge", () => {
  test.each(Object.entries(bugs))("finds %s, and no anomaly without it", (_, { history, rule }) => {
    const [sound, planted] = [handMade(), handMade()];
    history(sound, false);
    expect(rulesIn(sound)).toEqual([]);
    history(planted, true);
    expect(rulesIn(planted)).toContain(rule);
  });
});
