import { randomBytes, randomUUID } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { readTls } from "@shipping/kit/tls/tls";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { parcelBody } from "../../kit/bodies.js";
import { eachOf } from "../../kit/load.js";
import type { Attack } from "./attack.js";

const CALLS_AT_ONCE = 200;
const CALL = { timeoutMs: 10_000 };
const actor = { name: "eve@example.com", source: "192.0.2.1" };
const NEW_KEY = { name: "Eve", scopes: ["orders:read"], lastFour: "aaaa" };
const metadata = { m: "😀".repeat(4_000) };
const KEYS = Array.from({ length: 100 }, () => newId("key", randomBytes));
const BODY = Buffer.from(JSON.stringify({ ...parcelBody, metadata }));

/** The calls of the portal that cost the gateway most, about all accounts in turn, as fast as one connection takes them. */
async function accessFlood({ known, stopped, count }: Attack): Promise<void> {
  const { url, files, accountIds } = known.access;
  const transport = connectTo({ urls: url, log: silentLog(), tls: readTls(files) });
  const access = createClient(AccessService, transport);
  let turn = 0;
  const callerOf = (at: number) => ({ accountId: accountIds[at % accountIds.length]!, environment: "sandbox" });
  const calls: Record<string, (at: number) => Promise<unknown>> = {
    // A filter that few requests match makes the gateway look back as far as it goes.
    listRequests: (at) => access.listRequests({ caller: callerOf(at), limit: 100, status: "5xx" }, CALL),
    findRequests: (at) =>
      access.findRequests(
        {
          caller: callerOf(at),
          limit: 100,
          texts: Array.from({ length: 10 }, () => randomUUID()),
          idempotencyKeys: true,
        },
        CALL,
      ),
    countRequests: (at) => access.countRequests({ caller: callerOf(at) }, CALL),
    findKeys: (at) => access.findKeys({ caller: callerOf(at), text: "a" }, CALL),
    listKeys: (at) => access.listKeys({ caller: callerOf(at), limit: 100 }, CALL),
    listKeyUsage: (at) => access.listKeyUsage({ caller: callerOf(at) }, CALL),
    nameKeys: (at) => access.nameKeys({ accountId: callerOf(at).accountId, ids: KEYS }, CALL),
    listChanges: () => access.listChanges({ since: new Date(0).toISOString() }, CALL),
    createKey: (at) =>
      access.createKey(
        { caller: callerOf(at), actor, ...NEW_KEY, formId: newId("form", randomBytes), hash: randomBytes(32) },
        CALL,
      ),
    executeWrite: (at) =>
      access.executeWrite(
        {
          caller: callerOf(at),
          actor,
          operation: "createShipment",
          body: BODY,
          idempotencyKey: `developer-area:${randomUUID()}`,
        },
        CALL,
      ),
  };
  const names = Object.keys(calls);

  async function caller(): Promise<void> {
    while (!stopped.aborted) {
      const at = turn++;
      const name = names[at % names.length]!;
      const outcome = await calls[name]!(at).then(
        () => "done",
        (error) => failureIn(error)?.code ?? String(error).slice(0, 60),
      );
      count(`${name} ${outcome}`);
    }
  }

  await eachOf(CALLS_AT_ONCE, caller);
  await transport.close();
}

export const accessAttacks = { "access-flood": accessFlood };
