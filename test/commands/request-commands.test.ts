import { randomBytes } from "node:crypto";
import { adminIn } from "@shipping/cli/testing/admin";
import {
  type GatewayUnderTest,
  gatewayUnderTest,
  newIdempotencyKey,
  ORDER_ID,
} from "@shipping/gateway/testing/gateway-under-test";
import { fail, toConnectError } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { type RpcServer, serve } from "@shipping/kit/rpc/server";
import { eventually } from "@shipping/kit/testing/eventually";

let gateway: GatewayUnderTest;
let rpc: RpcServer;
beforeAll(async () => {
  const getOrder = () => {
    throw toConnectError(fail("service_unavailable"));
  };
  gateway = await gatewayUnderTest({ records: { getOrder } });
  rpc = await serve({ routes: gateway.routes, port: 0, host: "127.0.0.1", log: silentLog() });
});
afterAll(async () => {
  await rpc.stop(0);
  await gateway.end();
});

const { admin } = adminIn(() => ({ GATEWAY_URL: `http://127.0.0.1:${rpc.port}` }));

const shown = (line: string) =>
  eventually(async () => {
    const answer = await admin(line);
    expect(answer).toMatchObject({ status: 0, err: "" });
    return answer.out;
  });

describe("request show", () => {
  test("shows a refusal of any account, with its fields at fault, in words and as JSON", async () => {
    const { key, id, accountId } = await gateway.newKey({ name: "Lager" });
    const headers = { "Idempotency-Key": newIdempotencyKey(), "User-Agent": "shop/1.0" };
    const { json } = await gateway.createOrder({ key, body: "{}", headers });
    const requestId = json.error.request_id;
    const text = await shown(`request show ${requestId}`);
    expect(text).toContain("POST /api/v1/orders");
    expect(text).toContain(`${id}, ends in ${key.slice(-4)}, Lager`);
    expect(text).toContain("reference: is required");
    expect(JSON.parse(await shown(`request show ${requestId} --json`))).toMatchObject({
      request_id: requestId,
      account_id: accountId,
      environment: "sandbox",
      key_id: id,
      status: 422,
      code: "invalid_request",
      fields: expect.arrayContaining([{ path: "reference", message: "is required" }]),
      idempotency_key: headers["Idempotency-Key"],
      replayed: false,
      source: "127.0.0.1",
      user_agent: "shop/1.0",
    });
  });

  test("shows the cause of a 503, which its answer does not have", async () => {
    const { key } = await gateway.newKey();
    const { status, json, body } = await gateway.send("GET", `/orders/${ORDER_ID}`, { key });
    expect([status, body]).toEqual([503, expect.not.stringContaining("records")]);
    const line = `request show ${json.error.request_id}`;
    expect(await shown(line)).toMatch(/^cause +records_unavailable$/m);
    expect(JSON.parse(await shown(`${line} --json`))).toMatchObject({ status: 503, cause: "records_unavailable" });
  });

  test("shows a request of no account", async () => {
    const { json } = await gateway.send("GET", "/account", { key: "service_test_nobody" });
    expect(await shown(`request show ${json.error.request_id}`)).toContain("none: the request had no valid API key");
  });

  test.each(["req_mfrggzdfmztwq2lknnwg23tpoa", "nothing"])("ends with status 1 and says why for %s", async (id) => {
    const { status, out, err } = await admin(`request show ${id}`);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(new RegExp(`^error: No such request: ${id}\\. .*for 7 days\\. .*run request list\\.`));
  });

  test("list has what a key did in both environments, newest first, or only what was refused", async () => {
    const { key, accountId } = await gateway.newKey();
    const live = await gateway.newKey({ accountId, environment: "live" });
    const made = await gateway.createOrder({ key });
    const refused = await gateway.createOrder({ key, body: "{}" });
    await gateway.createOrder({ key: live.key });
    const list = (options: string) => shown(`request list --account ${accountId} ${options}`);
    await eventually(async () => {
      const listed: { environment: string }[] = JSON.parse(await list("--json"));
      expect(listed.map(({ environment }) => environment)).toEqual(["live", "sandbox", "sandbox"]);
    });
    const ids = (text: string) => text.match(/^req_\w+/gm);
    expect(ids(await list("--environment sandbox --status 4xx"))).toEqual([refused.headers["x-request-id"]]);
    expect(ids(await list("--environment sandbox --status 2xx"))).toEqual([made.headers["x-request-id"]]);
    expect((await admin(`request list --account ${accountId} --status 42`)).err).toContain("Use 2xx, 4xx or 5xx");
  });

  // The text writes to the clipboard, clears the screen, forges a line, and reverses the direction of text.
  const HOSTILE = "\u001b]52;c;ZXZpbA==\u0007\u009b2J\ncode  none\u202e";
  const OBEYED = /(?!\n)[\p{Cc}\u202e]/u;

  test("does not store what a client sent to control a terminal", async () => {
    const { key } = await gateway.newKey();
    const body = JSON.stringify({ [HOSTILE]: 1 });
    const { json } = await gateway.createOrder({ key, body, headers: { "User-Agent": "shop\u009b2J" } });
    const { fields, user_agent } = JSON.parse(await shown(`request show ${json.error.request_id} --json`));
    expect(fields.map(({ path }: { path: string }) => path)).toContain("]52;c;ZXZpbA==2Jcode  none");
    expect(user_agent).not.toMatch(OBEYED);
  });

  test("does not print it, even if it was stored or typed", async () => {
    const id = newId("req", randomBytes);
    await gateway.storeRequest(id, HOSTILE);
    const text = await shown(`request show ${id}`);
    expect(text).toMatch(/^request +POST \\u001b\]52;c;ZXZpbA==\\u0007\\u009b2J\\u000acode {2}none\\u202e$/m);
    const asJson = await shown(`request show ${id} --json`);
    expect([OBEYED.test(text), OBEYED.test(asJson), JSON.parse(asJson).path]).toEqual([false, false, HOSTILE]);
    expect((await admin("request show \u001b[2J")).err).toContain("No such request: \\u001b[2J.");
  });
});
