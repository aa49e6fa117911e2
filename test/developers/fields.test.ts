import type { Fields } from "@shipping/api/input/fields";
import { AREA_PATH, getQueryFields } from "@shipping/portal/page/page";
import { pages } from "@shipping/portal/pages";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { type SignedInVisitor, useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { pathOf, type Things, thingsOf } from "./things.js";
import { attribute, decodeText, type Visitor } from "./visitor.js";

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

test("a parameter, a field, or a list that exceeds its declaration is refused without an effect, and so is an unknown field", async () => {
  const changes = () => auditEntries(area.db(), { accountId: owner.accountId });
  const before = await changes();
  const invite = (fields: Record<string, string | string[]>) =>
    owner.visitor.post("/developers/members/invite", fields);
  for (const [answer, said] of [
    [
      await owner.visitor.get(`/developers/sandbox/keys?after=${"a".repeat(33)}`),
      "after: must have at most 32 characters",
    ],
    [await invite({ email: "a".repeat(201) }), "email: must have at most 200 characters"],
    [await invite({ role: ["admin", "viewer"] }), "role: must not be repeated: send it once"],
    [await invite({ surname: "a" }), "surname: is not a known field: remove it"],
  ] as const) {
    expect([answer.status, decodeText(answer.html)]).toEqual([422, expect.stringContaining(said)]);
  }
  expect(await changes()).toEqual(before);
});

const forms = pages.flatMap((page) => (page.method === "POST" && page.form ? [[page.path, page.form] as const] : []));

test("every form has a declaration that fits into a body, and only sign-out takes none", () => {
  const without = pages.filter((page) => page.method === "POST" && page.form === undefined).map(({ path }) => path);
  expect(without).toEqual(["/sign-out"]);
  for (const [, fields] of forms) {
    const characters = Object.values(fields).reduce((sum, { maxLength, most = 1 }) => sum + maxLength * most, 0);
    expect(characters).toBeLessThan(7_000);
  }
});
