import { randomBytes } from "node:crypto";
import { isId, newId } from "@shipping/kit/ids";
import sql from "sql-template-tag";
import { apiClient } from "../../../platform/api-client.js";
import { type Stack, startStack } from "../../../platform/stack.js";
import { parcelBody } from "../seed.js";
import { idAt, idempotencyKey, loadRows, shipmentId } from "./load-rows.js";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: 10_000 });
});

afterAll(() => stack.stop());

test("a share of an account's shipments lies below the id of that share", () => {
  const ids = Array.from({ length: 1000 }, (_, number) => shipmentId("acc_x", number));
  for (const share of [0, 0.25, 0.5, 0.975]) {
    expect(isId("shp", idAt(share))).toBe(true);
    expect(Math.abs(ids.filter((id) => id < idAt(share)).length - 1000 * share)).toBeLessThan(60);
  }
  expect(isId("shp", idAt(1))).toBe(true);
});

describe("a thousand loaded rows", () => {
  test("are what the API would have made: read, listed and replayed through it", async () => {
    const { records, gateway } = stack.databases;
    const { accountId, sandbox } = await stack.newCustomer();
    const api = apiClient(stack.baseUrl, sandbox);
    await loadRows({ records, gateway }, [accountId], { from: 0, until: 400 });
    await loadRows({ records, gateway }, [accountId], { from: 400, until: 1000 });

    const id = shipmentId(accountId, 999);
    const read = await api.get(`/shipments/${id}`);
    expect(read.body.data).toMatchObject({ id, status: "draft", ...parcelBody });

    const again = await api.post("/shipments", parcelBody, idempotencyKey(accountId, 999));
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(read.body);

    const ids = Array.from({ length: 1000 }, (_, number) => shipmentId(accountId, number)).sort();
    const page = await api.get<{ id: string }[]>(`/shipments?limit=100&after=${ids[899]}`);
    expect(page.body.data.map((shipment) => shipment.id)).toEqual(ids.slice(900));
    expect(page.body.next_cursor).toBeNull();
    expect(ids.every((one) => isId("shp", one))).toBe(true);
  });

  test("have one ledger and one registry row each", async () => {
    const { records, gateway } = stack.databases;
    const accountIds = [newId("acc", randomBytes), newId("acc", randomBytes)];
    await loadRows({ records, gateway }, accountIds, { from: 0, until: 50 });
    for (const [db, table] of [
      [records, sql`shipments`],
      [records, sql`ledger`],
      [gateway, sql`idempotency_registry`],
    ] as const) {
      const [row] = await db.run<{ n: number }>(
        sql`SELECT count(*)::integer AS n FROM ${table} WHERE account_id = ANY(${accountIds}::text[])`,
      );
      expect(row?.n).toBe(100);
    }
  });
});
