import { fail } from "@shipping/kit/errors";
import { type Command, Option } from "commander";
import {
  addMember,
  createSignInLink,
  LINK_MINUTES,
  listMembers,
  ROLES,
  type Role,
  removeMember,
} from "../../accounts/manage-members.js";
import type { AdminConfig } from "../platform/config.js";
import type { Platform } from "../platform/find-platform.js";
import { accountOption, onAccount } from "../platform/on-gateway.js";
import { examples, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

/** Adds the commands for the people of the developer area. */
export function addMemberCommands(admin: Command, { print, platform, config, change }: Tools): void {
  const member = admin
    .command("member")
    .description("who may sign in to the developer area of an account")
    .addHelpText("after", examples("list --account Acme"));
  member
    .command("add")
    .description("adds a member")
    .addHelpText(
      "after",
      examples("--account Acme --email ada@example.com", "--account Acme --email bob@example.com --role viewer"),
    )
    .addOption(accountOption())
    .requiredOption("--email <email>", "e-mail address, as the sign-in provider verifies it")
    .addOption(new Option("--role <role>", "a viewer changes nothing").choices(ROLES).default("admin"))
    .action(
      change(async ({ account, email, role }: { account: string; email: string; role: Role }) => {
        const added = await onAccount(await platform(), account, (deps, accountId) =>
          addMember(deps, { accountId, email, role }),
        );
        print(added, `Added ${added.email} as ${role}.`);
      }),
    );
  member
    .command("list")
    .description("lists the members of an account")
    .addHelpText("after", examples("--account Acme"))
    .addOption(accountOption())
    .action(async ({ account }: { account: string }) => {
      const members = await onAccount(await platform(), account, listMembers);
      const rows = members.map(({ email, role, createdAt }) => [email, role, createdAt.toISOString()]);
      print(members, toTable(["E-MAIL", "ROLE", "ADDED"], rows));
    });
  member
    .command("remove")
    .description("removes a member, and ends every session of theirs")
    .addHelpText("after", examples("--account Acme --email bob@example.com"))
    .addOption(accountOption())
    .requiredOption("--email <email>", "e-mail address")
    .action(
      change(async ({ account, email }: { account: string; email: string }) => {
        const removed = await onAccount(await platform(), account, (deps, accountId) =>
          removeMember(deps, { accountId, email }),
        );
        print(removed, `Removed ${removed.email}.`);
      }),
    );
  admin
    .command("sign-in-link")
    .description(`makes a link that signs a member in, once and within ${LINK_MINUTES} minutes`)
    .addHelpText("after", examples("--account Acme", "--account Acme --email ada@example.com"))
    .addOption(accountOption())
    .option("--email <email>", "e-mail address of the member; the first administrator if absent")
    .action(
      change(async ({ account, email }: { account: string; email?: string }) => {
        const found = await platform();
        const origin = originOf(config(), found);
        const link = await onAccount(found, account, (deps, accountId) =>
          createSignInLink(deps, { accountId, email, origin }),
        );
        print(link, `${link.url}\n\nSigns ${link.email} in, once, until ${link.expiresAt.toISOString()}.`);
      }),
    );
}

function originOf({ PUBLIC_URL }: AdminConfig, { services }: Platform): string {
  const url = PUBLIC_URL ?? services.gateway?.split(",")[0]?.trim();
  if (!url) throw fail("service_unavailable", "The address of the developer area is not known: set PUBLIC_URL.");
  return new URL(url).origin;
}
