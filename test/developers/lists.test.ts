import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { storedMembers } from "@shipping/portal/testing/stored-members";
import { ageSessions, countForms } from "@shipping/portal/testing/stored-sessions";
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

const sizes = (pages: string[][]) => pages.map((found) => found.length);

test("keys come in pages of fifty: the active ones first, of each kind the newest first, each key once", async () => {
  const { visitor, accountId } = await area.signIn();
  for (let n = 0; n < 73; n++) {
    const { id } = await area.stack().newKey(accountId);
    if (n % 25) await area.stack().revokeKey(id);
  }
  await area.stack().newKey(accountId, "live");
  const pages = await readAllPages(visitor, "/developers/sandbox/keys", /<bdi>[^<]* …(\w{4})<\/bdi>/g);
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
    /<td data-label="Email" class="title"><span><bdi>([^<]+)<\/bdi>/g,
  );
  expect(sizes(members)).toEqual([50, 50]);
  expect(members.flat()).toEqual((await storedMembers(area.db(), accountId)).map(({ email }) => email));
  const entries = await readAllPages(visitor, "/developers/audit", /<bdi>(\w+@example\.com) as /g);
  // The other half of the entries are not sign-ins.
  expect(entries.flat()).toHaveLength(100);
  const signIns = (await auditEntries(area.db(), { accountId })).filter(({ detail }) => detail.includes(" as "));
  expect(entries.flat()).toEqual(signIns.reverse().map(({ detail }) => detail.split(" ")[0]));
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

      await ageSessions(area.db(), { forms: 10 });
      expect((await visitor.submit(NEW)).status).toBe(201);
      await countForms(area.db(), 100);
      expect((await visitor.post("/developers/sign-out")).status).toBe(303);
    },
  );
});
