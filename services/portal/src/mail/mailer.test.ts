import { createLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Deliver, Mail } from "./deliver.js";
import { toMail } from "./letter.js";
import { createMailer } from "./mailer.js";

const LINK = "https://ship.example/developers/sign-in/link#secret";
const letter = { subject: "Sign in", before: [], links: [{ words: "Sign in", url: LINK }], after: [] };
const mail = (to = "ada@example.com") => toMail(to, letter);
const refusal = (responseCode: number, message = "No.") => Object.assign(new Error(message), { responseCode });

function mailerWith(deliver: Deliver | undefined, options: { waitsMs?: number[]; maxWaiting?: number } = {}) {
  const lines: string[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(line) } });
  const metrics = createMetrics({ part: "gateway", log, cacheMs: 0 });
  const mailer = createMailer({ deliver, log, metrics, random: () => new Uint8Array(1), waitsMs: [1, 2], ...options });
  const counted = async () =>
    Object.fromEntries(
      [...(await metrics.render()).matchAll(/^mails_(?:total\{result="(\w+)".*\}|(waiting)\{.*\}) (\d+)$/gm)]
        .map(([, result, waiting, count]) => [result ?? waiting, Number(count)])
        .filter(([, count]) => count !== 0),
    );
  return { mailer, lines, counted };
}

/** A server that fails with these errors first, and records the emails that it accepts. */
function failing(...errors: Error[]) {
  const taken: Mail[] = [];
  const deliver = async (sent: Mail) => {
    const error = errors.shift();
    if (error) throw error;
    taken.push(sent);
  };
  return { deliver, taken };
}

test("a server that fails for a while gets it later, and the log says why, without the link and the address", async () => {
  const { deliver, taken } = failing(refusal(451, `greylisted ada@example.com ${LINK}`), new Error("hung up"));
  const { mailer, lines, counted } = mailerWith(deliver);
  expect(await mailer.send(mail())).toBe(true);
  expect([taken.length, lines.length, await counted()]).toEqual([1, 2, { sent: 1, retried: 2 }]);
  expect(lines[0]).toContain("greylisted [address] [link]");
  expect(lines.join("")).not.toMatch(/secret|ada@/);
});

test("an email that fails permanently, or on every attempt, is dropped with a log line and a metric; no promise is rejected", async () => {
  const always = failing(...Array.from({ length: 3 }, () => new Error("down")));
  const tired = mailerWith(always.deliver);
  expect(await tired.mailer.send(mail())).toBe(false);
  expect(await tired.counted()).toEqual({ retried: 2, failed: 1 });
  expect(JSON.parse(tired.lines.at(-1) ?? "")).toMatchObject({ level: "error", failures: 3 });

  const final = mailerWith(failing(refusal(550)).deliver);
  expect(await final.mailer.send(mail())).toBe(false);
  expect(await final.counted()).toEqual({ failed: 1 });
});

test("a mail that waits for its next attempt holds up no other", async () => {
  const taken: string[] = [];
  const deliver = async ({ to }: Mail) => {
    if (to.startsWith("slow")) throw new Error("later");
    taken.push(to);
  };
  const { mailer, counted } = mailerWith(deliver, { waitsMs: [60_000] });
  for (let n = 0; n < 10; n++) void mailer.send(mail(`slow-${n}@example.com`));
  expect(await mailer.send(mail())).toBe(true);
  expect(await counted()).toEqual({ retried: 10, sent: 1, waiting: 10 });
  await mailer.stop();
  expect(await counted()).toMatchObject({ failed: 10 });
});

test("of more mails than may wait the newest are dropped; four are under way at once, and the caller never waits", async () => {
  const underWay: (() => void)[] = [];
  let most = 0;
  const deliver = () =>
    new Promise<void>((resolve) => {
      most = Math.max(most, underWay.push(resolve));
    });
  const { mailer, counted } = mailerWith(deliver, { maxWaiting: 6 });
  const sent = Array.from({ length: 8 }, () => mailer.send(mail()));
  expect(await Promise.all(sent.slice(6))).toEqual([false, false]);
  expect(most).toBe(4);
  const results = Promise.all(sent.slice(0, 6));
  await eventually(() => {
    for (const finish of underWay.splice(0)) finish();
    if (underWay.length > 0) throw new Error("There are more.");
  });
  await eventually(async () => {
    for (const finish of underWay.splice(0)) finish();
    expect(await counted()).toEqual({ sent: 6, dropped: 2 });
  });
  expect(await results).toEqual(Array(6).fill(true));
});

