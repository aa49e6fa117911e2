import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "@shipping/kit/caller";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller } from "@shipping/kit/testing/writes";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { recordsUnderTest } from "@shipping/records/testing/records-under-test";
import { storedShipments } from "@shipping/records/testing/stored-records";
import { transformSync } from "@swc/core";
import sql, { empty } from "sql-template-tag";

// The guide's example of events in a micro-batch, run as it is written: every part that copies it has these statements.

const guide = readFileSync(join(import.meta.dirname, "../../docs/contributing/add-an-event.md"), "utf8");
const [, example = ""] = /## An optional event in a micro-batch.*?```ts shown\n(.*?)```/s.exec(guide) ?? [];
const given = "sql, empty, db, outbox, changes, accountIds, environments, ids, labelIds";
const { code } = transformSync(`async ({ ${given} }) => {\n${example}}`, {
  jsc: { parser: { syntax: "typescript" }, target: "es2022" },
});

interface Change {
  caller: Caller;
  id: string;
  event?: Event;
}

const records = forAllTests(recordsUnderTest);

/** Runs the example for these changes. */
async function run(changes: readonly Change[]): Promise<void> {
  const { db, outbox } = records.deps;
  // biome-ignore lint/security/noGlobalEval: this is the code of our own guide.
  await eval(code)({
    ...{ sql, empty, db, outbox, changes },
    accountIds: changes.map(({ caller }) => caller.accountId),
    environments: changes.map(({ caller }) => caller.environment),
    ids: changes.map(({ id }) => id),
    labelIds: changes.map(() => "lbl_1"),
  });
}

function eventOf(caller: Caller, id: string): Event {
  const { now, random } = records.deps;
  return newEvent({ type: "shipment.voided", caller, data: JSON.stringify({ id }), now: now(), random });
}

test("of changes that share a statement, those with an event send it, once, and the others are made without", async () => {
  const callers = [newCaller(), newCaller(), newCaller()];
  const ids = await Promise.all(callers.map(async (caller) => (await records.newShipment(caller)).id as string));
  const changes = () =>
    callers.map((caller, at) => ({ caller, id: ids[at]!, ...(at !== 1 && { event: eventOf(caller, ids[at]!) }) }));
  await run(changes());
  await run(changes());
  await run(changes().slice(1, 2));
  const stored = await storedShipments(
    records.deps.db,
    callers.map(({ accountId }) => accountId),
  );
  expect(stored.map(({ status }) => status)).toEqual(["voided", "voided", "voided"]);
  await records.deps.outbox.stop();
  const sent = records.published.filter(({ type }) => type === "shipment.voided");
  expect(sent.map(({ accountId }) => accountId).sort()).toEqual(
    [callers[0]!, callers[2]!].map(({ accountId }) => accountId).sort(),
  );
});
