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
import sql from "sql-template-tag";
import { linksIn } from "../developers/mailbox.js";
import { newVisitor } from "../developers/visitor.js";
import { freePort } from "../platform/free-port.js";

const MAIN = join(import.meta.dirname, "../../services/portal/dist/main.js");
const NOWHERE = "http://127.0.0.1:1";

let database: Awaited<ReturnType<typeof portalDatabase>>;
let smtp: SmtpUnderTest;
let portals: PortalProcess[];
beforeAll(async () => {
  [database, smtp] = await Promise.all([portalDatabase(), smtpUnderTest()]);
  portals = await Promise.all([startPortal(), startPortal()]);
});
afterAll(async () => {
  for (const portal of portals) await portal.end();
  await Promise.all([database.drop(), smtp.stop()]);
});

/** A process of the portal that is started again, on the same port, whenever it is killed. */
interface PortalProcess {
  origin: string;
  kill(): void;
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
    kill: () => void child.kill("SIGKILL"),
    async end() {
      ended = true;
      portal.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
  await eventually(async () => expect((await fetch(`${origin}/developers`)).status).toBe(401));
  return portal;
}

async function newMember(email: string): Promise<void> {
  const accountId = await database.newAccount();
  await database.db.run(sql`
    INSERT INTO account_members (id, account_id, email, role, created_at) VALUES (${`mem_${email}`}, ${accountId}, ${email}, 'admin', now())`);
}

const newEmail = () => `${randomBytes(6).toString("hex")}@example.com`;

/** Submits a form to one portal after another, until one has answered with one of these statuses. Each form comes from an IP address of its own. */
async function submitted(path: string, statuses: number[], fields: Record<string, string>, cookie?: string) {
  const headers = { "x-forwarded-for": `198.18.${randomBytes(2).join(".")}` };
  await eventually(async () => {
    for (const { origin } of portals) {
      const sending = { headers, ...(cookie !== undefined && { cookie }) };
      const answer = await newVisitor(origin)
        .post(path, fields, sending)
        .catch(() => undefined);
      if (answer && statuses.includes(answer.status)) return;
    }
    throw new Error(`No portal answers ${statuses}.`);
  });
}

/** Requests a sign-in link for a new member, and returns their email address. */
async function announceLink(): Promise<string> {
  const email = newEmail();
  await newMember(email);
  await submitted("/developers/sign-in", [200], { email });
  return email;
}

/** Invites somebody to a new account, and returns their email address. */
async function announceInvitation(): Promise<string> {
  const email = newEmail();
  const accountId = await database.newAccount();
  const cookie = await signedIn(database, accountId);
  await database.db.run(sql`UPDATE account_members SET role = 'admin' WHERE account_id = ${accountId}`);
  const form = { email, role: "viewer", form_id: newId("form", randomBytes) };
  // A form whose answer was lost leads to the list of members when it is sent again.
  await submitted(`/developers/members/invite?account_id=${accountId}`, [201, 303], form, cookie);
  return email;
}

test("a link and an invitation that a page announced are sent once the mail server is back, although every portal was killed", async () => {
  smtp.misbehave({ refuse: 451 });
  const announced = [await announceLink(), await announceInvitation()];
  for (const portal of portals) portal.kill();
  smtp.misbehave(undefined);
  for (const email of announced) {
    const [path = ""] = linksIn(await smtp.mailTo(email));
    await submitted(path, [303], {});
  }
});

/** Kills a portal that serves, if there is one. */
async function killServing(): Promise<void> {
  const answers = portals.map((portal) => fetch(`${portal.origin}/developers`).then(() => portal));
  await Promise.any(answers).then(
    (portal) => portal.kill(),
    () => undefined,
  );
}

test(
  "with a portal killed in every second that brings something, every email that a page announced arrives",
  async () => {
    const count = runs(50);
    const announced = new Set<string>();
    let kills = 0;
    let isOver = false;
    const killing = (async () => {
      // A busy machine may need longer than a second to start a portal. So each has done something before it is killed.
      for (let before = 0; !isOver; await wait(1_000)) {
        const now = announced.size + smtp.taken.length;
        if (now === before) continue;
        await killServing();
        kills += 1;
        before = now;
      }
    })();
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let nth = client; nth < count; nth += 8)
        announced.add(await (nth % 5 === 0 ? announceInvitation() : announceLink()));
    });
    try {
      await Promise.all(clients);
      await eventually(
        () => {
          const received = new Set(smtp.taken.flatMap(({ to }) => to));
          expect([...announced].filter((email) => !received.has(email))).toEqual([]);
        },
        { withinMs: 300_000 },
      );
    } finally {
      isOver = true;
      await killing;
    }
    const sent = smtp.taken.filter(({ to }) => announced.has(to[0] ?? "")).length;
    console.log(`emails: ${JSON.stringify({ announced: announced.size, sent, kills })}`);
    expect(announced.size).toBe(count);
  },
  runs(600_000),
);
