import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { newId, pooledRandom } from "@shipping/kit/ids";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import { ListFailingResourcesRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { acceptEvents } from "../dispatch/accept-event.js";
import { subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { listFailingResources } from "./failing-resources.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);

test("resources are found whose deliveries have failed and wait for the next attempt, those of a label by its shipment, too", async () => {
  const deps = webhooks.idle();
  const caller = newCaller();
  const types = ["label.created", "shipment.created"];
  const { id: subscription } = await subscribe(deps, caller, "https://shop.example.com/hooks", types);
  const arrived = async (by: Caller, type: string, data: { id: string; shipment_id?: string }) => {
    const text = JSON.stringify(data);
    const event = newEvent({ type, caller: by, data: text, now: new Date(), random: pooledRandom });
    await acceptEvents(deps, [event]);
    return { event: event.id, id: data.id };
  };
  const made = (prefix: string) => newId(prefix, pooledRandom);
  const ofLabel = made("shp");
  const label = await arrived(caller, "label.created", { id: made("lbl"), shipment_id: ofLabel });
  const shipment = await arrived(caller, "shipment.created", { id: made("shp") });
  const waiting = await arrived(caller, "shipment.created", { id: made("shp") });
  const given = await arrived(caller, "shipment.created", { id: made("shp") });
  const failed = [label, shipment].map(({ event }) => event);
  await deps.db.run(sql`UPDATE deliveries SET attempt = 2 WHERE event_id = ANY(${failed}::text[])`);
  await deps.db.run(sql`
    UPDATE deliveries SET attempt = 8, state = 'exhausted', next_at = NULL WHERE event_id = ${given.event}`);

  const find = async (prefix: string, by: Caller = caller, asked = deps) => {
    const request = create(ListFailingResourcesRequestSchema, { caller: by, prefix });
    const { ids, incomplete } = await listFailingResources(asked, request);
    return { ids: [...ids].sort(), incomplete };
  };
  expect(await find("shp")).toEqual({ ids: [ofLabel, shipment.id].sort(), incomplete: false });
  expect(await find("lbl")).toEqual({ ids: [label.id], incomplete: false });
  expect((await find("shp")).ids).not.toContain(waiting.id);
  for (const other of [newCaller(), { ...caller, environment: "live" as const }])
    expect(await find("shp", other)).toEqual({ ids: [], incomplete: false });

  const { db, statements } = watched(deps.db);
  await find("shp", caller, { ...deps, db });
  expect(statements).toHaveLength(1);
  for (const statement of statements) expect(await costlyNodes(db, statement)).toEqual([]);

  await deps.db.run(sql`UPDATE subscriptions SET status = 'disabled', disabled_at = now() WHERE id = ${subscription}`);
  expect(await find("shp")).toEqual({ ids: [], incomplete: false });
});

test("a subscription with very many of them says that there may be more", async () => {
  const deps = webhooks.idle();
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, "https://shop.example.com/hooks");
  await deps.db.run(sql`
    INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at)
    SELECT ${caller.accountId}, ${id}, 'evt_' || n, 'pending', 1, now() FROM generate_series(1, 1000) AS n`);
  const request = create(ListFailingResourcesRequestSchema, { caller, prefix: "shp" });
  expect(await listFailingResources(deps, request)).toMatchObject({ ids: [], incomplete: true });
});
