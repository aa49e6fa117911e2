import { useArea } from "./area.js";
import { newEmail } from "./member-list.js";
import { fieldsOf, pathIn, secretIn, type Visitor } from "./visitor.js";

const area = useArea();

const INVITE = "/developers/members/invite";

/** Invites a member and yields the path of the link, which the page shows where no email can be sent. */
async function invite(visitor: Visitor) {
  const { html } = await visitor.submit(INVITE, { email: newEmail() });
  return pathIn(secretIn(html) ?? "");
}

const newForm = (path: string, fields: Record<string, string>) => async (visitor: Visitor) => ({
  path,
  fields: { ...fieldsOf((await visitor.get(path)).html), ...fields },
});

test.each<[string, (visitor: Visitor) => Promise<{ path: string; fields?: Record<string, string | string[]> }>]>([
  ["a new key", newForm("/developers/sandbox/keys/new", {})],
  ["a new subscription", newForm("/developers/sandbox/webhooks/new", { url: "https://shop.example.com/hooks" })],
  ["an invitation", newForm(INVITE, { email: newEmail() })],
  ["the confirmation of a sign-in link", async (visitor) => ({ path: await invite(visitor) })],
  [
    "the confirmation that an invitation is declined",
    async (visitor) => ({ path: (await invite(visitor)).replace("sign-in/link", "decline") }),
  ],
])(
  "the page of %s is not compressed, whose size would tell of its secret, and is kept by no cache",
  async (_, find) => {
    const { visitor } = await area.signIn();
    const { path, fields } = await find(visitor);
    const sending = { headers: { "accept-encoding": "gzip" } };
    const { status, headers, html } = await (fields ? visitor.post(path, fields, sending) : visitor.get(path, sending));
    expect([200, 201]).toContain(status);
    expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "same-origin" });
    expect(headers).not.toHaveProperty("content-encoding");
    expect(secretIn(html) ?? fieldsOf(html).link).toMatch(/^\S{43,}$/);
  },
);
