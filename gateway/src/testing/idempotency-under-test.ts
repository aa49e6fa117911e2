import { createHash, randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Failure, fail } from "@shipping/kit/errors";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import sql from "sql-template-tag";
import { executeOnce, type OnceDeps, type OnceRequest, startIdempotency } from "../idempotency/execute-once.js";
import {
  claimKey,
  peekKey,
  type RegistryDeps,
  type RegistryKey,
  type RegistryRequest,
} from "../idempotency/registry.js";
import { gatewayDatabase } from "./gateway-database.js";
import { ownerUnderTest } from "./owner-under-test.js";

/** Two gateways on one database, in front of owners with the real ledger. */
export async function idempotencyUnderTest() {
  const database = await gatewayDatabase();
  const [records, carrier] = await Promise.all([ownerUnderTest(), ownerUnderTest()]);
  const owners = { records, carrier, webhooks: carrier };
  const ledgers = { records: records.client, carrier: carrier.client, webhooks: carrier.client };
  const log = silentLog();
  const started = [database.url, database.url].map((url) => {
    const db = openDatabase(url, { connectMs: CONNECT_MS, log });
    const deps: RegistryDeps = { db, log, random: randomBytes, clockOffsetMs: 0, clients: { ledgers } };
    return { ...deps, idempotency: startIdempotency(deps) };
  });
  const [gateway, otherGateway] = started as [OnceDeps, OnceDeps];

  /** A request for `content`, which its owner executes by default. */
  function request(
    content: string,
    options: Partial<OnceRequest & RegistryRequest> = {},
  ): OnceRequest & RegistryRequest {
    const { caller = newCaller(), owner = "records", fingerprint = fingerprintOf(content) } = options;
    return {
      caller,
      idempotencyKey: "a key",
      fingerprint,
      toFingerprint: () => fingerprint,
      owner,
      peeked: undefined,
      deadline: performance.now() + 10_000,
      requestId: "req_test",
      validate: () => {},
      async send(claim) {
        this.validate();
        return owners[owner].write(caller, claim, content);
      },
      ...options,
    };
  }

  const row = (key: RegistryKey) => peekKey(gateway, key);

  /** Resolves once the key's row is done. */
  const marked = (key: RegistryKey) =>
    eventually(async () => {
      if ((await row(key))?.state !== "done") throw new Error("The key is not done.");
    });

  /** A request that was executed, and whose claim is done. */
  async function executed(content: string): Promise<ReturnType<typeof request>> {
    const wanted = request(content);
    await executeOnce(gateway, wanted);
    await marked(wanted);
    return wanted;
  }

  /** A claim that its gateway has abandoned. */
  async function claimed(content: string, options: Partial<OnceRequest> = {}) {
    const wanted = request(content, options);
    const token = await claimKey(gateway, wanted);
    if (!token) throw new Error("The key is taken.");
    return { request: wanted, token, claim: { ...wanted, token } };
  }

  return {
    gateway,
    otherGateway,
    prisma: database.prisma,
    owners,
    request,
    executed,
    claimed,
    row,
    /** Executes a request in the first gateway by default, and returns its answer. */
    execute: async (wanted: OnceRequest, where = gateway) => toAnswer(await executeOnce(where, wanted)),
    marked,
    /** Ends the lease of a claim in the registry. */
    endLease: ({ caller }: RegistryKey) =>
      gateway.db.run(sql`UPDATE idempotency_registry SET lease_until = now() WHERE account_id = ${caller.accountId}`),
    /** Resolves when a request is waiting: a poller begins with the ledger's `Read`. */
    polling: () =>
      eventually(() => {
        if (!records.asked.includes("Read")) throw new Error("The owner was not asked.");
      }),
    /** Resolves when the registry is idle, so that all further requests are waiting. */
    registryAtRest: () =>
      eventually(() => {
        const { totalCount, idleCount, waitingCount } = gateway.db.pool;
        if (totalCount - idleCount + waitingCount > 0) throw new Error("Somebody asks the registry.");
      }),
    async end() {
      for (const { idempotency, db } of started) {
        await idempotency.stop();
        await db.close();
      }
      await Promise.all([database, records, carrier].map((each) => each.drop()));
    },
  };
}

/** A request that pauses before it is sent, until the test continues or fails it. */
export function paused(request: OnceRequest) {
  const events = new EventEmitter();
  const reached = once(events, "reached");
  const send: typeof request.send = async (...args) => {
    const released = once(events, "release");
    events.emit("reached");
    await released;
    return request.send(...args);
  };
  return {
    request: { ...request, send },
    reached,
    release: () => events.emit("release"),
    fail: (failure: Failure) => events.emit("error", failure),
  };
}

/** The same gateway at a time when every current lease has ended. */
export function later<Deps extends { clockOffsetMs: number }>(deps: Deps): Deps {
  return { ...deps, clockOffsetMs: deps.clockOffsetMs + 4_001 };
}

export function fingerprintOf(content: string): Buffer {
  return createHash("sha256").update(content).digest();
}

/** Describes a snapshot: which request was executed, and whether this is its replay. */
export function toAnswer({ status, body, replayed }: Snapshot) {
  return { status, replayed, content: JSON.parse(Buffer.from(body).toString()).content };
}

/** The response to a request that was just executed. */
export const created = (content: string) => ({ status: 201, replayed: false, content });

/** The response to a request that was executed before. */
export const replayed = (content: string) => ({ status: 201, replayed: true, content });

/** The code of the refusal with which a promise rejects. */
export function refusal(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    () => "no refusal",
    (error: Failure) => error.code ?? String(error),
  );
}

/** The validation of an invalid request. */
export const invalid = (): never => {
  throw fail("invalid_request");
};

/** The error of a call whose connection breaks, so that its outcome is unknown. */
export const lost = () => new ConnectError("connection lost", Code.Unavailable);
