import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Failure, fail, toConnectError } from "@shipping/kit/errors";
import { noteFailure, refuse, toFailure } from "@shipping/kit/http/send-answer";
import { openDatabase } from "@shipping/kit/postgres/database";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { createLog, silentLog } from "@shipping/kit/process/log";
import { Outage } from "@shipping/kit/rpc/outage";
import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import pg from "pg";
import { openPrisma } from "../database/deps.js";
import type { PrismaClient } from "../gen/prisma/client.js";
import { gatewayDatabase } from "../testing/gateway-database.js";

describe("refuse", () => {
  function refused(failure: Failure) {
    const sent = { headers: {}, status: 0, body: "" };
    const response = {
      setHeader: (name: string, value: string) => Object.assign(sent.headers, { [name]: value }),
      writeHead: (status: number, headers: object) => {
        Object.assign(sent, { status });
        Object.assign(sent.headers, headers);
      },
      end: (body: string) => Object.assign(sent, { body }),
    };
    refuse(response as unknown as ServerResponse, failure, "req_a");
    return { ...sent, error: JSON.parse(sent.body).error };
  }

  test.each([
    ["unauthorized", { "WWW-Authenticate": "Bearer" }],
    ["idempotency_in_progress", { "Retry-After": "1" }],
    ["rate_limited", { "Retry-After": "60" }],
    ["service_unavailable", { "Retry-After": "5" }],
    ["not_found", {}],
  ] as const)("%s has these headers besides those of every answer: %j", (code, expected) => {
    const { headers, status, body, error } = refused(fail(code));
    const every = { "content-type": "application/json", "content-length": body.length, "cache-control": "no-store" };
    expect(headers).toEqual({ ...every, ...expected });
    expect(status).toBe(fail(code).status);
    expect(error).toEqual({ code, message: fail(code).message, request_id: "req_a" });
  });

  test("only a 422 names fields", () => {
    const fields = [{ path: "a", message: "is missing" }];
    expect(refused(fail("invalid_request", "Wrong.", fields)).error).toMatchObject({ fields });
    expect(refused(fail("bad_request", "Wrong.", fields)).error).not.toHaveProperty("fields");
  });
});

test("what an outage or a bug was is logged, what a service refused is not", () => {
  const lines: string[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(line) } });
  const noted: Parameters<typeof noteFailure>[1] = { requestId: "req_a" };
  const note = (error: unknown) => noteFailure(log, noted, error).code;
  expect(note(toConnectError(fail("label_exists")))).toBe("label_exists");
  expect(noted).toEqual({ requestId: "req_a", errorCode: "label_exists" });
  expect(note(fail("service_unavailable"))).toBe("service_unavailable");
  expect(note(Object.assign(fail("label_exists"), { cause: new Error("a reason") }))).toBe("label_exists");
  expect(lines).toEqual([]);
  expect(note(new Outage("account_queue", { cause: new Error("behind it") }))).toBe("service_unavailable");
  expect(noted).toMatchObject({ errorCode: "service_unavailable", outageCause: "account_queue" });
  expect(note(new DatabaseOutage(new Error("gone"), false))).toBe("service_unavailable");
  expect(noted).toMatchObject({ outageCause: "own_database" });
  expect(note(new TypeError("a bug"))).toBe("internal_error");
  expect(noted).toMatchObject({ errorCode: "internal_error", outageCause: "own_database" });
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(["behind it", "gone", "a bug"]);
});

describe("toFailure", () => {
  test("a refusal stays itself, also one that crossed a service boundary", () => {
    const refusal = fail("label_exists");
    expect(toFailure(refusal)).toBe(refusal);
    expect(toFailure(toConnectError(refusal))).toMatchObject({ code: "label_exists", message: refusal.message });
  });

  test.each([Code.Unavailable, Code.DeadlineExceeded, Code.Unknown])(
    "an RPC that ended with %i and no detail is an outage",
    (code) => {
      expect(toFailure(new ConnectError("secret detail", code)).code).toBe("service_unavailable");
    },
  );

  test.each([true, false])("an outage of the database is one, also if the statement may have run: %p", (mayHaveRun) => {
    expect(toFailure(new DatabaseOutage(new Error("secret detail"), mayHaveRun)).code).toBe("service_unavailable");
  });

  test.each([
    Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code: "42703" }),
    new Error("Connection terminated unexpectedly by secret detail"),
    Object.assign(new TypeError("secret detail"), { code: "ERR_INVALID_ARG_TYPE" }),
    "thrown text",
    undefined,
  ])("%s is a bug, and exposes no details", (error) => {
    const failure = toFailure(error);
    expect(failure.code).toBe("internal_error");
    expect(failure.message).not.toMatch("secret");
  });
});

describe("a page whose Prisma client meets an outage of PostgreSQL gets 503:", () => {
  let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
  beforeAll(async () => {
    gateway = await gatewayDatabase();
  });
  afterAll(() => gateway.drop());

  /** Reads accounts as a page would, and returns the error code of its response, or `fine`. */
  async function answerOf(prisma: PrismaClient): Promise<string> {
    return prisma.account.findMany({ take: 1 }).then(
      () => "fine",
      (error) => toFailure(error).code,
    );
  }

  test("no connection comes free", async () => {
    const { listPool } = gateway.db;
    const held = await Promise.all(Array.from({ length: listPool.options.max }, () => listPool.connect()));
    expect(await answerOf(gateway.prisma)).toBe("service_unavailable");
    for (const client of held) client.release();
    expect(await answerOf(gateway.prisma)).toBe("fine");
  });

  test.each<[name: string, onSocket: (socket: Socket) => void]>([
    ["stays silent", () => {}],
    ["resets the connection", (socket) => socket.once("data", () => socket.resetAndDestroy())],
  ])("the server %s", async (_name, onSocket) => {
    const server = createServer((socket) => onSocket(socket.on("error", () => {})));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const db = openDatabase(`postgresql://a:b@127.0.0.1:${port}/c`, { log: silentLog() });
    expect(await answerOf(openPrisma(db))).toBe("service_unavailable");
    await db.close();
    server.close();
  });

  test.each(["pg_terminate_backend", "pg_cancel_backend"])("the statement is ended by %s", async (end) => {
    const other = await openTransaction(gateway.db);
    await other.query("LOCK TABLE accounts");
    const answer = answerOf(gateway.prisma);
    await eventually(async () => {
      const ended = await other.query(
        `SELECT ${end}(pid) FROM pg_locks WHERE NOT granted AND relation = 'accounts'::regclass`,
      );
      expect(ended.rowCount).toBe(1);
    });
    expect(await answer).toBe("service_unavailable");
    await other.query("ROLLBACK");
    other.release();
  });

  test("but 500 for a statement that PostgreSQL does not understand", async () => {
    const error = await gateway.prisma.$queryRaw`SELECT nothing FROM nowhere`.catch((reason) => reason);
    expect(toFailure(error).code).toBe("internal_error");
  });
});
