import { pages } from "@shipping/gateway/developers/pages";
import { type SignedInVisitor, useArea } from "./area.js";
import { NOBODYS, pathOf, type Things, thingsOf } from "./things.js";
import { actionOf, fieldsOf, type Visitor } from "./visitor.js";

const area = useArea();

const suspend = (accountId: string) =>
  area.stack().databases.gateway.pool.query("UPDATE accounts SET suspended_at = now() WHERE id = $1", [accountId]);

/**
 * An account with one of everything, its admin and a viewer; a similar account that is suspended; and a stranger. These tests do not change their
 * data.
 */
let owner: SignedInVisitor & { things: Things };
let viewer: Visitor;
let suspended: SignedInVisitor & { things: Things };
let stranger: Visitor;
beforeAll(async () => {
  owner = await withThings();
  viewer = (await area.signIn({ accountId: owner.accountId, role: "viewer" })).visitor;
  stranger = (await area.signIn({ accountId: await area.stack().newAccount("Stranger") })).visitor;
  suspended = await withThings();
  await suspend(suspended.accountId);
  await area.ageSignIn(suspended.email);
});

async function withThings() {
  const signedIn = await area.signIn();
  return { ...signedIn, things: await thingsOf(area.stack(), signedIn) };
}

interface AccountPage {
  method: "GET" | "POST";
  path: string;
  access: "viewer" | "admin";
  /** The fields of the page's form. */
  fields?: readonly string[];
  /** The form does not change the account, only the person who submits it. */
  isOwn?: true;
}

/** The minimum content of a form that has such a field: an ID, and a session that is not the sender's. */
function fillIn(path: string): Record<string, string> {
  const page = pages.find((one) => one.method === "POST" && one.path === path);
  const least = { form_id: "form_mfrggzdfmztwq2lknnwg23tpoa", session: "none" };
  return Object.fromEntries(
    Object.entries(least).filter(([name]) => page?.method === "POST" && page.form && name in page.form),
  );
}

const seen = (path: string): AccountPage => ({ method: "GET", path, access: "viewer" });
const form = (path: string, ...fields: string[]): AccountPage[] => [
  { method: "GET", path, access: "admin", fields },
  { method: "POST", path, access: "admin" },
];

const accountPages: readonly AccountPage[] = [
  ...["/{environment}/requests", "/{environment}/requests/{id}"].map(seen),
  ...[
    "/members",
    "/audit",
    "/quick-start",
    "/{environment}",
    "/{environment}/search",
    "/{environment}/keys",
    "/{environment}/webhooks",
  ].map(seen),
  ...form("/members/invite", "email", "form_id", "role"),
  ...form("/members/{id}/invite-again", "form_id"),
  ...form("/members/{id}/role", "role"),
  ...form("/members/{id}/remove"),
  ...form("/members/{id}/sessions"),
  seen("/accounts"),
  { ...seen("/sessions"), fields: [], isOwn: true },
  ...["/accounts", "/sessions"].map((path) => ({ method: "POST", path, access: "viewer", isOwn: true }) as const),
  ...["shipments", "orders", "labels"]
    .flatMap((list) => [`/{environment}/${list}`, `/{environment}/${list}/csv`, `/{environment}/${list}/{id}`])
    .map(seen),
  ...["labels/merged", "labels/{id}/file", "labels/{id}/picture", "events/{id}"].map((path) =>
    seen(`/{environment}/${path}`),
  ),
  ...form("/{environment}/labels/{id}/void", "form_id"),
  ...form("/{environment}/keys/new", "expires", "form_id", "name", "scopes"),
  ...form("/{environment}/keys/{id}/revoke"),
  ...form("/{environment}/webhooks/new", "events", "form_id", "url"),
  ...form("/{environment}/webhooks/{id}/disable", "form_id"),
  ...["/{environment}/webhooks/{id}", "/{environment}/webhooks/{id}/test"].map((path) => ({
    ...seen(path),
    fields: ["form_id"],
  })),
  { method: "POST", path: "/{environment}/webhooks/{id}/test", access: "admin" },
];

test("every page of an account is tried here, as the gateway has it", () => {
  const names = (rows: readonly { method: string; path: string; access: string }[]) =>
    rows.map(({ method, path, access }) => `${method} ${path}: ${access}`).sort();
  expect(names(accountPages)).toEqual(names(pages.filter(({ access }) => access !== "anyone")));
});

/** The forms that change something in the account. */
const formsIn = (html: string) =>
  html.match(/<main[\s\S]*/)?.[0].match(/<form[^>]*method="post"[\s\S]*?<\/form>/g) ?? [];

