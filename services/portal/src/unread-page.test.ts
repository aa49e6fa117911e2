import { connect, type Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import { eventually } from "@shipping/kit/testing/eventually";
import { SearchOrdersResponseSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { type PortalUnderTest, portalUnderTest } from "./testing/portal-under-test.js";

const MIB = 1024 * 1024;

/** Orders for a page or a download of 16 MiB, which is more than a kernel buffers for a connection. */
const ORDERS = Buffer.from(
  JSON.stringify(
    Array.from({ length: 100 }, () => ({
      id: "ord_mfrggzdfmztwq2lknnwg23tpoa",
      reference: "x".repeat(168_000),
      to: { name: "Ada Byron", city: "London", country: "GB" },
      created_at: "2026-11-27T12:00:00Z",
    })),
  ),
);

let portal: PortalUnderTest;
let searches = 0;
beforeAll(async () => {
  portal = await portalUnderTest({
    // On a busy machine, clients do not read for longer than the default limit.
    listening: { stallMs: 300_000, unreadLimits: { total: 200 * MIB, perAccount: 20 * MIB } },
    records: {
      searchOrders() {
        searches++;
        return create(SearchOrdersResponseSchema, { data: ORDERS });
      },
    },
  });
});
afterAll(() => portal.end());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Requests a page and does not read it. */
function open(path: string, cookie: string): void {
  const socket = connect(portal.port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(`GET /developers${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\nCookie: ${cookie}\r\n\r\n`);
  sockets.push(socket);
}

test.each(["/sandbox/orders", "/sandbox/orders/csv"])("an unread answer of %s counts for its account", async (path) => {
  const [accountId, other] = [await portal.newAccount(), await portal.newAccount()];
  const [cookie, theirs] = [await portal.signedIn(accountId), await portal.signedIn(other)];
  const before = searches;
  open(path, theirs);
  open(path, cookie);
  await eventually(() => expect(searches).toBe(before + 2));
  const ended = () => portal.lines.filter(({ account }) => [accountId, other].includes(String(account)));
  expect(ended()).toEqual([]);
  open("/sandbox/orders/csv", cookie);
  await eventually(() => expect(ended()).toMatchObject([{ account: accountId, route: expect.any(String) }]));
});
