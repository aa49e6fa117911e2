import { create } from "@bufbuild/protobuf";
import { newId, pooledRandom } from "@shipping/kit/ids";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { newCaller } from "@shipping/kit/testing/writes";
import { GetEventRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { acceptEvents } from "../dispatch/accept-event.js";
import { webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { getEvent } from "./read-events.js";

let webhooks: Awaited<ReturnType<typeof webhooksUnderTest>>;
beforeAll(async () => {
  webhooks = await webhooksUnderTest();
});
afterAll(() => webhooks.end());

test("an event's resource is returned to its own account and environment, and to nobody else", async () => {
  const deps = webhooks.replica();
  const caller = newCaller();
  const label = newId("lbl", pooledRandom);
  const data = JSON.stringify({ id: label, object: "label", status: "created" });
  const event = newEvent({ type: "label.created", caller, data, now: new Date(), random: pooledRandom });
  await acceptEvents(deps, [event]);
  const ask = (by = caller, id = event.id) => getEvent(deps, create(GetEventRequestSchema, { caller: by, id }));

  expect(await ask()).toMatchObject({ type: "label.created", resourceId: label });
  const others = [newCaller(), { ...caller, environment: "live" as const }];
  for (const other of others) await expect(ask(other)).rejects.toMatchObject({ code: "not_found" });
  await expect(ask(caller, newId("evt", pooledRandom))).rejects.toMatchObject({ code: "not_found" });
});