describe.each(accountPages.map((page) => [`${page.method} ${page.path}`, page] as const))("%s", (_name, page) => {
  const send = (visitor: Visitor, path: string) =>
    page.method === "GET" ? visitor.get(path) : visitor.post(path, fillIn(page.path));

  const seenStatus = page.method === "GET" ? 200 : 303;

  test("signed out: 401, the sign-in page, and no data of the account", async () => {
    const { status, html } = await send(area.visitor(), pathOf(page.path, owner.things));
    expect([status, html.includes("Nordlicht"), html.includes("Developer area")]).toEqual([401, false, true]);
  });

  test(`a viewer: ${page.access === "admin" ? "403" : "seen, without anything to change"}`, async () => {
    const { status, html } = await send(viewer, pathOf(page.path, owner.things));
    expect(status).toBe(page.access === "admin" ? 403 : seenStatus);
    if (page.isOwn) return;
    expect(html).not.toMatch(
      /<main[\s\S]*(?:<form(?![^>]*method="get")|\/new"|\/revoke"|\/disable"|\/invite|\/role"|\/remove"|\/void")/,
    );
  });

  test(`an admin of a suspended account: ${page.access === "admin" ? "403, and why" : "seen"}`, async () => {
    const { status, html } = await send(suspended.visitor, pathOf(page.path, suspended.things));
    const isRefused = page.access === "admin";
    expect([status, html.includes("<h1>Account suspended</h1>")]).toEqual([isRefused ? 403 : seenStatus, isRefused]);
  });

  test("an admin of another account sees no data of this one", async () => {
    const { status, html } = await send(stranger, pathOf(page.path, owner.things));
    if (page.path.includes("{id}")) expect(status).toBe(404);
    for (const own of [...Object.values(owner.things), owner.email, "bob@example.com"]) {
      expect(html).not.toContain(own);
    }
  });

  test("an admin: never a 500, no page but this one's, and its forms name the account", async () => {
    const { visitor, accountId, things } = page.method === "GET" ? owner : await withThings();
    const path = pathOf(page.path, things);
    if (page.method === "POST") {
      const both = `account_id=${accountId}&account_id=${NOBODYS}`;
      for (const query of ["", "account_id=", `account_id=${NOBODYS}`, both]) {
        const { status, html } = await visitor.post(`${path}?${query}`);
        expect([query, status, html.includes("Form of another account")]).toEqual([query, 409, true]);
      }
    }
    const { status, html } = await send(visitor, path);
    expect([200, 201, 303, 422]).toContain(status);
    const forms = formsIn(html);
    if (page.method === "GET" && page.access === "admin") expect(forms).toHaveLength(1);
    for (const form of forms)
      expect(actionOf(`<main>${form}`, path)).toMatch(new RegExp(`\\?account_id=${accountId}$`));
    if (page.method === "GET") {
      expect(forms.map((form) => Object.keys(fieldsOf(`<main>${form}`)).sort())).toEqual(
        page.fields ? [page.fields] : [],
      );
    }
  });
});

describe("a suspended account", () => {
  test("can be left and signed in to, and the other accounts of its members are not touched", async () => {
    const { visitor, accountId, email } = await area.signIn();
    const { path } = await area.newLink({ accountId, email });
    const other = await area.newLink({ email, accountId: await area.stack().newAccount("Another") });
    await suspend(accountId);
    expect(await visitor.post("/developers/sign-out")).toMatchObject({ status: 303, location: "/developers" });
    expect(await visitor.submit(path)).toMatchObject({ status: 303, location: "/developers/sandbox" });
    expect((await visitor.get("/developers/sandbox")).html).toContain("This account is suspended");
    expect((await visitor.submit(other.path)).status).toBe(303);
    expect((await visitor.submit("/developers/sandbox/keys/new")).status).toBe(201);
  });
});

describe("every page", () => {
  test("has the headers that keep everything foreign out, and is kept by no cache", async () => {
    const { visitor } = await area.signIn();
    for (const path of [
      "/developers/sandbox",
      "/developers/sandbox/keys/new",
      "/developers/nothing",
      "/developers/sign-in/x",
    ]) {
      const { headers } = await visitor.get(path);
      expect(headers).toMatchObject({
        "content-security-policy":
          "default-src 'none';script-src 'self';style-src 'self';img-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none'",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": expect.stringMatching(/^req_/),
      });
    }
  });

  test("is HTML, also where there is none; the API's unknown routes stay JSON", async () => {
    const { visitor } = await area.signIn();
    for (const path of ["/developers/none", "/developers/production/keys", "/developers/sandbox/"]) {
      const { status, headers } = await visitor.get(path);
      expect([status, headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    }
    for (const path of ["/api/v1/none", "/developer", "/Developers", "/developersx"]) {
      const { status, headers } = await visitor.get(path);
      expect([path, status, headers["content-type"]]).toEqual([path, 404, "application/json"]);
      expect(headers).not.toHaveProperty("content-security-policy");
    }
  });
});
