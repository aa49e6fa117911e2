import { randomBytes } from "node:crypto";
import { addMember, createSignInLink, type Role } from "@shipping/gateway/accounts/manage-members";
import { openPrisma } from "@shipping/gateway/database/deps";
import { WINDOW_MINUTES } from "@shipping/gateway/developers/session/session";
import type { PrismaClient } from "@shipping/gateway/gen/prisma/client";
import { withinWindow } from "@shipping/kit/testing/eventually";
import { type Stack, type StackOptions, sharedStack, startStack } from "../platform/stack.js";
import { newVisitor, pathIn, type Visitor } from "./visitor.js";

/** A person who is signed in. */
export interface SignedInVisitor {
  visitor: Visitor;
  accountId: string;
  email: string;
}

/** The developer area of the platform that the tests of one file share. */
export interface Area {
  stack(): Stack;
  origin(): string;
  /** A sign-in link to an account, for an existing member or a new one. */
  newLink(options?: {
    accountId?: string;
    role?: Role;
    email?: string;
  }): Promise<{ url: string; path: string; accountId: string; email: string }>;
  /** A member of a new account, or of that one, signed in by link. */
  signIn(options?: { accountId?: string; role?: Role; email?: string }): Promise<SignedInVisitor>;
  visitor(): Visitor;
  /** The rows of a statement in the gateway's database. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the columns that it reads.
  query(text: string, values?: unknown[]): Promise<any[]>;
  /** Moves the member's last authentication 15 minutes into the past. */
  ageSignIn(email: string): Promise<void>;
  /** A test of a limit per ten minutes that starts with empty counters. */
  testLimit(name: string, run: () => Promise<void>): void;
}

/** The platform that the files of this worker share, or one of its own while the tests of this file run. */
export function useArea(options?: StackOptions): Area {
  let stack: Stack;
  let prisma: PrismaClient;
  beforeAll(async () => {
    stack = await (options ? startStack(options) : sharedStack());
    prisma = openPrisma(stack.databases.gateway);
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await stack.stop();
  });
  const origin = () => new URL(stack.baseUrl).origin;

  const area: Area = {
    stack: () => stack,
    origin,
    visitor: () => newVisitor(origin()),
    query: async (text, values) => (await stack.databases.gateway.pool.query(text, values)).rows,
    async newLink({ accountId: given, role = "admin", email = `${randomBytes(6).toString("hex")}@example.com` } = {}) {
      const deps = { db: stack.databases.gateway, prisma, now: () => new Date(), random: randomBytes };
      const accountId = given ?? (await stack.newAccount("Nordlicht"));
      if (!(await prisma.accountMember.findUnique({ where: { accountId_email: { accountId, email } } }))) {
        await addMember(deps, { accountId, email, role });
      }
      const { url } = await createSignInLink(deps, { accountId, email, origin: origin() });
      return { url, path: pathIn(url), accountId, email };
    },
    async signIn(who) {
      const { path, accountId, email } = await area.newLink(who);
      const visitor = newVisitor(origin(), accountId);
      const { status } = await visitor.submit(path);
      if (status !== 303) throw new Error(`The sign-in link answers ${status}.`);
      return { visitor, accountId, email };
    },
    async ageSignIn(email) {
      await area.query(
        `UPDATE sessions SET authenticated_at = authenticated_at - interval '15 minutes'
         WHERE member_id IN (SELECT id FROM account_members WHERE email = $1)`,
        [email],
      );
    },
    testLimit(name, run) {
      const counting = async () => {
        await area.query("DELETE FROM mail_counts; DELETE FROM sign_in_refusals");
        await run();
      };
      test(name, withinWindow(WINDOW_MINUTES, counting));
    },
  };
  return area;
}
