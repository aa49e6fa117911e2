import { eventually } from "@shipping/kit/testing/eventually";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { sweepOnce } from "./sweep-deliveries.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);

test("the cost of an event and its delivery does not depend on the number of others", async () => {
  const { db, statements } = watched(webhooks.db);
  const deps = webhooks.replica({ db });
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, (await webhooks.receiver()).url);
  const delivered = () => countIn(webhooks.db, "deliveries", { subscriptionId: id, state: "delivered" });
  statements.length = 0;

  const events = eventsFor(caller, 20);
  await acceptEvents(deps, events);
  await eventually(async () => expect(await delivered()).toBe(8));
  await dispatchOnce(deps);
  await eventually(async () => expect(await delivered()).toBe(12));
  await sweepOnce(deps);

  const prepared = new Map(statements.map((statement) => [statement.text, statement]));
  expect(prepared.size).toBe(5);
  const costly = await Promise.all([...prepared.values()].map((statement) => costlyNodes(db, statement)));
  // The queue's index holds a row for each subscription with a pending delivery, and a sweep reads only these rows.
  expect(costly.flat()).toEqual(["Index Scan of all of ready_queue_due"]);
});