test("links wait until everything else is sent, however many were requested before, and take no space from it", async () => {
  const { deliver, taken } = failing();
  const { mailer, counted } = mailerWith(deliver, { maxWaiting: 20 });
  const links = Array.from({ length: 30 }, (_, n) => mailer.sendUnseen(async () => mail(`link-${n}@example.com`)));
  await Promise.all(links.slice(20));
  const others = Array.from({ length: 20 }, (_, n) => mailer.send(mail(`invited-${n}@example.com`)));
  expect([mailer.isFull(), await mailer.send(mail())]).toEqual([true, false]);
  void mailer.stop();
  expect(await Promise.all(others)).toEqual(Array(20).fill(true));
  await Promise.all(links);
  expect(taken.map(({ to }) => to.replace(/-.*/, ""))).toEqual([
    ...Array(20).fill("invited"),
    ...Array(20).fill("link"),
  ]);
  expect([mailer.isFull(), await counted()]).toEqual([true, { sent: 40, dropped: 11 }]);
});

test("an email address that its server does not know is counted separately from failures that an operator can fix", async () => {
  const unknown = Object.assign(refusal(550), { command: "RCPT TO" });
  const { mailer, counted } = mailerWith(failing(unknown).deliver);
  expect(await mailer.send(mail())).toBe(false);
  expect(await counted()).toEqual({ refused: 1 });
});

test("a mail may be written when its turn comes, once, or not at all; what writes it may fail for a while", async () => {
  const { deliver, taken } = failing(new Error("down"));
  const { mailer, counted } = mailerWith(deliver);
  const outcomes: (() => Mail | undefined)[] = [
    () => {
      throw new Error("no database");
    },
    () => mail(),
  ];
  expect(await mailer.send(async () => outcomes.shift()?.())).toBe(true);
  expect([taken.length, outcomes.length, await counted()]).toEqual([1, 0, { retried: 2, sent: 1 }]);
  expect(await mailer.send(async () => undefined)).toBe(false);
  expect(await counted()).toEqual({ retried: 2, sent: 1 });
});

test("an unseen mail is written a while after it was asked for, those of one moment in their order, and at once when stopping", async () => {
  const { deliver, taken } = failing();
  const { mailer } = mailerWith(deliver);
  const asked = performance.now();
  const writtenAfter: number[] = [];
  const write = (to: string) => async () => {
    writtenAfter.push(performance.now() - asked);
    return mail(to);
  };
  const both = [mailer.sendUnseen(write("one@example.com")), mailer.sendUnseen(write("two@example.com"))];
  expect(await mailer.send(mail("seen@example.com"))).toBe(true);
  expect(await Promise.all(both)).toEqual([true, true]);
  expect(Math.min(...writtenAfter)).toBeGreaterThan(240);
  expect(taken.map(({ to }) => to)).toEqual(["seen@example.com", "one@example.com", "two@example.com"]);

  const last = mailer.sendUnseen(write("three@example.com"));
  await mailer.stop();
  expect(await last).toBe(true);
});

test("stopping gives what waits one last attempt, and does not wait for a server that is silent", async () => {
  const { deliver, taken } = failing(new Error("later"));
  const { mailer, counted } = mailerWith(deliver, { waitsMs: [60_000] });
  const sent = mailer.send(mail());
  await eventually(async () => expect(await counted()).toMatchObject({ retried: 1 }));
  await mailer.stop();
  expect([await sent, taken.length]).toEqual([true, 1]);
  expect(await mailer.send(mail())).toBe(false);

  const silent = mailerWith(() => new Promise(() => undefined));
  void silent.mailer.send(mail());
  await silent.mailer.stop(10);
  expect(silent.lines.join("")).toContain("before all emails were sent");
  expect(await silent.counted()).toMatchObject({ dropped: 1 });
});

test("without a server or a folder, no email is sent, and callers get false", async () => {
  const { mailer, counted } = mailerWith(undefined);
  expect([mailer.canSend, await mailer.send(mail())]).toEqual([false, false]);
  expect(await counted()).toEqual({ dropped: 1 });
});

test.each([
  "a@b.example\r\nBcc: c@d.example",
  "a@b.example,c@d.example",
  "Ada <a@b.example>",
  `${"x".repeat(200)}@b.example`,
])("no email is sent to text that is not exactly one email address: %j", async (to) => {
  const { deliver, taken } = failing();
  expect(await mailerWith(deliver).mailer.send(mail(to))).toBe(false);
  expect(taken).toEqual([]);
});
