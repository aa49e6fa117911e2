import { AREA_PATH, getQueryFields } from "@shipping/gateway/developers/page/page";
import { pages } from "@shipping/gateway/developers/pages";
import type { Fields } from "@shipping/gateway/input/fields";
import { type SignedInVisitor, useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { pathOf, type Things, thingsOf } from "./things.js";
import { attribute, decodeText, pathIn, type Visitor } from "./visitor.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route });

let owner: SignedInVisitor & { things: Things };
beforeAll(async () => {
  const signedIn = await area.signIn();
  owner = { ...signedIn, things: await thingsOf(area.stack(), signedIn) };
});

const at = (path: string) => pathOf(path, owner.things);

/** The fields that the form of an action may have. */
function declaredFor(method: string, action: string): Fields | undefined {
  const path = action.replace(/\?.*/, "");
  const page = pages.find((one) => one.method === method.toUpperCase() && at(one.path) === path);
  if (!page) return undefined;
  return page.method === "GET" ? getQueryFields(page) : page.form;
}

/** A form in a page's HTML, with the inputs in it. */
function formsOf(html: string, path: string) {
  return [...html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = "", content = ""]) => ({
    method: attribute(tag, "method") || "get",
    action: new URL(attribute(tag, "action") || path, new URL(path, "http://here")).pathname,
    inputs: [...content.matchAll(/<(?:input|select|textarea)[^>]*\sname="[^>]*>/g)].map(([input]) => input),
  }));
}

/** The faults of the inputs of a page. */
function faultsOf(html: string, path: string): string[] {
  return formsOf(html, path)
    .filter(({ action }) => action.startsWith(AREA_PATH))
    .flatMap(({ method, action, inputs }) => {
      const declared = declaredFor(method, action);
      return inputs.flatMap((input) => {
        const [name, type, length, value] = ["name", "type", "maxlength", "value"].map((one) => attribute(input, one));
        const maxLength = declared?.[name ?? ""]?.maxLength;
        const isText = type === "text" || type === "search" || input.startsWith("<textarea");
        if (maxLength === undefined) return [`${path}: ${method} ${action} does not declare ${name}`];
        if (isText && length !== String(maxLength)) return [`${path}: ${name} has maxlength ${length || "none"}`];
        return (value ?? "").length > maxLength ? [`${path}: the value of ${name} is too long`] : [];
      });
    });
}

test("every input of every page is declared by the page that gets it, and browsers keep it to the same length", async () => {
  const { path: link } = await area.newLink();
  const { html: invited } = await owner.visitor.get(at("/members"));
  expect(invited).toContain("bob@example.com");
  const shown: [Visitor, string][] = [
    ...pages
      .filter(({ method }) => method === "GET")
      .map((page) => [owner.visitor, at(page.path)] as [Visitor, string]),
    ...["", "/sign-in", "/sign-in/link", "/decline"].map((open): [Visitor, string] => [
      area.visitor(),
      AREA_PATH + open,
    ]),
    [area.visitor(), link],
  ];
  const faults: string[] = [];
  let inputs = 0;
  for (const [visitor, path] of shown) {
    const { html } = await visitor.get(path);
    inputs += formsOf(html, path).flatMap((form) => form.inputs).length;
    faults.push(...faultsOf(html, path.replace(/#.*/, "")));
  }
  expect(faults).toEqual([]);
  // Most pages contribute only the search in the header.
  expect(inputs).toBeGreaterThan(80);
});

/** Counts of everything that forms could change. */
const changes = async () => {
  const { rows } = await area.stack().databases.gateway.pool.query(
    `SELECT (SELECT count(*) FROM audit_entries WHERE account_id = $1) AS entries, (SELECT count(*) FROM api_keys WHERE account_id = $1) AS keys,
       (SELECT count(*) FROM account_members WHERE account_id = $1) AS members, (SELECT count(*) FROM mail_counts) AS mails,
       (SELECT count(*) FROM sign_in_refusals) AS refusals, (SELECT count(*) FROM sessions WHERE member_id IN (SELECT id FROM account_members WHERE account_id = $1)) AS sessions`,
    [owner.accountId],
  );
  return rows[0];
};

const rows = pages.flatMap((page) => {
  const fields = page.method === "GET" ? getQueryFields(page) : page.form;
  return Object.entries(fields ?? {}).map(
    ([name, field]) => [`${page.method} ${page.path}: ${name}`, page, name, field] as const,
  );
});

test.each(rows)("%s that is longer than declared is refused without an effect", async (_, page, name, field) => {
  const { maxLength } = field;
  const before = await changes();
  const send = (value: string | string[]) => {
    const path = at(page.path);
    if (page.method === "POST") return owner.visitor.post(path, { [name]: value });
    return owner.visitor.get(`${path}?${new URLSearchParams({ [name]: String(value) })}`);
  };
  const { status, html } = await send("a".repeat(maxLength + 1));
  expect([status, decodeText(html)]).toEqual([
    422,
    expect.stringContaining(`${name}: must have at most ${maxLength} characters`),
  ]);
  expect(await changes()).toEqual(before);
  // A value of the declared length is not refused for its length, whatever else is wrong with it.
  if (page.method === "GET") expect((await send("a".repeat(maxLength))).html).not.toContain("must have at most");
});

const forms = pages.flatMap((page) => (page.method === "POST" && page.form ? [[page.path, page.form] as const] : []));

test.each(forms)(
  "the form of %s is refused with a field that it does not have, and with one too often",
  async (path, fields) => {
    const before = await changes();
    const unknown = await owner.visitor.post(at(path), { surname: "a" });
    expect([unknown.status, unknown.html]).toEqual([422, expect.stringContaining("surname: is unknown: leave it out")]);
    for (const [name, { most = 1 }] of Object.entries(fields)) {
      const { status, html } = await owner.visitor.post(at(path), { [name]: Array(most + 1).fill("a") });
      expect([status, html]).toEqual([
        422,
        expect.stringMatching(`${name}: must (?:not be repeated|have at most ${most} values)`),
      ]);
    }
    expect(await changes()).toEqual(before);
  },
);

test("every form has a declaration that fits into a body, and only sign-out takes none", () => {
  const without = pages.filter((page) => page.method === "POST" && page.form === undefined).map(({ path }) => path);
  expect(without).toEqual(["/sign-out"]);
  for (const [path, fields] of forms) {
    const characters = Object.values(fields).reduce((sum, { maxLength, most = 1 }) => sum + maxLength * most, 0);
    expect([path, characters]).toEqual([path, expect.any(Number)]);
    expect(characters).toBeLessThan(7_000);
  }
});

test("a link is at most as long as its form takes", async () => {
  const { url } = await area.newLink();
  expect(url.length).toBeLessThan(500);
  const visitor = area.visitor();
  const shown = await visitor.post("/developers/sign-in/link", { link: url });
  expect([shown.status, pathIn(url)]).toEqual([200, expect.stringContaining("#")]);
});
