import type { Client } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import type {
  CreateSignInLinkResponse,
  Member,
  PortalOperationsService,
} from "@shipping/proto/shipping/portal/v1/operations_pb";
import { onPortal } from "../platform/call-parts.js";
import type { AdminConfig } from "../platform/config.js";
import { findAccount } from "../platform/find-account.js";
import type { Platform } from "../platform/find-platform.js";
import { plain } from "../platform/plain.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { accountOption } from "../tools/options.js";
import { toTable } from "../tools/print.js";

export function addMemberCommands(admin: AdminCommand, { print, platform, config }: Tools): void {
  const member = admin
    .command("member")
    .description("Manage who can sign in to the developer area of an account")
    .examples("list --account Acme");
  member
    .command("add")
    .description("Add a member")
    .examples("--account Acme --email ada@example.com", "--account Acme --email bob@example.com --role viewer")
    .addOption(accountOption())
    .requiredOption("--email <email>", "email address, as verified by the sign-in provider")
    .option("--role <role>", "admin, who can change everything, or viewer, who can change nothing", "admin")
    .changes(async ({ account, ...wanted }: { account?: string; email: string; role: string }) => {
      const added = await onMembers(await platform(), account, async (portal, accountId) => {
        const { member } = await portal.addMember({ accountId, ...wanted });
        return member!;
      });
      print(plain(added), `Added ${added.email} as ${added.role}.`);
    });
  member
    .command("list")
    .description("List the members of an account")
    .examples("--account Acme")
    .addOption(accountOption())
    .reads(async ({ account }: { account?: string }) => {
      const { members } = await onMembers(await platform(), account, (portal, accountId) =>
        portal.listMembers({ accountId }),
      );
      const rows = members.map((one) => [one.email, one.role, one.createdAt, describeStatus(one)]);
      print(members.map(plain), toTable(["EMAIL", "ROLE", "ADDED", "STATUS"], rows));
    });
  member
    .command("remove")
    .description("Remove a member and end all their sessions")
    .examples("--account Acme --email bob@example.com")
    .addOption(accountOption())
    .requiredOption("--email <email>", "email address")
    .changes(async ({ account, email }: { account?: string; email: string }) => {
      const removed = await onMembers(await platform(), account, (portal, accountId) =>
        portal.removeMember({ accountId, email }),
      );
      print(plain(removed), `Removed ${removed.email}.`);
    });
  admin
    .command("sign-in-link")
    .description("Create a sign-in link for a member, to use once within 15 minutes")
    .examples("--account Acme", "--account Acme --email ada@example.com")
    .addOption(accountOption())
    .option("--email <email>", "email address of the member; default: the first admin")
    .changes(async ({ account, ...wanted }: { account?: string; email?: string }) => {
      const found = await platform();
      const origin = getOrigin(config(), found);
      const link = await onMembers(found, account, (portal, accountId) =>
        portal.createSignInLink({ accountId, origin, ...wanted }),
      );
      print(plain(link), describeLink(link));
    });
}

/** Finds an account, and calls the portal about its members. */
async function onMembers<T>(
  platform: Platform,
  nameOrId: string | undefined,
  work: (portal: Client<typeof PortalOperationsService>, accountId: string) => Promise<T>,
): Promise<T> {
  const { id: accountId } = await findAccount(platform, nameOrId);
  return onPortal(platform, (portal) => work(portal, accountId));
}

export function describeLink({ url, email, expiresAt }: CreateSignInLinkResponse): string {
  return `${url}\n\nThis link signs in ${email} once. It expires at ${expiresAt}.`;
}

function describeStatus({ invitedAt, invitationMail }: Member): string {
  if (invitedAt === undefined) return "active";
  const mail = invitationMail && { waiting: "; email waiting", failed: "; email not sent" }[invitationMail];
  return `invited ${invitedAt}${mail ?? ""}`;
}

/** The origin of the developer area, for links. */
export function getOrigin({ PUBLIC_URL }: AdminConfig, { pages, api }: Platform): string {
  const url = PUBLIC_URL ?? pages ?? api?.split(",")[0]?.trim();
  if (!url) throw fail("service_unavailable", "The URL of the developer area is unknown. Set PUBLIC_URL.");
  return new URL(url).origin;
}
