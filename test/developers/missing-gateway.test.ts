import { endSuspension } from "@shipping/gateway/testing/stored-accounts";
import { forgetSuspension, knowForAnHour, storedAccounts } from "@shipping/portal/testing/stored-accounts";
import { createLabel } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { wordsIn } from "./subscribers.js";
import { type Fields, fieldsOf, type Visitor } from "./visitor.js";

const area = useArea({});

const SANDBOX = "/developers/sandbox";

/** Runs a function while none of the gateway's RPCs, nor the API, gets a connection to its database. */
async function withoutGateway<T>(act: () => Promise<T>): Promise<T> {
  const { pool, listPool } = area.stack().databases.gateway;
  const all = [pool, listPool].flatMap((each) => Array.from({ length: each.options.max }, () => each.connect()));
  const held = await Promise.all(all);
  return act().finally(() => {
    for (const client of held) client.release();
  });
}

describe("while the gateway does not answer", () => {
  test.each([
    [
      "sandbox",
      ["The number of requests cannot be shown.", "The usage of the API keys cannot be shown."],
      "Labels created",
    ],
    ["sandbox/keys", ["The API keys cannot be shown."], "Rotate a key"],
    ["sandbox/requests", ["The requests cannot be shown."], "Sandbox requests"],
    ["audit", ["The latest changes of keys and voided labels cannot be shown."], "Signed in"],
  ])(
    "people stay signed in, and /developers/%s says what is missing, shows the rest, and tries again",
    async (page, missing, rest) => {
      const { visitor } = await area.signIn();
      const path = `/developers/${page}`;
      const { status, headers, html } = await withoutGateway(() => visitor.get(path));
      expect([status, headers.refresh]).toEqual([200, "10"]);
      for (const said of [...missing, rest, "This page tries again every 10 seconds."])
        expect(wordsIn(html)).toContain(said);
      const after = await visitor.get(path);
      expect([after.status, after.headers.refresh, wordsIn(after.html).includes("cannot be shown")]).toEqual([
        200,
        undefined,
        false,
      ]);
    },
  );

  test("members, sessions and their forms are complete: an admin invites, changes a role and removes", async () => {
    const { visitor } = await area.signIn();
    await withoutGateway(async () => {
      expect((await visitor.submit("/developers/members/invite", { email: "bob@example.com" })).status).toBe(201);
      const members = await visitor.get("/developers/members");
      expect([members.status, members.headers.refresh]).toEqual([200, undefined]);
      expect(wordsIn(members.html)).toContain("bob@example.com");
      const id = /(mem_[a-z2-7]{26})\/invite-again/.exec(members.html)?.[1];
      expect((await visitor.submit(`/developers/members/${id}/role`, { role: "admin" })).status).toBe(303);
      expect((await visitor.submit(`/developers/members/${id}/remove`)).status).toBe(303);
      const sessions = await visitor.get("/developers/sessions");
      expect([sessions.status, sessions.headers.refresh]).toEqual([200, undefined]);
    });
    const log = wordsIn((await visitor.get("/developers/audit")).html);
    for (const entry of ["Member invited", "Role changed", "Member removed"]) expect(log).toContain(entry);
  });

  test("a link signs in, and the session ends with the sign-out", async () => {
    const { path } = await area.newLink();
    const visitor = area.visitor();
    await withoutGateway(async () => {
      expect(await visitor.submit(path)).toMatchObject({ status: 303, location: SANDBOX });
      expect((await visitor.get("/developers/members")).status).toBe(200);
      expect((await visitor.post("/developers/sign-out")).status).toBe(303);
      expect((await visitor.get("/developers/members")).status).toBe(401);
    });
  });

  test("the documentation is served, with the index of its search and the document for programs", async () => {
    await withoutGateway(async () => {
      for (const path of ["/docs", "/docs/search", "/docs/search-index.json", "/llms.txt", "/style.css"]) {
        expect([path, (await area.visitor().get(path)).status]).toEqual([path, 200]);
      }
    });
  });

  test("a form for a key makes none, and the same form makes one afterwards", async () => {
    const { visitor } = await area.signIn();
    const fields = fieldsOf((await visitor.get(`${SANDBOX}/keys/new`)).html);
    const during = await withoutGateway(() => visitor.post(`${SANDBOX}/keys/new`, fields));
    expect([during.status, during.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await visitor.post(`${SANDBOX}/keys/new`, fields)).status).toBe(201);
    expect((await visitor.get(`${SANDBOX}/keys`)).html.match(/class="row"/g)).toHaveLength(1);
  });
});

describe("an account is suspended, and the portal does not know yet", () => {
  /** Suspends an account, whose row at the portal is newer than all that the gateway will say while the test runs. */
  async function suspendUnseen(accountId: string): Promise<void> {
    await knowForAnHour(area.db(), accountId);
    await area.stack().suspend(accountId);
  }

  /** An account with a key, a subscription and a label, and a form that would change each. */
  async function withForms() {
    const customer = await newCustomer(area);
    const { visitor, keyId, api } = customer;
    const label = await createLabel(api);
    await visitor.submit(`${SANDBOX}/webhooks/new`, { url: "https://shop.example.com" });
    const [subscription = ""] = /whk_[a-z2-7]{26}/.exec((await visitor.get(`${SANDBOX}/webhooks`)).html) ?? [];
    const forms: readonly [string, Fields][] = [
      ["keys/new", {}],
      [`keys/${keyId}/revoke`, {}],
      ["webhooks/new", { url: "https://other.example.com" }],
      [`webhooks/${subscription}/disable`, {}],
      [`labels/${label.id}/void`, {}],
    ];
    const pages = ["keys", "webhooks", `webhooks/${subscription}`, `labels/${label.id}`];
    return { ...customer, forms, seen: () => Promise.all(pages.map((page) => mainOf(visitor, page))) };
  }

  test("no form changes a key, a subscription or a label: the gateway refuses it", async () => {
    const { visitor, accountId, forms, seen } = await withForms();
    const before = await seen();
    await suspendUnseen(accountId);
    for (const [form, fields] of forms) {
      const { status } = await visitor.submit(`${SANDBOX}/${form}`, fields);
      expect([form, status]).toEqual([form, 404]);
    }
    expect(await seen()).toEqual(before);
  });

  test("the refusal says that the account is suspended, which the portal then knows", async () => {
    const { visitor, accountId, forms } = await withForms();
    for (const [form, fields] of forms) {
      await Promise.all([
        forgetSuspension(area.db(), accountId),
        endSuspension(area.stack().databases.gateway, accountId),
      ]);
      const { html } = await visitor.get(`${SANDBOX}/${form}`);
      await area.stack().suspend(accountId);
      const answer = await visitor.post(`${SANDBOX}/${form}`, { ...fieldsOf(html), ...fields });
      expect([form, answer.status, wordsIn(answer.html)]).toEqual([
        form,
        403,
        expect.stringContaining("Account suspended"),
      ]);
      expect(await storedAccounts(area.db(), accountId)).toMatchObject([{ suspendedAt: expect.any(Date) }]);
    }
  });
});

/** The words of a page below its head, without the ID of its form. */
async function mainOf(visitor: Visitor, page: string): Promise<string> {
  const { html } = await visitor.get(`${SANDBOX}/${page}`);
  return wordsIn(html.replace(/^[\s\S]*<main/, ""));
}
