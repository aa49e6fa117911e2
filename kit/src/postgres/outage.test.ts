import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";
import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { openDatabase } from "./database.js";
import { DatabaseOutage, statementError } from "./outage.js";
import { isRefusedStart } from "./session.js";

let owned: TestDatabase;
let server: Server;
let sockets: Socket[];
let onSocket: (socket: Socket) => void;
beforeAll(async () => {
  owned = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
});
afterAll(() => owned.drop());
beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Opens the database through the test's server. */
function openThere() {
  const url = new URL(owned.url);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return openDatabase(url.href, { max: 3, log: silentLog() });
}

/** Forwards everything to PostgreSQL and back. */
function passOn(socket: Socket): void {
  const { hostname, port } = new URL(owned.url);
  const upstream = connect(Number(port), hostname).on("error", () => {});
  sockets.push(upstream);
  socket.pipe(upstream).pipe(socket);
}

/** Sends a statement in each of the possible ways, prepared or by the pool as Prisma does, and returns how it ended. */
async function endsOf(db: ReturnType<typeof openThere>, text: string) {
  const ends = await Promise.allSettled([db.run(sql([text])), db.listPool.query(text)]);
  return ends.map((end) => {
    if (end.status === "fulfilled") return "fine";
    const { reason } = end;
    return reason instanceof DatabaseOutage
      ? { mayHaveRun: reason.mayHaveRun, code: (reason.cause as NodeJS.ErrnoException).code }
      : reason;
  });
}

describe("a statement fails with an outage and was certainly not sent if", () => {
  const NOTHING_SENT = { mayHaveRun: false };

  test("no connection comes free", async () => {
    const { db } = owned;
    const pools = [db.pool, db.listPool].flatMap((pool) =>
      Array.from({ length: pool.options.max }, () => pool.connect()),
    );
    const held = await Promise.all(pools);
    expect(await endsOf(db, "SELECT 1")).toEqual([NOTHING_SENT, NOTHING_SENT]);
    for (const client of held) client.release();
    expect(await endsOf(db, "SELECT 1")).toEqual(["fine", "fine"]);
  });

  test.each<[name: string, onSocket: (socket: Socket) => void]>([
    ["does not respond", () => {}],
    ["hangs up", (socket) => socket.end()],
    ["resets the connection", (socket) => socket.once("data", () => socket.resetAndDestroy())],
  ])("the server %s", async (_name, then) => {
    onSocket = then;
    const db = openThere();
    for (const end of await endsOf(db, "SELECT 1")) expect(end).toMatchObject({ mayHaveRun: false });
    await db.close();
  });

  test("no server listens, or the server does not know the user", async () => {
    const db = openThere();
    await new Promise((resolve) => server.close(resolve));
    const refused = { mayHaveRun: false, code: "ECONNREFUSED" };
    expect(await endsOf(db, "SELECT 1")).toEqual([refused, refused]);
    await db.close();
    const url = new URL(owned.url);
    url.username = "nobody";
    const stranger = openDatabase(url.href, { log: silentLog() });
    for (const end of await endsOf(stranger, "SELECT 1")) expect(end).toMatchObject({ mayHaveRun: false });
    await stranger.close();
  });
});

