import { setTimeout as sleep } from "node:timers/promises";
import { storedLabels } from "@shipping/carrier/testing/stored-labels";
import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { eventually } from "@shipping/kit/testing/eventually";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { storedSubscriptions } from "@shipping/webhooks/testing/stored-subscriptions";
import { actionOf, type Fields, fieldsOf, newVisitor, type PageAnswer } from "../../developers/visitor.js";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { parcelBody } from "../kit/bodies.js";
import { eachOf } from "../kit/load.js";
import { signIn } from "../kit/sign-in.js";
import { untilDefinite } from "./retrying-client.js";

/** The faults in the audit log, as counts: entries that are missing, doubled, or about something that no form has changed; and changes made twice. */
export const FLAWLESS_LINES = { missingLines: 0, doubledLines: 0, strayLines: 0, doubledForms: 0 };

interface Member {
  accountId: string;
  key: string;
  email: string;
  cookie: string;
}

/** An account may create ten keys an hour, and have ten subscriptions. */
const MOST_OF_A_KIND = 8;
const GIVE_UP_MS = 120_000;
const SETTLED_MS = 60_000;
const PAUSE_MS = 100;

/**
 * Members create API keys, subscribe to events and void labels in the developer area of any portal, `forms` of each kind. They send each form until it
 * is done. Yields a function that compares the audit log with what has changed.
 */
export async function submitForms(
  cluster: ClusterUnderTest,
  { forms, clients }: { forms: number; clients: number },
): Promise<{ sent: number; audit(): Promise<typeof FLAWLESS_LINES> }> {
  const members = await Promise.all(
    Array.from({ length: Math.ceil(forms / MOST_OF_A_KIND) }, async () => {
      const { accountId, key } = await cluster.newCustomer("Forms");
      const email = `${accountId}@example.com`;
      return {
        accountId,
        key,
        email,
        cookie: await signIn(cluster.databases.portal, { accountId, email, role: "admin" }),
      };
    }),
  );
  let next = 0;
  await eachOf(clients, async () => {
    while (next < forms) {
      const at = next++;
      const member = members[at % members.length]!;
      await submit(cluster, member, "/keys/new");
      await submit(cluster, member, "/webhooks/new", {
        url: `https://shop.example.com/${at}`,
        events: ["order.created"],
      });
      await submit(cluster, member, `/labels/${await newLabel(cluster, member, at)}/void`);
    }
  });
  return { sent: 3 * forms, audit: () => auditLines(cluster, members, forms) };
}

async function newLabel({ gateways }: ClusterUnderTest, { key }: Member, at: number): Promise<string> {
  const create = async (path: string, body: unknown): Promise<string> => {
    const write = { method: "POST", path, key, idempotencyKey: `form-${at}-${path}`, body } as const;
    const { status, text } = await untilDefinite(gateways, write);
    if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const shipment = await create("/shipments", parcelBody);
  return create("/labels", { shipment_id: shipment, rate_id: `rate_test_${shipment}` });
}

/** Opens a form, and sends it until it is answered as one that is done: with a key, or with a redirect. */
async function submit(cluster: ClusterUnderTest, member: Member, form: string, fields: Fields = {}): Promise<void> {
  const { accountId, cookie } = member;
  const path = `/developers/sandbox${form}`;
  const patiently = async (open: (origin: string) => Promise<PageAnswer>, wanted: readonly number[]) => {
    const deadline = performance.now() + GIVE_UP_MS;
    for (;;) {
      const { portals } = await cluster.now();
      const answer = await open(portals[Math.floor(Math.random() * portals.length)]!).catch(() => undefined);
      if (answer && wanted.includes(answer.status)) return answer;
      if (performance.now() > deadline)
        throw new Error(`${path} answers ${answer?.status}: ${answer?.html.slice(-300)}`);
      await sleep(PAUSE_MS);
    }
  };
  const shown = await patiently((origin) => newVisitor(origin, accountId).get(path, { cookie }), [200]);
  const filled = { ...fieldsOf(shown.html), ...fields };
  const action = actionOf(shown.html, path);
  await patiently((origin) => newVisitor(origin, accountId).post(action, filled, { cookie }), [201, 303]);
}

/** Compares the entries with the keys, subscriptions and voided labels of the accounts. */
async function auditLines(
  { databases }: ClusterUnderTest,
  members: readonly Member[],
  forms: number,
): Promise<typeof FLAWLESS_LINES> {
  const accounts = members.map(({ accountId }) => accountId);
  const emails = members.map(({ email }) => email);
  const keys = await storedKeys(databases.gateway, { accountId: accounts });
  const labels = await storedLabels(databases.carrier, accounts);
  const changed = [
    keys.filter(({ formId }) => formId !== null).map(({ id }) => id),
    await storedSubscriptions(databases.webhooks, accounts),
    labels.filter(({ status }) => status === "voided").map(({ id }) => id),
  ];
  const all = new Set(changed.flat());
  const compare = async () => {
    const rows = await auditEntries(databases.portal, { accountId: accounts, actor: emails });
    const logged = new Set(rows.map(({ subject }) => subject));
    return {
      missingLines: all.size - [...all].filter((id) => logged.has(id)).length,
      doubledLines: rows.length - logged.size,
      strayLines: [...logged].filter((id) => !all.has(id)).length,
      doubledForms: changed.reduce((sum, ids) => sum + Math.abs(ids.length - forms), 0),
    };
  };
  // The portal reads new lines every five seconds.
  await eventually(
    async () => {
      if ((await compare()).missingLines > 0) throw new Error("Lines are missing.");
    },
    { withinMs: SETTLED_MS },
  ).catch(() => {});
  return compare();
}
