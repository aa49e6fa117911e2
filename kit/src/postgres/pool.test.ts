import { randomBytes } from "node:crypto";
import { connect, createServer, type Server, Socket } from "node:net";
import { join } from "node:path";
import sql from "sql-template-tag";
import { createLog, silentLog } from "../process/log.js";
import { RELEASE } from "../release.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { openDatabase } from "./database.js";
import { DatabaseOutage } from "./outage.js";

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
function openThere(user?: string) {
  const url = Object.assign(new URL(owned.url), user && { username: user });
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

describe("a pool", () => {
  afterEach(() => jest.useRealTimers());
  const open = (max: number, log = silentLog()) => openDatabase(owned.url, { max, log });

  test("lets the operating system probe a connection's server after five idle seconds", async () => {
    const setKeepAlive = jest.spyOn(Socket.prototype, "setKeepAlive");
    const db = open(2);
    await Promise.all([db.run(sql`SELECT 1`), db.runList(sql`SELECT 1`)]);
    await db.close();
    expect(setKeepAlive.mock.calls).toEqual(Array(2).fill([true, 5_000]));
    setKeepAlive.mockRestore();
  });

  const shown = sql`SELECT current_setting('application_name') AS name, pg_backend_pid() AS pid`;

  test("keeps the connection after a statement that PostgreSQL refused", async () => {
    const db = open(1);
    const before = await db.run<{ name: string }>(shown);
    await expect(db.run(sql`SELECT 1 / 0`)).rejects.toMatchObject({ code: "22012" });
    await expect(db.pool.query("SELECT 1 / 0")).rejects.toMatchObject({ code: "22012" });
    expect(await db.run(shown)).toEqual(before);
    expect(before[0]?.name).toBe("shipping");
    await db.close();
  });

  test("shows its part to PostgreSQL's operators; logs an idle connection that is lost, and replaces it", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
    const db = open(1, createLog({ part: "records", destination }));
    const [first] = await db.run<{ name: string; pid: number }>(shown);
    expect(first?.name).toBe(`records ${RELEASE}`);
    await owned.db.run(sql`SELECT pg_terminate_backend(${first?.pid})`);
    await eventually(() => expect(db.pool.totalCount).toBe(0));
    expect(await db.run(shown)).toHaveLength(1);
    await db.close();
    expect(lines).toEqual(["lost an idle database connection"]);
  });

  test("survives the loss of a connection that is checked out", async () => {
    const { db } = owned;
    const client = await db.pool.connect();
    // An error without a listener would be thrown outside of any promise.
    expect(client.listenerCount("error")).toBeGreaterThan(0);
    const [backend] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
    const ended = new Promise((resolve) => client.once("end", resolve));
    await db.run(sql`SELECT pg_terminate_backend(${backend.pid})`);
    await ended;
    client.release(true);
    expect(await db.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  test("shares the connections that the server has left, and after ten seconds tries to open more", async () => {
    const role = `few_${randomBytes(4).toString("hex")}`;
    const operator = await owned.db.pool.connect();
    await operator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p' CONNECTION LIMIT 2`);
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
    const url = Object.assign(new URL(owned.url), { username: role, password: "p" }).href;
    const few = openDatabase(url, { max: 6, log: silentLog() });
    const busy = () => Promise.all(Array.from({ length: 20 }, () => few.run(sql`SELECT pg_sleep(0.005)`)));
    await few.run(sql`SELECT 1`);
    await busy();
    expect(few.pool.totalCount).toBe(2);
    await operator.query(`ALTER ROLE ${role} CONNECTION LIMIT 6`);
    jest.advanceTimersByTime(10_000);
    await busy();
    expect(few.pool.totalCount).toBe(4);
    await few.close();
    await operator.query(`DROP ROLE ${role}`);
    operator.release();
  });
});

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

  test.each<{ what: string; begin?: (socket: Socket) => void; user?: string }>([
    { what: "does not listen" },
    { what: "does not respond", begin: () => {} },
    { what: "hangs up", begin: (socket) => socket.end() },
    { what: "resets the connection", begin: (socket) => socket.once("data", () => socket.resetAndDestroy()) },
    { what: "does not know the user", begin: passOn, user: "nobody" },
  ])("the server $what", async ({ begin, user }) => {
    const db = openThere(user);
    if (begin) onSocket = begin;
    else await new Promise((resolve) => server.close(resolve));
    for (const end of await endsOf(db, "SELECT 1")) expect(end).toMatchObject(NOTHING_SENT);
    await db.close();
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
    expect(await endsOf(owned.db, "SELECT 1")).toEqual(["fine", "fine"]);
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
