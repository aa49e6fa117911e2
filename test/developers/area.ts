import { randomBytes } from "node:crypto";
import { type Client, createClient } from "@connectrpc/connect";
import type { Database } from "@shipping/kit/postgres/database";
import { eventually, withinWindow } from "@shipping/kit/testing/eventually";
import type { Role } from "@shipping/portal/members/manage-members";
import { WINDOW_MINUTES } from "@shipping/portal/session/session";
import { storedMembers } from "@shipping/portal/testing/stored-members";
import { ageSessions, clearLimits } from "@shipping/portal/testing/stored-sessions";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { callStack } from "../platform/call-stack.js";
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
  /** The portal's database, which tests read and write through the functions that the portal exports for them. */
  db(): Database;
  /** Suspends an account as the operator does. The portal knows it afterwards. */
  suspend(member: SignedInVisitor): Promise<void>;
  /** Moves the member's last authentication 15 minutes into the past. */
  ageSignIn(email: string): Promise<void>;
  /** A test of a limit per ten minutes that starts with empty counters. */
  testLimit(name: string, run: () => Promise<void>): void;
}

/** The platform that the files of this worker share, or one of its own while the tests of this file run. */
export function useArea(options?: StackOptions): Area {
  let stack: Stack;
  let operator: Client<typeof PortalOperationsService>;
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    stack = await (options ? startStack(options) : sharedStack());
    const portal = callStack(stack, "portal");
    operator = createClient(PortalOperationsService, portal);
    close = portal.close;
  });
  afterAll(async () => {
    await close?.();
    await stack.stop();
  });
  const origin = () => new URL(stack.baseUrl).origin;

  const area: Area = {
    stack: () => stack,
    origin,
    visitor: () => newVisitor(origin()),
    db: () => stack.databases.portal,
    async suspend({ accountId, visitor }) {
      await stack.suspend(accountId);
      // This page shows the gateway's latest changes.
      await visitor.get("/developers/audit");
    },
    async newLink({ accountId: given, role = "admin", email = `${randomBytes(6).toString("hex")}@example.com` } = {}) {
      const accountId = given ?? (await stack.newAccount("Nordlicht"));
      // On a busy machine, a database may need longer for a connection than a call waits.
      const { url } = await eventually(
        async () => {
          const known = await storedMembers(area.db(), accountId, email);
          if (known.length === 0) await operator.addMember({ accountId, email, role });
          return operator.createSignInLink({ accountId, email, origin: origin() });
        },
        { withinMs: 30_000 },
      );
      return { url, path: pathIn(url), accountId, email };
    },
    async signIn(who) {
      const { path, accountId, email } = await area.newLink(who);
      const visitor = newVisitor(origin(), accountId);
      const { status } = await visitor.submit(path);
      if (status !== 303) throw new Error(`The sign-in link answers ${status}.`);
      return { visitor, accountId, email };
    },
    ageSignIn: (email) => ageSessions(area.db(), { authenticated: 15 }, email),
    testLimit(name, run) {
      const counting = async () => {
        await clearLimits(area.db());
        await run();
      };
      test(name, withinWindow(WINDOW_MINUTES, counting));
    },
  };
  return area;
}
