import { createLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { eventually } from "@shipping/kit/testing/eventually";
import sql from "sql-template-tag";
import { addMember, listMembers, removeMember } from "../members/manage-members.js";
import { portalDatabase } from "../testing/portal-database.js";
import type { Deliver, Mail } from "./deliver.js";
import { toMail } from "./letter.js";
import { checkMails, LEASE_MS, type MailKind, measureMails, writeMail } from "./mails.js";
import { type SendDeps, sendMails, sendMailsOnce } from "./send-mails.js";

const LINK = "https://ship.example/developers/sign-in/link#secret";
const letter = { subject: "Sign in", before: [], links: [{ words: "Sign in", url: LINK }], after: [] };
const refusal = (responseCode: number, command = "CONN", message = "No.") =>
  Object.assign(new Error(message), { responseCode, command });

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterEach(() => portal.db.run(sql`DELETE FROM mails`));
afterAll(() => portal.drop());

/** A process that sends emails, as if it were so many milliseconds later. */
function sender(deliver: Deliver, writer?: SendDeps["writers"]["alert"]) {
  const counted: string[] = [];
  const lines: string[] = [];
  const log = createLog({ part: "portal", destination: { write: (line) => void lines.push(line) } });
  const write = writer ?? (async ({ recipient }) => toMail(recipient, letter));
  const writers = { sign_in_link: write, invitation: write, alert: write };
  const deps = { ...portal, log, deliver, writers, count: (result: string) => void counted.push(result) };
  return { counted, lines, deps, sendOnce: (laterMs = 0) => sendMailsOnce({ ...deps, clockOffsetMs: laterMs }) };
}

/** A server that fails with these errors first, and records the recipients of the emails that it accepts. */
function failing(...errors: Error[]) {
  const taken: string[] = [];
  const deliver = async ({ to }: Mail) => {
    const error = errors.shift();
    if (error) throw error;
    taken.push(to);
  };
  return { deliver, taken };
}

/** Writes emails that wait: requested links, or an email to each of these members. */
async function waiting(recipients: readonly string[], kind: MailKind = "sign_in_link", memberId?: string) {
  const from = sql`unnest(${recipients}::text[]) AS wanted (recipient)`;
  const to = { recipient: sql`recipient`, ...(memberId && { memberId: sql`${memberId}::text` }) };
  await portal.db.run(writeMail(portal, { kind, ...to, content: {}, minutes: 15, from }));
}

const left = () => portal.db.run<{ attempts: number }>(sql`SELECT attempts FROM mails ORDER BY attempts`);

test("a server that fails for a while gets an email later, and the log says why, without the link and the address", async () => {
  await waiting(["ada@example.com"]);
  const { deliver, taken } = failing(
    refusal(451, "RCPT TO", `greylisted ada@example.com ${LINK}`),
    refusal(535, "AUTH PLAIN"),
  );
  const { sendOnce, counted, lines } = sender(deliver);
  await sendOnce();
  await sendOnce();
  expect([counted, await left()]).toEqual([["retried"], [{ attempts: 1 }]]);
  await sendOnce(2_600);
  await sendOnce(2 * 2_600 * 1.5);
  expect([counted, taken, await left()]).toEqual([["retried", "retried", "sent"], ["ada@example.com"], []]);
  expect(lines[0]).toContain("greylisted [address] [link]");
  expect(lines.join("")).not.toMatch(/secret|ada@/);
});

test.each([
  ["that its server does not know", refusal(550, "RCPT TO"), "refused"],
  ["with refused content", refusal(554, "DATA"), "failed"],
])("an email %s is given up at once, and counted as %s", async (_case, error, result) => {
  await waiting(["ada@example.com"]);
  const { sendOnce, counted, lines } = sender(failing(error).deliver);
  await sendOnce();
  expect([counted, await left()]).toEqual([[result], []]);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", msg: "email not sent; no more attempts" });
});

test("an email is attempted until it expires, with growing waits, and then given up with a log line", async () => {
  await waiting(["ada@example.com"]);
  const { sendOnce, counted, lines } = sender(() => Promise.reject(new Error("down")));
  for (let second = 0; second <= 15 * 60 + 3 && (await left()).length > 0; second += 3) await sendOnce(second * 1_000);
  const tries = counted.length - 1;
  expect(tries).toBeGreaterThan(8);
  expect(tries).toBeLessThan(20);
  expect([counted.at(-1), await left()]).toEqual(["failed", []]);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ level: "error", reason: "The email has expired." });
});

test.each([
  "a@b.example\r\nBcc: c@d.example",
  "a@b.example,c@d.example",
  "Ada <a@b.example>",
  `${"x".repeat(200)}@b.example`,
])("no email is sent to text that is not exactly one email address: %j", async (to) => {
  await waiting([to]);
  const { deliver, taken } = failing();
  const { sendOnce, counted } = sender(deliver);
  await sendOnce();
  expect([counted, taken]).toEqual([["refused"], []]);
});

test("two processes share the emails, and send each once", async () => {
  const recipients = Array.from({ length: 40 }, (_, n) => `${n}@example.com`);
  await waiting(recipients);
  const { deliver, taken } = failing();
  await Promise.all([sender(deliver).sendOnce(), sender(deliver).sendOnce()]);
  expect(taken.sort()).toEqual(recipients.sort());
});

