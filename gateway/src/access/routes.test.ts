import { randomBytes } from "node:crypto";
import { newApiKey } from "@shipping/api/api-key";
import { newId } from "@shipping/kit/ids";
import { accessUnderTest } from "../testing/access-under-test.js";

let gateway: Awaited<ReturnType<typeof accessUnderTest>>;
beforeAll(async () => {
  gateway = await accessUnderTest();
});
afterAll(() => gateway.drop());

test("every call is answered while the API's requests hold all of their connections, so none takes one from them", async () => {
  const { accountId, id } = await gateway.newKey();
  const caller = { accountId, environment: "sandbox" };
  const actor = { name: "ada@example.com", source: "192.0.2.1" };
  const { key: _, ...stored } = newApiKey("sandbox", randomBytes);
  const { pool } = gateway.db;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    const { access } = gateway;
    const formId = newId("form", randomBytes);
    const created = { caller, actor, name: "Shop", scopes: ["orders:read"], formId, ...stored };
    const answers = await Promise.all([
      access.createKey(created),
      access.listKeys({ caller, limit: 10 }),
      access.findKeys({ caller, text: "Shop" }),
      access.nameKeys({ accountId, ids: [id] }),
      access.listKeyUsage({ caller }),
      access.listRequests({ caller, limit: 10, after: newId("req", randomBytes) }),
      access.findRequests({ caller, limit: 10, texts: ["a"] }),
      access.getRequest({ caller, id: newId("req", randomBytes) }).catch(() => "not found"),
      access.countRequests({ caller }),
      access.countKeyRequests({ caller, id }),
      access.listSlowestWrites({ caller, limit: 5 }),
      access.getAccount({ accountId }),
      access.getKey({ caller, id }),
      access.listChanges({}),
      access.acknowledgeChanges({ ids: ["aud_none"] }),
    ]);
    const revoked = await access.revokeKey({ caller, actor, id });
    expect([answers.length, Date.parse(revoked.revokedAt)]).toEqual([15, expect.any(Number)]);
    expect(answers[7]).toBe("not found");
  } finally {
    for (const connection of held) connection.release();
  }
});
