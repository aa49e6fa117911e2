import { type LoggedAct, listActs } from "../../accounts/operator-log.js";
import { onGateway } from "../platform/on-gateway.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, limitOption, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

/** Adds the commands for the operator log. */
export function addAuditCommands(admin: AdminCommand, { print, platform }: Tools): void {
  const audit = admin
    .command("audit")
    .description("Look up the changes that operators made with these commands")
    .addHelpText("after", examples("list"));
  audit
    .command("list")
    .description("List changes, newest first")
    .addHelpText("after", examples("", "--limit 20 --json"))
    .addOption(limitOption())
    .option("--before <act-id>", "only changes older than this one, for the next page")
    .reads(async (page: { limit: number; before?: string }) => {
      const acts = await onGateway(await platform(), (deps) => listActs(deps, page));
      print(acts, toTable(["AT", "OPERATOR", "HOST", "COMMAND", "OUTCOME", "ID"], acts.map(actRow)));
    });
}

function actRow({ id, at, operator, host, command, arguments: given, outcome, reason }: LoggedAct): string[] {
  return [at.toISOString(), operator, host, `${command} ${given}`, reason ? `${outcome}: ${reason}` : outcome, id];
}
