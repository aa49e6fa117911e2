import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { newId } from "@shipping/kit/ids";
import { eventually } from "@shipping/kit/testing/eventually";
import { runs } from "@shipping/kit/testing/runs";
import { portalDatabase } from "@shipping/portal/testing/portal-database";
import { signedIn } from "@shipping/portal/testing/signed-in";
import { type SmtpUnderTest, smtpUnderTest } from "@shipping/portal/testing/smtp-server";
import { linksIn } from "../developers/mailbox.js";
import { newVisitor } from "../developers/visitor.js";
import { freePort } from "../platform/free-port.js";

const MAIN = join(import.meta.dirname, "../../services/portal/dist/main.js");
const NOWHERE = "http://127.0.0.1:1";
/** An email of a killed process waits a minute for the end of its lease. */
const PATIENTLY = { withinMs: 300_000 };

let database: Awaited<ReturnType<typeof portalDatabase>>;
let smtp: SmtpUnderTest;
let portals: PortalProcess[];
let startMs: number;
beforeAll(async () => {
  [database, smtp] = await Promise.all([portalDatabase(), smtpUnderTest()]);
  const begun = performance.now();
  portals = await Promise.all([startPortal(), startPortal()]);
  startMs = performance.now() - begun;
});
afterAll(async () => {
  for (const portal of portals) await portal.end();
  await Promise.all([database.drop(), smtp.stop()]);
});

/** A process of the portal that is started again, on the same port, whenever it is killed. */
interface PortalProcess {
  origin: string;
  /** Resolves when it answers. */
  serving(): Promise<void>;
  kill(): Promise<void>;
  /** Ends it for good. */
  end(): Promise<void>;
}

async function startPortal(): Promise<PortalProcess> {
  const [port, rpcPort, opsPort] = [await freePort(), await freePort(), await freePort()];
  const others = ["GATEWAY", "RECORDS", "CARRIER", "TRACKING", "WEBHOOKS"].map((part) => [`${part}_URL`, NOWHERE]);
  const env = {
    ...Object.fromEntries(others),
    DATABASE_URL: database.url,
    ...{ HOST: "127.0.0.1", PORT: String(port), RPC_PORT: String(rpcPort), OPS_PORT: String(opsPort) },
    ...{ SMTP_URL: smtp.url, MAIL_FROM: "no-reply@ship.example", TRUSTED_PROXIES: "1", LOG_LEVEL: "fatal" },
  };
  const origin = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  let ended = false;
  const start = () => {
    child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "ignore", "inherit"] });
    child.once("exit", () => ended || start());
  };
  start();
  const portal = {
    origin,
    serving: () => eventually(async () => expect((await fetch(`${origin}/developers`)).status).toBe(401)),
    async kill() {
      const killed = child;
      killed.kill("SIGKILL");
      if (killed.exitCode === null && killed.signalCode === null) await once(killed, "exit");
    },
    end() {
      ended = true;
      return portal.kill();
    },
  };
  await portal.serving();
  return portal;
}

/** Submits a form to one portal after another, until one has answered with one of these statuses. Each form comes from an IP address of its own. */
async function submitted(path: string, statuses: number[], fields: Record<string, string>, cookie?: string) {
  const headers = { "x-forwarded-for": `198.18.${randomBytes(2).join(".")}` };
  await eventually(async () => {
    const answered = [];
    for (const { origin } of portals) {
      const sending = { headers, ...(cookie !== undefined && { cookie }) };
      const answer = await newVisitor(origin)
        .post(path, fields, sending)
        .catch(() => undefined);
      if (answer && statuses.includes(answer.status)) return;
      answered.push(answer?.status);
    }
    throw new Error(`The portals answer ${answered} to ${path}, not ${statuses}.`);
  }, PATIENTLY);
}

/** Requests a sign-in link for a new member, and returns their email address. */
async function announceLink(): Promise<string> {
  const accountId = await database.newAccount();
  await signedIn(database, accountId);
  const email = `${accountId}@example.com`;
  await submitted("/developers/sign-in", [200], { email });
  return email;
}

/** Invites somebody to a new account, and returns their email address. */
async function announceInvitation(): Promise<string> {
  const accountId = await database.newAccount();
  const cookie = await signedIn(database, accountId, "admin");
  const email = `invited-${accountId}@example.com`;
  const form = { email, role: "viewer", form_id: newId("form", randomBytes) };
  // A form whose answer was lost leads to the list of members when it is sent again.
  await submitted(`/developers/members/invite?account_id=${accountId}`, [201, 303], form, cookie);
  return email;
}

test("a link and an invitation that a page announced are sent once the mail server is back, although every portal was killed", async () => {
  smtp.misbehave({ refuse: 451 });
  const announced = [await announceLink(), await announceInvitation()];
  for (const portal of portals) await portal.kill();
  smtp.misbehave(undefined);
  for (const email of announced) {
    const [path = ""] = linksIn(await smtp.mailTo(email));
    await submitted(path, [303], {});
  }
});

test(
  "with each portal killed a second after it serves, every email that a page announced arrives",
  async () => {
    const count = runs(20);
    const announced = new Set<string>();
    // A busy machine needs long to start a portal, which then lives longer, too.
    const everyMs = Math.max(1_000, startMs / 3);
    let kills = 0;
    const submitting = Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let nth = client; nth < count; nth += 8)
          announced.add(await (nth % 5 === 0 ? announceInvitation() : announceLink()));
      }),
    );
    let isSubmitted = false;
    void submitting.finally(() => {
      isSubmitted = true;
    });
    // Each portal is killed at least twice. The portals that are left send what the killed ones had leased.
    const killing = portals.map(async (portal) => {
      for (let nth = 0; nth < 2 || !isSubmitted; nth++) {
        await portal.serving();
        await wait(everyMs);
        await portal.kill();
        kills++;
      }
    });
    await Promise.all([submitting, ...killing]);
    await eventually(() => {
      const received = new Set(smtp.taken.flatMap(({ to }) => to));
      expect([...announced].filter((email) => !received.has(email))).toEqual([]);
    }, PATIENTLY);
    const sent = smtp.taken.filter(({ to }) => announced.has(to[0] ?? "")).length;
    console.log(`emails: ${JSON.stringify({ announced: announced.size, sent, kills, everyMs })}`);
    expect(announced.size).toBe(count);
  },
  runs(600_000),
);
