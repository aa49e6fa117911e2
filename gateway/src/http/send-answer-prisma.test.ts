import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { openPrisma } from "../database/deps.js";
import type { PrismaClient } from "../gen/prisma/client.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { toFailure } from "./send-answer.js";

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

describe("503 from a page whose Prisma client meets an outage of PostgreSQL:", () => {
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
});

test("500 for a statement that PostgreSQL does not understand", async () => {
  const error = await gateway.prisma.$queryRaw`SELECT nothing FROM nowhere`.catch((reason) => reason);
  expect(toFailure(error).code).toBe("internal_error");
});
