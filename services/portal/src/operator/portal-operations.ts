import type { ConnectRouter } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import type { Finding } from "@shipping/kit/service/finding";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import type { PortalDeps } from "../database/deps.js";
import { beginErasing, requireAccount } from "../feed/accounts.js";
import { EMAIL_FIELD } from "../mail/address.js";
import {
  addMember,
  createSignInLink,
  listMembers,
  type Member,
  normalizeEmail,
  ROLES,
  removeMember,
} from "../members/manage-members.js";

/** The dependencies of the operations: the database, the gateway for accounts that are new here, and the checks of the servers that the portal uses. */
export type PortalOperationsDeps = Pick<PortalDeps, "db" | "prisma" | "now" | "random"> &
  Parameters<typeof requireAccount>[0] & { serverChecks: readonly (() => Promise<Finding>)[] };

/** Serves PortalOperationsService. */
export function portalOperationsRoutes(router: ConnectRouter, deps: PortalOperationsDeps): void {
  router.service(PortalOperationsService, {
    normalizeEmail: ({ email }) => ({ email: requireEmail(email) }),
    async addMember({ accountId, email, role }) {
      requireAccountId(accountId);
      const member = { accountId, email: requireEmail(email), role: requireRole(role) };
      await requireAccount(deps, accountId);
      return { member: memberMessage(await addMember(deps, member)) };
    },
    async listMembers({ accountId }) {
      const members = await listMembers(deps, requireAccountId(accountId));
      return { members: members.map(memberMessage) };
    },
    async removeMember({ accountId, email }) {
      return removeMember(deps, { accountId: requireAccountId(accountId), email: requireEmail(email) });
    },
    async createSignInLink({ accountId, email, origin }) {
      requireAccountId(accountId);
      const member = { accountId, email: email === undefined ? undefined : requireEmail(email) };
      const { expiresAt, ...link } = await createSignInLink(deps, { ...member, origin: requireOrigin(origin) });
      return { ...link, expiresAt: expiresAt.toISOString() };
    },
    async beginErasing({ accountId }) {
      await beginErasing(deps, requireAccountId(accountId));
      return {};
    },
    checkServers: async () => ({ findings: await Promise.all(deps.serverChecks.map((check) => check())) }),
  });
}

function memberMessage({ createdAt, invitedAt, invitationMail, ...facts }: Member) {
  return {
    ...facts,
    createdAt: createdAt.toISOString(),
    ...(invitedAt && { invitedAt: invitedAt.toISOString() }),
    ...(invitationMail !== null && { invitationMail }),
  };
}

function requireAccountId(id: string): string {
  if (!isId("acc", id)) throw fail("invalid_request", "account_id must be the ID of an account, such as acc_….");
  return id;
}

function requireEmail(text: string): string {
  if (text.length > EMAIL_FIELD.maxLength)
    throw fail("invalid_request", `An email address must have at most ${EMAIL_FIELD.maxLength} characters.`);
  return normalizeEmail(text);
}

function requireRole(text: string) {
  const role = ROLES.find((one) => one === text);
  if (!role) throw fail("invalid_request", `role must be ${ROLES.join(" or ")}.`);
  return role;
}

const MAX_ORIGIN_CHARACTERS = 300;

function requireOrigin(text: string): string {
  const isOrigin = text.length <= MAX_ORIGIN_CHARACTERS && /^https?:/.test(text) && URL.canParse(text);
  if (!isOrigin || new URL(text).origin !== text)
    throw fail("invalid_request", "origin must be scheme, host and port, such as https://ship.example.");
  return text;
}
