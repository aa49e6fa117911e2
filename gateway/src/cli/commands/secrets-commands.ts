import { CommanderError } from "commander";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";
import { describeRotation, isComplete, rotateSecrets } from "./manage-secrets.js";

/** Adds the commands for the encryption of webhook secrets. */
export function addSecretsCommands(admin: AdminCommand, { print, platform }: Tools): void {
  const secrets = admin
    .command("secrets")
    .description("Manage the encryption of webhook secrets")
    .addHelpText("after", examples("rotate"));
  secrets
    .command("rotate")
    .description("Encrypt everything with the first key of SECRETS_KEYS, and say which keys you can remove")
    .addHelpText("after", examples(""))
    .changes(async () => {
      const rotated = await rotateSecrets(await platform());
      print(rotated, describeRotation(rotated));
      if (!isComplete(rotated))
        throw new CommanderError(1, "admin.secrets", "some secrets are not encrypted with the first key");
    });
}
