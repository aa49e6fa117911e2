import { type HandMade, handMade, label, order, refusal, shipment } from "./hand-made.js";
import { judge } from "./judge.js";

const LIMIT = 6;
const rulesIn = (history: HandMade) => judge(history, { limit: LIMIT }).map(({ rule }) => rule);

/** Bugs that services could have, each with a history that shows it and one that does not. */
const bugs: Record<string, { history: (h: HandMade, isPlanted: boolean) => void; rule: string }> = {
  "a replay that ignores the path": {
    rule: "No order explains the answers.",
    history(h, isPlanted) {
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body: { reference: "r" } });
      h.event("order.created", order("ord_1"), 3);
      const replay = { status: 201, replayed: true, data: order("ord_1"), body: { reference: "r" } };
      h.request("POST /shipments k", [3, 4], {
        body: { reference: "r" },
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
      h.request("POST /orders k", [1, 2], { status: 201, data: order("ord_1"), body: { reference: "r" } });
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
      h.request("POST /orders k", [1, 4], { status: 201, data: order("ord_1"), body: { reference: "r" } });
      const again = isPlanted ? { data: order("ord_2") } : { data: order("ord_1"), replayed: true };
      h.request("POST /orders k", [2, 3], { status: 201, body: { reference: "r" }, ...again });
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
};

/** A shipment with a label. */
function labelled(h: HandMade) {
  h.request("POST /shipments s", [1, 2], { status: 201, data: shipment(), body: { reference: "r" } });
  h.request("POST /labels k", [3, 3.5], { status: 201, data: label(), body: { shipment_id: "shp_1" } });
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
