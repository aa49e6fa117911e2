import { type AccountPage, needsRecentSignIn } from "@shipping/portal/page/page";
import { pages } from "@shipping/portal/pages";
import { type SignedInVisitor, useArea } from "./area.js";
import { NO_THINGS, NOBODYS, pathOf, type Things, thingsOf } from "./things.js";
import { actionOf, fieldsOf, type Visitor } from "./visitor.js";

const area = useArea();

/**
 * An account with one of everything, its admin, one who signed in 15 minutes ago, and a viewer; a similar account that is suspended; and a stranger.
 * These tests do not change their data.
 */
let owner: SignedInVisitor & { things: Things };
let aged: Visitor;
let viewer: Visitor;
let suspended: SignedInVisitor & { things: Things };
let stranger: Visitor;
beforeAll(async () => {
  owner = await withThings();
  viewer = (await area.signIn({ accountId: owner.accountId, role: "viewer" })).visitor;
  const early = await area.signIn({ accountId: owner.accountId });
  await area.ageSignIn(early.email);
  aged = early.visitor;
  stranger = (await area.signIn({ accountId: await area.stack().newAccount("Stranger") })).visitor;
  suspended = await withThings();
  await area.suspend(suspended);
  await area.ageSignIn(suspended.email);
});

async function withThings() {
  const signedIn = await area.signIn();
  return { ...signedIn, things: await thingsOf(area.stack(), signedIn) };
}

/** The pages of an account. `docs/operations/routes.md` has each with the role that it requires. */
const accountPages = pages.filter((page) => page.access !== "anyone");

/** The forms that change only the person who submits them. */
const OWN = ["/accounts", "/sessions", "/sessions/end", "/{environment}/views"];

/** The fields of the forms of a page for an admin. Pages of forms have that of their path, unless another page asks first; others are listed here. */
function fieldsOn({ path, access }: AccountPage): string[][] {
  const fields: Record<string, string[]> = {
    "/sessions/end": [],
    "/members/{id}/sessions/end": [],
    "/{environment}/webhooks/{id}": ["form_id"],
    "/{environment}/webhooks/{id}/test": ["form_id"],
  };
  if (pages.some((page) => page.path === `${path}/end`)) return [];
  // It asks about the keys in its query, and leads back to the list if there are none.
  if (path === "/{environment}/keys/revoke") return [];
  const submitted = pages.find((page) => page.method === "POST" && page.path === path);
  if (access === "admin" && submitted?.method === "POST") return [Object.keys(submitted.form ?? {}).sort()];
  return fields[path] ? [fields[path]] : [];
}

/** The minimum content of a form that has such a field: an ID, and a session that is not the sender's. */
function fillIn(path: string): Record<string, string> {
  const page = pages.find((one) => one.method === "POST" && one.path === path);
  const least = { form_id: "form_mfrggzdfmztwq2lknnwg23tpoa", session: "none", act: "delete", view: "none" };
  return Object.fromEntries(
    Object.entries(least).filter(([name]) => page?.method === "POST" && page.form && name in page.form),
  );
}

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
    if (OWN.includes(page.path)) return;
    expect(html).not.toMatch(
      /<main[\s\S]*(?:<form(?![^>]*method="get")|\/new"|\/revoke"|\/disable"|\/invite|\/role"|\/remove"|\/void")/,
    );
  });

  test(`an admin of a suspended account: ${page.access === "admin" ? "403, and why" : "seen"}`, async () => {
    const { status, html } = await send(suspended.visitor, pathOf(page.path, suspended.things));
    const isRefused = page.access === "admin";
    expect([status, html.includes("<h1>Account suspended</h1>")]).toEqual([isRefused ? 403 : seenStatus, isRefused]);
  });

  test("an admin who signed in 15 minutes ago has to sign in again for changes of members and of live", async () => {
    for (const environment of ["sandbox", "live"] as const) {
      const isRefused = needsRecentSignIn(page, environment);
      // Without a refusal, the form would change the account.
      if (page.method === "POST" && !isRefused) continue;
      const path = pathOf(page.path, owner.things).replace("sandbox", environment);
      const { html } = await send(aged, path);
      expect([path, html.includes("<h1>Sign in again</h1>")]).toEqual([path, isRefused]);
    }
  });

  test("an admin of another account sees no data of this one, and a 404 as of what does not exist", async () => {
    const { status, html } = await send(stranger, pathOf(page.path, owner.things));
    if (page.path.includes("{id}")) {
      const missing = await send(stranger, pathOf(page.path, NO_THINGS));
      expect([status, html]).toEqual([404, missing.html]);
      if (page.path.includes("{environment}")) {
        const elsewhere = await send(owner.visitor, pathOf(page.path, owner.things).replace("sandbox", "live"));
        expect(elsewhere.status).toBe(404);
      }
    }
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
    for (const form of forms)
      expect(actionOf(`<main>${form}`, path)).toMatch(new RegExp(`\\?account_id=${accountId}$`));
    if (page.method === "GET") {
      expect(forms.map((form) => Object.keys(fieldsOf(`<main>${form}`)).sort())).toEqual(fieldsOn(page));
    }
  });
});

test("a suspended account can be left and signed in to, and the other accounts of its members are not touched", async () => {
  const member = await area.signIn();
  const { visitor, accountId, email } = member;
  const { path } = await area.newLink({ accountId, email });
  const other = await area.newLink({ email, accountId: await area.stack().newAccount("Another") });
  await area.suspend(member);
  expect(await visitor.post("/developers/sign-out")).toMatchObject({ status: 303, location: "/developers" });
  expect(await visitor.submit(path)).toMatchObject({ status: 303, location: "/developers/sandbox" });
  expect((await visitor.get("/developers/sandbox")).html).toContain("This account is suspended");
  expect((await visitor.submit(other.path)).status).toBe(303);
  expect((await visitor.submit("/developers/sandbox/keys/new")).status).toBe(201);
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
          "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none'",
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
