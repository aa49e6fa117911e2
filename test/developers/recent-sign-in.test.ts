import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import { useArea } from "./area.js";

const area = useArea();

const newFormId = () => newId("form", randomBytes);

describe("changes to the live environment need a sign-in of the last 15 minutes", () => {
  test("subscriptions: 403 offers one, and no subscription is created or disabled", async () => {
    const { visitor, accountId, email } = await area.signIn();
    const LIVE = "/developers/live/webhooks";
    const fields = { url: "https://shop.example.com/1", events: "order.created", form_id: newFormId() };
    await visitor.post(`${LIVE}/new`, fields);
    const id = /whk_[a-z2-7]{26}/.exec((await visitor.get(LIVE)).html)?.[0];
    await area.ageSignIn(email);
    const paths = [`${LIVE}/new`, `${LIVE}/${id}/disable`];
    const again = { ...fields, url: "https://shop.example.com/2", form_id: newFormId() };
    for (const path of paths) {
      expect((await visitor.get(path)).html).toContain("Sign in again");
      expect((await visitor.post(path, again)).status).toBe(403);
    }
    const { html } = await visitor.get(LIVE);
    expect([html.includes(fields.url), html.includes(again.url), html.includes("Disabled")]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await visitor.get("/developers/sandbox/webhooks/new")).status).toBe(200);

    await visitor.submit((await area.newLink({ accountId, email })).path);
    for (const path of paths) expect((await visitor.get(path)).status).toBe(200);
    expect((await visitor.post(`${LIVE}/new`, again)).status).toBe(201);
    expect((await visitor.submit(paths[1] ?? "")).status).toBe(303);
  });

  test("keys: 403 offers one, and no key is created", async () => {
    const { visitor, accountId, email } = await area.signIn();
    const fields = { name: "L", scopes: "orders:write", expires: "90d", form_id: "form_mfrggzdfmztwq2lknnwg23tpoa" };
    const { id } = await area.stack().newKey(accountId, "live");
    await area.ageSignIn(email);
    const paths = ["/developers/live/keys/new", `/developers/live/keys/${id}/revoke`];
    for (const path of paths) {
      expect((await visitor.get(path)).html).toContain("Sign in again");
      expect((await visitor.post(path, fields)).status).toBe(403);
    }
    expect((await visitor.get("/developers/live/keys")).status).toBe(200);
    expect((await visitor.get("/developers/sandbox/keys/new")).status).toBe(200);

    await visitor.submit((await area.newLink({ accountId, email })).path);
    for (const path of paths) expect((await visitor.get(path)).status).toBe(200);
    expect((await visitor.post("/developers/live/keys/new", fields)).status).toBe(201);
  });
});
