import { fail } from "@shipping/kit/errors";
import { Option } from "commander";
import {
  addMember,
  type CreatedLink,
  createSignInLink,
  invitationMailState,
  LINK_MINUTES,
  listMembers,
  type Member,
  ROLES,
  type Role,
  removeMember,
} from "../../accounts/manage-members.js";
import type { AdminConfig } from "../platform/config.js";
import type { Platform } from "../platform/find-platform.js";
import { onAccount } from "../platform/reach-parts.js";
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
    .addOption(
      new Option("--role <role>", "admins can change everything, viewers nothing").choices(ROLES).default("admin"),
    )
    .changes(async ({ account, email, role }: { account?: string; email: string; role: Role }) => {
      const added = await onAccount(await platform(), account, (deps, accountId) =>
        addMember(deps, { accountId, email, role }),
      );
      print(added, `Added ${added.email} as ${role}.`);
    });
  member
    .command("list")
    .description("List the members of an account")
    .examples("--account Acme")
    .addOption(accountOption())
    .reads(async ({ account }: { account?: string }) => {
      const members = await onAccount(await platform(), account, listMembers);
      const rows = members.map((one) => [one.email, one.role, one.createdAt.toISOString(), describeStatus(one)]);
      print(members, toTable(["EMAIL", "ROLE", "ADDED", "STATUS"], rows));
    });
  member
    .command("remove")
    .description("Remove a member and end all their sessions")
    .examples("--account Acme --email bob@example.com")
    .addOption(accountOption())
    .requiredOption("--email <email>", "email address")
    .changes(async ({ account, email }: { account?: string; email: string }) => {
      const removed = await onAccount(await platform(), account, (deps, accountId) =>
        removeMember(deps, { accountId, email }),
      );
      print(removed, `Removed ${removed.email}.`);
    });
  admin
    .command("sign-in-link")
    .description(`Create a sign-in link for a member, to use once within ${LINK_MINUTES} minutes`)
    .examples("--account Acme", "--account Acme --email ada@example.com")
    .addOption(accountOption())
    .option("--email <email>", "email address of the member; default: the first admin")
    .changes(async ({ account, email }: { account?: string; email?: string }) => {
      const found = await platform();
      const origin = getOrigin(config(), found);
      const link = await onAccount(found, account, (deps, accountId) =>
        createSignInLink(deps, { accountId, email, origin }),
      );
      print(link, describeLink(link));
    });
}

export function describeLink({ url, email, expiresAt }: CreatedLink): string {
  return `${url}\n\nThis link signs in ${email} once. It expires at ${expiresAt.toISOString()}.`;
}

function describeStatus(member: Member): string {
  if (!member.invitedAt) return "active";
  const mail = invitationMailState(member, new Date());
  return `invited ${member.invitedAt.toISOString()}${mail ? `; email ${mail === "failed" ? "not sent" : "waiting"}` : ""}`;
}

/** The origin of the developer area, for links. */
export function getOrigin({ PUBLIC_URL }: AdminConfig, { services }: Platform): string {
  const url = PUBLIC_URL ?? services.gateway?.split(",")[0]?.trim();
  if (!url) throw fail("service_unavailable", "The URL of the developer area is unknown. Set PUBLIC_URL.");
  return new URL(url).origin;
}
