import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createAccount } from "@shipping/gateway/accounts/manage-accounts";
import { createKey } from "@shipping/gateway/accounts/manage-keys";
import { type AdminDeps, openPrisma } from "@shipping/gateway/database/deps";
import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { type MemberDeps, openPrisma as openPortalPrisma } from "@shipping/portal/database/deps";
import { requireAccount } from "@shipping/portal/feed/accounts";
import { addMember, createSignInLink, listMembers } from "@shipping/portal/members/manage-members";
import type { PublicOwner } from "@shipping/proto/parts";
import { GetAccountResponseSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import type { DataFolder } from "../data-folder.js";

/** The account that every local platform begins with. */
export interface DemoAccount {
  account_id: string;
  sandbox_key: string;
  live_key: string;
}

/** A one-time sign-in link to its developer area, and the email address that receives further links. */
export interface DemoSignIn {
  sign_in_url: string;
  sign_in_email: string;
}

const EMAIL = "demo@example.com";

// A part waits a second for a connection. While all parts start on a small machine, connecting can take longer.
const CONNECT_MS = 30_000;

/**
 * Creates the demo account of a data folder at the first start, and again when its database has been replaced; and a sign-in link if there is a
 * developer area, whose public origin is `origin`. It uses connections of its own.
 */
export async function createDemo(
  folder: DataFolder,
  urls: Readonly<Record<PublicOwner, string>>,
  origin: string | undefined,
): Promise<DemoAccount & Partial<DemoSignIn>> {
  const common = { now: () => new Date(), random: randomBytes };
  const account = await onDatabase(urls.gateway, openPrisma, (opened) => demoAccount(folder, { ...common, ...opened }));
  if (origin === undefined) return account;
  const signIn = await onDatabase(urls.portal, openPortalPrisma, (opened) =>
    demoSignIn({ ...common, ...opened }, account, origin),
  );
  return { ...account, ...signIn };
}

async function onDatabase<Client extends { $disconnect(): Promise<void> }, T>(
  url: string,
  open: (db: Database) => Client,
  work: (opened: { db: Database; prisma: Client }) => Promise<T>,
): Promise<T> {
  const db = openDatabase(url, { max: 1, connectMs: CONNECT_MS, log: silentLog() });
  const prisma = open(db);
  try {
    return await work({ db, prisma });
  } finally {
    await prisma.$disconnect();
    await db.close();
  }
}

async function demoAccount(folder: DataFolder, deps: AdminDeps): Promise<DemoAccount> {
  const kept = JSON.parse(await folder.keep("demo-account.json", () => "{}")) as Partial<DemoAccount>;
  if (kept.account_id && (await deps.prisma.account.findUnique({ where: { id: kept.account_id } }))) {
    return kept as DemoAccount;
  }
  const { id: accountId } = await createAccount(deps, { name: "Demo" });
  const sandbox = await createKey(deps, { accountId, environment: "sandbox", name: "Demo key" });
  const live = await createKey(deps, { accountId, environment: "live", name: "Demo key" });
  const made = { account_id: accountId, sandbox_key: sandbox.key, live_key: live.key };
  await folder.publish("demo-account.json", made);
  return made;
}

/** Creates a sign-in link for the demo account's member, who is added at the first start. */
async function demoSignIn(
  deps: MemberDeps,
  { account_id: accountId }: DemoAccount,
  origin: string,
): Promise<DemoSignIn> {
  // The portal may not follow the gateway's changes yet.
  const getAccount = async () => create(GetAccountResponseSchema, { account: { id: accountId, name: "Demo" } });
  await requireAccount({ db: deps.db, access: { getAccount } }, accountId);
  const members = await listMembers(deps, accountId);
  if (!members.some(({ email }) => email === EMAIL)) await addMember(deps, { accountId, email: EMAIL, role: "admin" });
  const { url } = await createSignInLink(deps, { accountId, email: EMAIL, origin });
  return { sign_in_url: url, sign_in_email: EMAIL };
}
