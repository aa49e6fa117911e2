import { connect, type Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import { eventually } from "@shipping/kit/testing/eventually";
import {
  SearchOrdersResponseSchema,
  SearchShipmentsResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql, { type Sql } from "sql-template-tag";
import { DEFAULT_PAGE_LIMITS } from "./limits/page-limits.js";
import { type PortalUnderTest, portalUnderTest } from "./testing/portal-under-test.js";

const ORDER_ID = "ord_mfrggzdfmztwq2lknnwg23tpoa";

/** Orders for a chunk of 16 MiB, which is more than the kernel's buffers of a connection whose client does not read. */
const ROWS = Buffer.from(
  JSON.stringify(Array.from({ length: 100 }, () => ({ id: ORDER_ID, reference: "x".repeat(168_000) }))),
);
const CHUNKS = 3;

let portal: PortalUnderTest;
let chunks: number;
beforeEach(async () => {
  chunks = 0;
  portal = await portalUnderTest({
    pageLimits: { ...DEFAULT_PAGE_LIMITS, heavy: { total: 1, perAccount: 1, waitMs: 60_000 } },
    records: {
      searchShipments: () => create(SearchShipmentsResponseSchema, { data: Buffer.from("[]") }),
      searchOrders() {
        chunks++;
        return create(SearchOrdersResponseSchema, {
          data: ROWS,
          ...(chunks < CHUNKS && { nextCursor: ORDER_ID }),
        });
      },
    },
  });
});
afterEach(() => portal.end());

const newMember = async () => portal.signedIn(await portal.newAccount());

/** A client that has requested a download and has not begun to read it. */
async function download(cookie: string): Promise<Socket> {
  const socket = connect(portal.port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(
    `GET /developers/sandbox/orders/csv HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`,
  );
  await eventually(() => expect(chunks).toBeGreaterThan(0));
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let end = "";
  socket.setEncoding("latin1").on("data", (some: string) => {
    end = (end + some).slice(-20);
  });
  socket.resume();
  await eventually(() => expect(socket.closed).toBe(true));
  return end;
}

/** The end of a body in chunks (RFC 9112, 7.1). */
const WHOLE = /\r\n0\r\n\r\n$/;

test("other pages, heavy ones too, do not wait for a download whose client does not read", async () => {
  const [own, other] = [await newMember(), await newMember()];
  const socket = await download(own);
  const cookies = [own, other].flatMap((cookie) => Array<string>(10).fill(cookie));
  const pages = cookies.map((cookie) => portal.request("/developers/sandbox/shipments", { headers: { cookie } }));
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(chunks).toBeLessThan(CHUNKS);
  expect(await readAll(socket)).toMatch(WHOLE);
  expect(chunks).toBe(CHUNKS);
});

test.each<[string, (member: string) => Sql]>([
  ["removed", (member) => sql`DELETE FROM account_members WHERE id = ${member}`],
  ["demoted", (member) => sql`UPDATE account_members SET role = 'viewer' WHERE id = ${member}`],
  ["signed out", (member) => sql`DELETE FROM sessions WHERE member_id = ${member}`],
])("a download ends before its next chunk once its member is %s", async (_name, change) => {
  const accountId = await portal.newAccount();
  const cookie = await portal.signedIn(accountId);
  const [member] = await portal.db.run<{ id: string }>(
    sql`UPDATE account_members SET role = 'admin' WHERE account_id = ${accountId} RETURNING id`,
  );
  // Another admin, because an account must keep one.
  await portal.db.run(sql`
    INSERT INTO account_members (id, account_id, email, role, created_at)
    VALUES (${`mem_other_${accountId}`}, ${accountId}, 'other@example.com', 'admin', now())`);
  const socket = await download(cookie);
  await portal.db.run(change(member?.id ?? ""));
  expect(await readAll(socket)).not.toMatch(WHOLE);
  expect(chunks).toBeLessThan(CHUNKS);
});