test("what a killed process had leased is sent by another when the lease has ended, and its late outcome changes nothing", async () => {
  await waiting(["ada@example.com"]);
  let finish: (() => void) | undefined;
  const hanging = sender(() => new Promise((resolve) => (finish = resolve)));
  const late = hanging.sendOnce();
  await eventually(() => expect(finish).toBeDefined());
  const { deliver, taken } = failing(refusal(451));
  const { sendOnce, counted } = sender(deliver);
  await sendOnce(LEASE_MS - 1_000);
  expect([counted, taken]).toEqual([[], []]);
  await sendOnce(LEASE_MS + 1_000);
  finish?.();
  await late;
  expect(await left()).toEqual([{ attempts: 2 }]);
  await sendOnce(LEASE_MS + 5_000);
  expect([counted, taken]).toEqual([["retried", "sent"], ["ada@example.com"]]);
});

test("an email whose outcome cannot be stored is sent again after its lease", async () => {
  await waiting(["ada@example.com"]);
  const { deliver, taken } = failing();
  const { deps, lines } = sender(deliver);
  const run: typeof portal.db.run = async (statement) => {
    if (statement.text.includes("DELETE FROM mails")) throw new Error("The database is down.");
    return portal.db.run(statement);
  };
  await sendMailsOnce({ ...deps, db: { ...portal.db, run } });
  expect(lines.join("")).toContain("it is attempted again");
  await sendMailsOnce({ ...deps, clockOffsetMs: LEASE_MS + 1_000 });
  expect([taken, await left()]).toEqual([["ada@example.com", "ada@example.com"], []]);
});

test("requested links wait until everything else is sent", async () => {
  await waiting(Array.from({ length: 20 }, (_, n) => `link-${n}@example.com`));
  const accountId = await portal.newAccount();
  const { id } = await addMember(portal, { accountId, email: "ada@example.com", role: "admin" });
  await waiting(
    Array.from({ length: 8 }, (_, n) => `alert-${n}@example.com`),
    "alert",
    id,
  );
  const { deliver, taken } = failing();
  await sender(deliver).sendOnce();
  const kinds = taken.map((to) => to.replace(/-.*/, ""));
  expect(kinds).toEqual([...Array(8).fill("alert"), ...Array(20).fill("link")]);
});

test("an email that is not needed is not sent; one that cannot be written yet is retried", async () => {
  await waiting(["ada@example.com"]);
  const { deliver, taken } = failing();
  const outcomes: (() => Mail | undefined)[] = [
    () => {
      throw new Error("no database");
    },
    () => undefined,
  ];
  const { sendOnce, counted } = sender(deliver, async () => outcomes.shift()?.());
  await sendOnce();
  await sendOnce(2_600);
  expect([counted, taken, await left()]).toEqual([["retried"], [], []]);
});

test("emails end with their member, and the list of members says what became of an invitation", async () => {
  const accountId = await portal.newAccount();
  const { id } = await addMember(portal, { accountId, email: "bob@example.com", role: "viewer" });
  const state = async () => (await listMembers(portal, accountId))[0]?.invitationMail;
  await waiting(["bob@example.com"], "invitation", id);
  await sender(failing(refusal(550, "RCPT TO")).deliver).sendOnce();
  expect(await state()).toBe("failed");
  await waiting(["bob@example.com"], "invitation", id);
  await sender(failing().deliver).sendOnce();
  expect(await state()).toBe("sent");
  await waiting(["bob@example.com"], "invitation", id);
  await removeMember(portal, { accountId, id });
  expect(await left()).toEqual([]);
});

test("stopping does not wait for a server that never answers, and leaves the email to another process", async () => {
  await waiting(["ada@example.com"]);
  let asked = 0;
  const { deps } = sender(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const sending = sendMails({ ...deps, metrics: createMetrics({ part: "portal", log: deps.log }) });
  await eventually(() => expect(asked).toBe(1));
  await sending.stop(true);
  const { deliver, taken } = failing();
  await sender(deliver).sendOnce(LEASE_MS + 1_000);
  expect(taken).toEqual(["ada@example.com"]);
});

test("metrics and operators see how many emails wait, and since when", async () => {
  const { deps } = sender(failing().deliver);
  const metrics = createMetrics({ part: "portal", log: deps.log, cacheMs: 0 });
  const later = { ...portal, clockOffsetMs: 11 * 60_000 };
  measureMails(metrics, later);
  const gauges = async () =>
    [...(await metrics.render()).matchAll(/^mails_\w*waiting\w*\{.*\} ([\d.]+)$/gm)].map(([, value]) =>
      Math.floor(Number(value)),
    );
  expect([await gauges(), await checkMails(later)]).toEqual([
    [0, 0],
    { part: "emails", ok: true, says: "none waiting" },
  ]);
  await waiting(["ada@example.com", "bob@example.com"]);
  expect(await gauges()).toEqual([2, 660]);
  expect(await checkMails(portal)).toMatchObject({ ok: true, says: "2 waiting, the oldest for 0 min" });
  expect(await checkMails(later)).toMatchObject({ ok: false, says: "2 waiting, the oldest for 11 min" });
});
