import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { type AccountData, exportPage } from "@shipping/kit/service/account-data";
import { eventually } from "@shipping/kit/testing/eventually";
import { mapParts, type Part, parts } from "@shipping/local/parts";
import { fillAccount } from "@shipping/portal/testing/stored-accounts";
import { PARTS } from "@shipping/proto/parts";
import { storeDeadEvent } from "@shipping/webhooks/testing/stored-events";
import { createLabel, createOrder, createWebhook, voidLabel } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import type { Stack } from "../platform/stack.js";
import { root } from "../tree/sources.js";
import { json } from "./admin.js";

/** The exports of a part about the data of an account, loaded by the part's name, so that a new part is tried without a line here. */
function accountDataOf(part: Part): AccountData {
  const folder = join(root, PARTS[part].folder, "src");
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find(
    (path) => basename(path) === "account-data.ts",
  );
  if (!file) throw new Error(`${PARTS[part].folder}/src has no account-data.ts.`);
  return createRequire(import.meta.url)(`@shipping/${part}/${file.slice(0, -".ts".length)}`)[`${part}AccountData`];
}

/** The tables in which each part stores an account's data. */
export const ACCOUNT_DATA: Record<Part, AccountData> = mapParts(accountDataOf);
/** An account with rows in every table. */
export async function busyAccount(stack: Stack, receiverUrl: string) {
  const { accountId, sandbox } = await stack.newCustomer();
  const api = apiClient(stack.baseUrl, sandbox);
  await json(stack, `member add --account ${accountId} --email ${accountId}@example.com --role admin`);
  const { portal, webhooks } = stack.databases;
  await fillAccount(portal, accountId);
  await createWebhook(api, receiverUrl);
  await createOrder(api);
  for (let n = 0; n < 3; n++) await voidLabel(api, (await createLabel(api)).id);
  await createLabel(api);
  await storeDeadEvent(webhooks, { message: Buffer.from(`\n\x04evt_${accountId}`) });
  // Rows that are written in the background.
  await eventually(async () => expect(emptyTables(await rowsOf(stack, accountId))).toEqual([]));
  return accountId;
}

// Events leave the outbox within two minutes, and the sandbox has no bookings.
const SOON_EMPTY = ["records.outbox", "carrier.outbox", "carrier.bookings"];
// Tables whose data the export of other tables already contains.
const DERIVED = parts.flatMap((part) =>
  ACCOUNT_DATA[part].tables.filter(({ derived }) => derived).map(({ name }) => `${part}.${name}`),
);
const emptyTables = (rows: Record<string, string[]>) =>
  Object.keys(rows).filter((name) => rows[name]!.length === 0 && ![...SOON_EMPTY, ...DERIVED].includes(name));

/** Every row of an account, by part and table. */
export async function rowsOf(stack: Stack, accountId: string) {
  const rows: Record<string, string[]> = {};
  for (const part of parts) {
    let cursor: string | undefined;
    do {
      const page = await exportPage(stack.databases[part], ACCOUNT_DATA[part], { accountId, cursor });
      const name = `${part}.${page.table}`;
      rows[name] = [...(rows[name] ?? []), ...page.rows.map((row) => row.json)];
      cursor = page.nextCursor;
    } while (cursor);
  }
  return rows;
}

// Background work marks or adds rows of these.
const CHANGING = [
  "gateway.request_counts",
  "gateway.account_changes",
  "webhooks.subscription_changes",
  "portal.audit_entries",
];

/** Rows that change only by requests. */
export const lasting = ({ ...rows }: Record<string, string[]>) => {
  for (const name of [...SOON_EMPTY, ...CHANGING]) delete rows[name];
  return rows;
};
