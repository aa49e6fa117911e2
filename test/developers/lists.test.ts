import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { useArea } from "./area.js";
import { decodeText, type Visitor } from "./visitor.js";

const area = useArea();

/** Reads a list from its first page to its last, and yields the matches of each. */
async function readAllPages(visitor: Visitor, path: string, pattern: RegExp): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next; ) {
    const { status, html } = await visitor.get(next);
    expect(status).toBe(200);
    pages.push([...html.matchAll(pattern)].map(([, found = ""]) => found));
    const [, link] = /<a href="([^"]+)" rel="next"/.exec(html) ?? [];
    next = link && decodeText(link);
  }
  return pages;
}

/** The values of a statement with one column. */
const column = async (statement: string): Promise<string[]> =>
  (await area.query(statement)).map((row) => String(Object.values(row)[0]));

const sizes = (pages: string[][]) => pages.map((found) => found.length);

test("keys come in pages of fifty: the active ones first, of each kind the newest first, each key once", async () => {
  const { visitor, accountId } = await area.signIn();
  for (let n = 0; n < 73; n++) {
    const { id } = await area.stack().newKey(accountId);
    if (n % 25) await area.stack().revokeKey(id);
  }
  await area.stack().newKey(accountId, "live");
  const pages = await readAllPages(visitor, "/developers/sandbox/keys", /<code class="sub">…(\w{4})<\/code>/g);
  expect(sizes(pages)).toEqual([50, 23]);
  const keys = (await storedKeys(area.stack().databases.gateway, { accountId })).filter(
    ({ environment }) => environment === "sandbox",
  );
  const placeOf = ({ revokedAt, createdAt, id }: (typeof keys)[number]) =>
    `${revokedAt === null} ${createdAt.toISOString()} ${id}`;
  keys.sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
  expect(pages.flat()).toEqual(keys.map(({ lastFour }) => lastFour));
});

test("so do members, the oldest first, and the audit log, the newest first", async () => {
  const { visitor, accountId } = await area.signIn();
  for (let n = 2; n <= 100; n++) await area.newLink({ accountId, role: "viewer" });
  const members = await readAllPages(
    visitor,
    "/developers/members",
    /<td data-label="Email"><span><bdi>([^<]+)<\/bdi>/g,
  );
  expect(sizes(members)).toEqual([50, 50]);
  expect(members.flat()).toEqual(
    await column(`SELECT email FROM account_members WHERE account_id = '${accountId}' ORDER BY created_at, id`),
  );
  const entries = await readAllPages(visitor, "/developers/audit", /<bdi>(\w+@example\.com) as /g);
  // The other half of the entries are not sign-ins.
  expect(entries.flat()).toHaveLength(100);
  const log = `SELECT split_part(detail, ' ', 1) FROM audit_entries WHERE account_id = '${accountId}' AND detail LIKE '% as %'`;
  expect(entries.flat()).toEqual(await column(`${log} ORDER BY at DESC, id DESC`));
});

test.each(["sandbox/keys", "members", "audit"])(
  "%s: a page after what is not there, or is another's, is the first one",
  async (list) => {
    const { visitor, accountId } = await area.signIn();
    await area.stack().newKey(accountId);
    const other = await area.signIn();
    const foreign = await area.stack().newKey(other.accountId);
    const path = `/developers/${list}`;
    const { html: first } = await visitor.get(path);
    for (const after of ["", "nothing", foreign.id, "%00"]) {
      const { status, html } = await visitor.get(`${path}?after=${after}`);
      expect([after, status, html]).toEqual([after, 200, first]);
    }
  },
);

test.each([
  ["shipments", "from=1000-01-01&to=9999-12-31"],
  ["shipments", "q=PO&to=9999-12-31"],
  ["requests", "from=0000-01-01T00:00&until=9999-12-31T23:59"],
])("%s are listed for the first and the last day that an address can name: %s", async (list, query) => {
  const { visitor } = await area.signIn();
  expect((await visitor.get(`/developers/sandbox/${list}?${query}`)).status).toBe(200);
});

describe("forms of a session", () => {
  const NEW = "/developers/sandbox/keys/new";

  area.testLimit(
    "429 after a hundred in ten minutes; the sign-out, other sessions and pages are untouched",
    async () => {
      const { visitor, accountId, email } = await area.signIn();
      const other = await area.signIn({ accountId, email });
      for (let n = 0; n < 100; n++) expect((await visitor.post(NEW)).status).toBe(422);
      const refused = await Promise.all(Array.from({ length: 5 }, () => visitor.submit(NEW)));
      expect(refused.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual(
        Array(5).fill([429, "600"]),
      );
      expect(refused[0]?.html).toContain("You have submitted too many forms");
      expect((await visitor.get("/developers/sandbox/keys")).html).toContain("There are no sandbox keys yet");
      expect((await other.visitor.submit(NEW)).status).toBe(201);

      await area.query("UPDATE sessions SET forms_since = forms_since - interval '10 minutes'");
      expect((await visitor.submit(NEW)).status).toBe(201);
      await area.query("UPDATE sessions SET forms = 100");
      expect((await visitor.post("/developers/sign-out")).status).toBe(303);
    },
  );
});
