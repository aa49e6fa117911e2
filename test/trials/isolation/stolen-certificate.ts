import { randomBytes, randomUUID } from "node:crypto";
import { type Client, createClient } from "@connectrpc/connect";
import { newApiKey } from "@shipping/api/api-key";
import { operations } from "@shipping/api/operations/operations";
import { accountChanges, markErasing, storedKeys, suspendedSince } from "@shipping/gateway/testing/stored-accounts";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { readTls } from "@shipping/kit/tls/tls";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { parcelBody } from "../kit/bodies.js";
import { inParallel } from "../kit/load.js";
import { type Report, reportOf, type Say } from "../kit/report.js";
import { onPlatform, type Scene } from "./portal-platform.js";

type Access = Client<typeof AccessService>;

const ASKED_OF_EACH = 15;
const CALLS_AT_ONCE = 50;
const IDS_AT_ONCE = 100;
const actor = { name: "eve@example.com", source: "192.0.2.1" };
const newFormKey = () => `developer-area:${randomUUID()}`;
const EMPTY = Buffer.from("{}");
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error) => failureIn(error)?.code ?? String(error),
  );

/** Tries what somebody with the portal's certificate can do at the gateway. The figures are in docs/security.md. */
export const stolenCertificate = (say: Say): Promise<Report> =>
  onPlatform(say, async (scene) => {
    const { url, files, accountIds } = scene.known.access;
    // The attacker's own account has the maximum number of keys.
    const [, ...customers] = accountIds;
    const transport = connectTo({ urls: url, log: silentLog(), tls: readTls(files) });
    const access = createClient(AccessService, transport);
    try {
      const keys = await createKeys(access, customers);
      say(`keys: ${JSON.stringify(keys)}`);
      const writes = await tryWrites(access, customers[0]!);
      say(`writes: ${JSON.stringify(writes)}`);
      const closed = await tryClosedAccounts(scene, access);
      say(`closed accounts: ${JSON.stringify(closed)}`);
      const lines = await tryToRemoveLines(scene, access);
      say(`lines: ${JSON.stringify(lines)}`);
      return reportOf({ keys, writes, closed, lines }, [
        [keys.mostOfAnAccount === 10, "An account got another number of keys than 10."],
        [keys.created === 200, "All accounts together got another number of keys than 200."],
        [closed.every((outcome) => outcome === "not_found"), "An account that is closed was changed."],
        [writes.createOrder === "done" && lines.before["member.wrote"] === 1, "A write has no line, or more than one."],
        [lines.before["key.created"] === keys.created, "A key has no line, or more than one."],
        [JSON.stringify(lines.after) === JSON.stringify(lines.before), "A line was removed."],
      ]);
    } finally {
      await transport.close();
    }
  });

const newKeyOf = (accountId: string) => {
  const { hash, lastFour } = newApiKey("sandbox", randomBytes);
  const caller = { accountId, environment: "sandbox" };
  return { caller, actor, name: "Eve", scopes: ["orders:read"], formId: newId("form", randomBytes), hash, lastFour };
};

/** Asks for more keys than are allowed: for one account, and then for all of them. */
async function createKeys(access: Access, accountIds: readonly string[]) {
  const [first, ...others] = accountIds;
  const asked = [first, ...others].flatMap((id) => Array.from({ length: ASKED_OF_EACH }, () => id!));
  const outcomes = await inParallel(asked, CALLS_AT_ONCE, async (accountId) => {
    const outcome = await outcomeOf(access.createKey(newKeyOf(accountId)));
    return { accountId, outcome };
  });
  const created = outcomes.filter(({ outcome }) => outcome === "done").map(({ accountId }) => accountId);
  const ofEach = accountIds.map((id) => created.filter((accountId) => accountId === id).length);
  const refused = [...new Set(outcomes.map(({ outcome }) => outcome))].filter((outcome) => outcome !== "done");
  return {
    asked: asked.length,
    accounts: accountIds.length,
    created: created.length,
    mostOfAnAccount: Math.max(...ofEach),
    refused,
  };
}

/** Executes one write of an account, and tries each write of the API with an empty body: refusals come from the operations themselves. */
async function tryWrites(access: Access, accountId: string): Promise<Record<string, string>> {
  const caller = { accountId, environment: "sandbox" };
  const write = (operation: string, body: Buffer) =>
    access.executeWrite({ caller, actor, operation, id: "lbl_none", body, idempotencyKey: newFormKey() }).then(
      () => "done",
      (error) => failureIn(error)?.message ?? String(error),
    );
  const written = await write("createOrder", Buffer.from(JSON.stringify(parcelBody)));
  const writes = operations.filter(({ method }) => method !== "GET");
  const empty = writes.map(
    async ({ operationId }) => [`${operationId}, empty`, await write(operationId, EMPTY)] as const,
  );
  return { createOrder: written, ...Object.fromEntries(await Promise.all(empty)) };
}

/** New keys, writes and revocations for accounts that are suspended or being erased. */
async function tryClosedAccounts({ cluster, known }: Scene, access: Access): Promise<string[]> {
  const outcomes: string[] = [];
  const [, ...others] = known.access.accountIds;
  const { gateway } = cluster.databases;
  for (const [at, close] of [
    (id: string) => suspendedSince(gateway, id, 0),
    (id: string) => markErasing(gateway, id),
  ].entries()) {
    const accountId = others.at(-1 - at)!;
    const caller = { accountId, environment: "sandbox" };
    const [key] = await storedKeys(gateway, { accountId });
    await close(accountId);
    const write = { operation: "voidLabel", id: newId("lbl", randomBytes), body: EMPTY, idempotencyKey: newFormKey() };
    outcomes.push(await outcomeOf(access.createKey(newKeyOf(accountId))));
    outcomes.push(await outcomeOf(access.executeWrite({ caller, actor, ...write })));
    outcomes.push(await outcomeOf(access.revokeKey({ caller, actor, id: key!.id })));
  }
  return outcomes;
}

/** Acknowledges all lines, as often as the portal may, and counts those that are still in the gateway's database, by their action. */
async function tryToRemoveLines({ cluster }: Scene, access: Access) {
  const { gateway } = cluster.databases;
  const count = async () => {
    const counts: Record<string, number> = {};
    for (const { action } of await accountChanges(gateway, { actor: actor.name }))
      counts[action] = (counts[action] ?? 0) + 1;
    return Object.fromEntries(Object.entries(counts).sort());
  };
  const before = await count();
  const rows = await accountChanges(gateway);
  for (let at = 0; at < rows.length; at += IDS_AT_ONCE)
    await access.acknowledgeChanges({ ids: rows.slice(at, at + IDS_AT_ONCE).map(({ id }) => id) });
  return { before, after: await count() };
}
