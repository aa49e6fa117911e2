import { create } from "@bufbuild/protobuf";
import { rowsIn } from "@shipping/kit/testing/rows";
import { minutesFromNow, SKEWED_CLOCKS } from "@shipping/kit/testing/skewed-clocks";
import { ListKeysRequestSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import { listKeys } from "../access/read-keys.js";
import { countResources } from "../database/account-data.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { createKey, revokeKey } from "./manage-keys.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const newAccount = async () => (await createAccount(gateway.admin, { name: "Acme" })).id;

describe.each(SKEWED_CLOCKS)("on a gateway whose clock is %s, by the database's", (_, now) => {
  const skewed = () => ({ ...gateway.admin, now });

  test("a key expires when it was said to, in the list and for the operator, too", async () => {
    const accountId = await newAccount();
    const wanted = { accountId, environment: "sandbox" } as const;
    const { id, expiresAt } = await createKey(skewed(), { ...wanted, expiresInMs: 3 * 60_000 });
    expect(minutesFromNow(expiresAt!)).toBe(3);
    const page = create(ListKeysRequestSchema, { caller: wanted, limit: 10 });
    const { keys } = await listKeys({ ...skewed(), clockOffsetMs: 0 }, page);
    expect(keys).toMatchObject([{ id, active: true }]);
    await createKey(skewed(), { ...wanted, expiresInMs: -3 * 60_000 });
    expect(await gateway.db.run(countResources(accountId))).toMatchObject([
      { kind: "keys active", count: 1n },
      { kind: "keys expired", count: 1n },
    ]);
  });
});

test("the changes of an account are in their order, whichever gateways made them", async () => {
  const accountId = await newAccount();
  const [behind, ahead] = SKEWED_CLOCKS.map(([, now]) => ({ ...gateway.admin, now }));
  const { id } = await createKey(ahead!, { accountId, environment: "sandbox" });
  await revokeKey(behind!, { id });
  const changes = await rowsIn<{ action: string; at: Date }>(gateway.db, "account_changes", { accountId });
  const timeOf = (action: string) => changes.find((change) => change.action === action)?.at.getTime();
  expect(timeOf("key.revoked")).toBeGreaterThanOrEqual(timeOf("key.created") ?? Number.POSITIVE_INFINITY);
});