describe("a statement that was sent meets an outage if", () => {
  test.each([
    ["pg_terminate_backend", { mayHaveRun: true, code: "57P01" }],
    ["pg_cancel_backend", { mayHaveRun: false, code: "57014" }],
  ])("%s ends it: %j", async (end, outage) => {
    const ends = endsOf(owned.db, `SELECT pg_sleep(20), '${end}'`);
    const ended = new Set();
    await eventually(async () => {
      const rows = await owned.db.run<{ pid: number }>(sql`
        SELECT pid, CASE ${end} WHEN 'pg_cancel_backend' THEN pg_cancel_backend(pid) ELSE pg_terminate_backend(pid) END
        FROM pg_stat_activity WHERE query LIKE ${`SELECT pg_sleep(20), '${end}%`} AND state = 'active'`);
      for (const { pid } of rows) ended.add(pid);
      expect(ended.size).toBe(2);
    });
    expect(await ends).toEqual([outage, outage]);
  });

  test.each<[name: string, cut: (socket: Socket) => void]>([
    ["ends", (socket) => socket.end()],
    ["is reset", (socket) => socket.resetAndDestroy()],
    ["goes silent", (socket) => socket.unpipe().pause()],
  ])("its connection %s: it may have run", async (name, cut) => {
    onSocket = passOn;
    const db = openThere();
    await eventually(async () => expect(await endsOf(db, "SELECT 1")).toEqual(["fine", "fine"]));
    const ends = endsOf(db, `SELECT pg_sleep(4), '${name}'`);
    await eventually(async () => {
      const rows = await owned.db.run(
        sql`SELECT FROM pg_stat_activity WHERE query = ${`SELECT pg_sleep(4), '${name}'`} AND state = 'active'`,
      );
      expect(rows).toHaveLength(2);
    });
    for (const socket of [...sockets]) cut(socket);
    for (const end of await ends) expect(end).toMatchObject({ mayHaveRun: true });
    await db.close();
  });
});

describe("connections to a server that is no longer the primary are replaced", () => {
  /** Opens as many connections as the pools allow, and leaves them idle. */
  async function fill(db: ReturnType<typeof openThere>): Promise<void> {
    for (const pool of [db.pool, db.listPool]) {
      const all = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
      for (const client of all) client.release();
    }
  }

  test("once a write meets a demoted one, which is an outage without effect", async () => {
    onSocket = passOn;
    const db = openThere();
    await fill(db);
    await db.run(sql`SELECT set_config('default_transaction_read_only', 'on', false)`);
    const opened = sockets.length;
    const write = db.run(sql`CREATE TABLE written ()`);
    await expect(write).rejects.toMatchObject({ mayHaveRun: false, cause: { code: "25006" } });
    expect(await endsOf(db, "SELECT 1")).toEqual(["fine", "fine"]);
    // The connection that the write used and an idle one for lists were replaced; each is a socket here and one to PostgreSQL.
    expect(sockets.length).toBe(opened + 4);
    await db.close();
  });

  test("once a statement meets one that has gone silent: the next does not wait for another of them", async () => {
    onSocket = passOn;
    const db = openThere();
    await fill(db);
    for (const socket of sockets) socket.unpipe().pause();
    await expect(db.run(sql`SELECT 1`)).rejects.toMatchObject({ mayHaveRun: true });
    // The statement of each pool opens one connection, which is a socket here and one to PostgreSQL.
    const opened = sockets.length;
    expect(await endsOf(db, "SELECT 1")).toEqual(["fine", "fine"]);
    expect(sockets.length).toBe(opened + 4);
    for (const socket of sockets) socket.destroy();
    await db.close();
  });

  test("but not while others still answer", async () => {
    onSocket = passOn;
    const db = openThere();
    await fill(db);
    const [first] = sockets;
    first?.unpipe().pause();
    expect(await endsOf(db, "SELECT 1")).toEqual([expect.objectContaining({ mayHaveRun: true }), "fine"]);
    const opened = sockets.length;
    await Promise.all([db.runList(sql`SELECT 1`), db.runList(sql`SELECT 1`)]);
    expect(sockets.length).toBe(opened);
    first?.destroy();
    await db.close();
  });
});

test.each([
  ["25006", false],
  ["57P01", true],
  ["08006", true],
  ["40001", true],
  ["53100", true],
  ["53200", true],
  ["53300", true],
  ["54001", true],
  ["58030", true],
  ["55P03", false],
  ["57014", false],
  ["40P01", false],
])("SQLSTATE %s is an outage, after which a statement may have run: %p", (code, mayHaveRun) => {
  const error = Object.assign(new pg.DatabaseError("gone", 1, "error"), { code });
  expect(statementError(error)).toMatchObject({ name: "DatabaseOutage", message: "gone", mayHaveRun, cause: error });
});

test.each([
  Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }),
  new Error("Connection terminated unexpectedly"),
  new Error("Query read timeout"),
  new Error("Client has encountered a connection error and is not queryable"),
])("$message: is an outage, after which a statement may have run", (error) => {
  expect(statementError(error)).toMatchObject({ name: "DatabaseOutage", mayHaveRun: true, cause: error });
  expect(statementError(statementError(error))).toMatchObject({ cause: error });
});

test.each([
  Object.assign(new pg.DatabaseError("taken", 1, "error"), { code: "23505" }),
  Object.assign(new pg.DatabaseError("too late a date", 1, "error"), { code: "22008" }),
  Object.assign(new pg.DatabaseError("in a failed transaction", 1, "error"), { code: "25P02" }),
  Object.assign(new Error("another's code"), { code: "UND_ECONN" }),
  new Error("A value says: Connection terminated"),
  Object.assign(new TypeError("no text"), { code: "ERR_INVALID_ARG_TYPE" }),
  new Error("A query must have either text or a name."),
])("$message: is not an outage", (error) => {
  expect(statementError(error)).toBe(error);
});

test("a pooler that refuses something else does not refuse settings", () => {
  const refused = { code: "08P01", message: "unsupported startup parameter: options" };
  const isOne = (change: object) =>
    isRefusedStart(Object.assign(new pg.DatabaseError("", 1, "error"), refused, change));
  expect([{}, { code: "42704" }, { message: "invalid message" }].map(isOne)).toEqual([true, false, false]);
  expect(isRefusedStart(Object.assign(new Error(), refused))).toBe(false);
});
